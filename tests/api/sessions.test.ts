import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, cookieOf } from '../support/client.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let ada: Person

let count = 0

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  // Whatever an earlier test used up of the throttle is over.
  server.clock.advance({ minutes: 15 })
  ada = await server.person(`ada${count++}`)
})

function signIn(person: Pick<Person, 'email' | 'password'>, headers: Record<string, string> = {}) {
  const { email, password } = person
  return server.anyone.post('/api/session', { email, password }, { headers })
}

async function signedIn(person: Person): Promise<Client> {
  return server.anyone.as({ cookie: cookieOf(await signIn(person)) ?? '' })
}

const me = (client: Client) => client.get('/api/session')

describe('signing in', () => {
  it('answers who one is, and sets a cookie that scripts cannot read', async () => {
    const answer = await signIn(ada)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ data: { user: { id: ada.id, email: ada.email, is_admin: false } } })
    const cookie = answer.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^belfry_session=[A-Za-z0-9_-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
    expect((await me(server.anyone.as({ cookie: cookieOf(answer) ?? '' }))).body).toEqual(answer.body)
  })

  it('does not care how the e-mail is spelt, and takes a form', async () => {
    const answer = await server.anyone.call('POST', '/api/session', {
      form: { email: ` ${ada.email.toUpperCase()} `, password: ada.password },
    })
    expect(answer.status).toBe(200)
  })

  it('marks the cookie Secure on https', async () => {
    const answer = await signIn(ada, { 'x-forwarded-proto': 'https' })
    expect(answer.headers.get('set-cookie')).toContain('; Secure')
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  it('keeps only a hash of the session', async () => {
    const token = cookieOf(await signIn(ada)) ?? ''
    const rows = await server.services.db.query('select s::text as text, token_hash from sessions s')
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it.each([
    ['a wrong password', { password: 'wrong horse battery' }],
    ['an unknown account', { email: 'nobody@example.com' }],
  ])('says the same for %s', async (_case, change) => {
    const answer = await signIn({ ...ada, ...change })
    expect(answer.status).toBe(401)
    expect(answer.body.detail).toBe('The e-mail or the password is wrong.')
    expect(answer.headers.get('set-cookie')).toBe(null)
  })

  it('takes as long for an account that does not exist', async () => {
    // By the time that our process works: nobody else on a busy machine adds to it. Nearly all of it goes into the hash.
    const workOf = async (email: string) => {
      const before = process.cpuUsage()
      await signIn({ email, password: 'wrong horse battery' })
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    await signIn({ email: 'first@example.com', password: 'warms up' })
    const [known, unknown]: [number[], number[]] = [[], []]
    for (let n = 0; n < 9; n++) {
      known.push(await workOf(ada.email))
      unknown.push(await workOf('nobody@example.com'))
    }
    const median = (works: number[]) => works.toSorted((one, other) => one - other)[4] ?? Number.NaN
    const ratio = median(unknown) / median(known)
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
  })
})

describe('the throttle', () => {
  it('stops guessing at one account, from wherever, and lets go after a while', async () => {
    const attempt = (n: number) =>
      signIn({ ...ada, password: 'wrong horse battery' }, { 'x-forwarded-for': `203.0.113.${n}` })
    for (let n = 0; n < 10; n++) expect((await attempt(n)).status).toBe(401)
    const refused = await signIn(ada, { 'x-forwarded-for': '203.0.113.99' })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const bob = await server.person('bob')
    expect((await signIn(bob)).status).toBe(200)
    server.clock.advance({ minutes: 15 })
    expect((await signIn(ada)).status).toBe(200)
  })

  it('stops guessing from one address, at whatever accounts', async () => {
    const attempts = Array.from({ length: 25 }, (_, n) =>
      signIn({ email: `who${n}@example.com`, password: 'whatever it is' }),
    )
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    expect((await signIn(ada)).status).toBe(429)
    expect((await signIn(ada, { 'x-forwarded-for': '203.0.113.5' })).status).toBe(200)
  })

  it('takes the addresses of one IPv6 network for one', async () => {
    const attempts = Array.from({ length: 21 }, (_, n) =>
      signIn(
        { email: `who${n}@example.com`, password: 'whatever it is' },
        { 'x-forwarded-for': `2001:db8:1:2::${n + 1}` },
      ),
    )
    expect((await Promise.all(attempts)).map(({ status }) => status)).toContain(429)
  })

  it('does not count those who know their password', async () => {
    for (let n = 0; n < 15; n++) expect((await signIn(ada)).status).toBe(200)
  })

  it('guards the current password too', async () => {
    const change = () =>
      ada.session.put('/api/account/password', { current_password: 'wrong', new_password: 'another fine password' })
    for (let n = 0; n < 10; n++) expect((await change()).status).toBe(422)
    expect((await change()).status).toBe(429)
  })
})

describe('a session', () => {
  it('ends when one signs out', async () => {
    const client = await signedIn(ada)
    const answer = await client.delete('/api/session')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toMatch(/^belfry_session=; Max-Age=0; /)
    expect((await me(client)).status).toBe(401)
    expect((await me(ada.session)).status).toBe(200)
  })

  it('ends after 30 days without use', async () => {
    server.clock.advance({ days: 29, hours: 23 })
    expect((await me(ada.session)).status).toBe(200)
    server.clock.advance({ days: 30 })
    expect((await me(ada.session)).status).toBe(401)
  })

  it('is extended by use, at most hourly', async () => {
    expect((await me(ada.session)).headers.get('set-cookie')).toBe(null)
    server.clock.advance({ minutes: 59 })
    expect((await me(ada.session)).headers.get('set-cookie')).toBe(null)
    server.clock.advance({ minutes: 2 })
    expect((await me(ada.session)).headers.get('set-cookie')).toContain('Max-Age=2592000')
    expect((await me(ada.session)).headers.get('set-cookie')).toBe(null)
    server.clock.advance({ days: 29, hours: 23 })
    expect((await me(ada.session)).status).toBe(200)
  })

  it('of nobody is 401', async () => {
    expect((await me(server.anyone)).status).toBe(401)
    expect((await me(server.anyone.as({ cookie: 'made-up' }))).status).toBe(401)
  })

  it('is a person’s: a key has none', async () => {
    expect((await me(await ada.withKey())).status).toBe(403)
  })
})

describe('changing the password', () => {
  it('ends every other session, and the old password', async () => {
    const [here, there] = [await signedIn(ada), await signedIn(ada)]
    await me(there)
    const answer = await here.put('/api/account/password', {
      current_password: ada.password,
      new_password: 'another fine password',
    })
    expect(answer.status).toBe(200)
    expect((await me(here)).status).toBe(200)
    expect((await me(there)).status).toBe(401)
    expect((await signIn(ada)).status).toBe(401)
    expect((await signIn({ ...ada, password: 'another fine password' })).status).toBe(200)
  })

  it.each([
    [{ current_password: 'wrong horse battery', new_password: 'another fine password' }, 'current_password'],
    [{ current_password: 'correct horse battery', new_password: 'too short' }, 'new_password'],
    [{ current_password: 'correct horse battery', new_password: 'n'.repeat(201) }, 'new_password'],
    [{ current_password: 'correct horse battery' }, 'new_password'],
  ])('refuses %j and changes nothing', async (body, field) => {
    const answer = await ada.session.put('/api/account/password', body)
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([field])
    expect((await signIn(ada)).status).toBe(200)
  })

  it('is not for keys', async () => {
    const body = { current_password: ada.password, new_password: 'another fine password' }
    expect((await (await ada.withKey()).put('/api/account/password', body)).status).toBe(403)
  })
})

describe('a write that another site’s page made a browser send', () => {
  const body = { name: 'x', scopes: ['monitors:read'] }

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'not an address' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  ])('is refused: %j', async (headers) => {
    const answer = await ada.session.post('/api/keys', body, { headers: headers as Record<string, string> })
    expect(answer.status).toBe(403)
    expect(answer.body.code).toBe('forbidden')
    expect((await signIn(ada, headers as Record<string, string>)).status).toBe(403)
  })

  it('passes from our own page, and from programs', async () => {
    for (const headers of [
      { origin: server.address, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      {},
    ]) {
      expect((await ada.session.post('/api/keys', body, { headers: headers as Record<string, string> })).status).toBe(
        201,
      )
    }
  })

  it('is no matter when it is borne by a key, or reads', async () => {
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    expect((await (await ada.withKey()).post('/api/keys', body, { headers })).status).toBe(201)
    expect((await ada.session.get('/api/keys', { headers })).status).toBe(200)
  })
})

describe('behind BELFRY_URL', () => {
  let behind: TestServer
  beforeAll(async () => {
    behind = await startTestServer({ env: { BELFRY_URL: 'https://stats.example.com/belfry/' } })
  })
  afterAll(() => behind.close())

  it('compares the whole origin, marks cookies Secure and locates things there', async () => {
    const eve = await behind.person('eve')
    const post = (origin: string) =>
      eve.session.post('/api/keys', { name: 'x', scopes: ['monitors:read'] }, { headers: { origin } })
    expect((await post('http://stats.example.com')).status).toBe(403)
    const created = await post('https://stats.example.com')
    expect(created.headers.get('location')).toBe(`https://stats.example.com/belfry/api/keys/${created.body.data.id}`)
    const { email, password } = eve
    const signed = await behind.anyone.post('/api/session', { email, password })
    expect(signed.headers.get('set-cookie')).toContain('; Secure')
  })
})
