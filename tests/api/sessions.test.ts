import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/lib/password-hash.ts'
import { type Client, parseSessionCookie } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let server: TestServer
let ada: TestUser

let personCount = 0

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  // Earlier tests may have used up the limit on failed sign-ins, so a new window starts.
  server.clock.advance({ minutes: 15 })
  ada = await server.createUser(`ada${personCount++}`)
})

function signIn(person: Pick<TestUser, 'email' | 'password'>, headers: Record<string, string> = {}) {
  const { email, password } = person
  return server.anyone.post('/api/session', { email, password }, { headers })
}

async function createSession(person: TestUser): Promise<Client> {
  return server.anyone.as({ cookie: parseSessionCookie(await signIn(person)) ?? '' })
}

const getSession = (client: Client) => client.get('/api/session')

describe('signing in', () => {
  it('returns the user and sets a cookie that scripts cannot read', async () => {
    const response = await signIn(ada)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ data: { user: { id: ada.id, email: ada.email, is_admin: false } } })
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^belfry_session=[A-Za-z0-9_-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
    expect((await getSession(server.anyone.as({ cookie: parseSessionCookie(response) ?? '' }))).body).toEqual(
      response.body,
    )
  })

  it('ignores the case of the email and accepts a form', async () => {
    const response = await server.anyone.call('POST', '/api/session', {
      form: { email: ` ${ada.email.toUpperCase()} `, password: ada.password },
    })
    expect(response.status).toBe(200)
  })

  it('marks the cookie Secure on https', async () => {
    const response = await signIn(ada, { 'x-forwarded-proto': 'https' })
    expect(response.headers.get('set-cookie')).toContain('; Secure')
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  it('stores only a hash of the session token', async () => {
    const token = parseSessionCookie(await signIn(ada)) ?? ''
    const rows = await server.services.db.query('select s::text as text, token_hash from sessions s')
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it.each([
    ['a wrong password', { password: 'wrong horse battery' }],
    ['an unknown account', { email: 'nobody@example.com' }],
  ])('returns the same message for %s', async (_case, change) => {
    const response = await signIn({ ...ada, ...change })
    expect(response.status).toBe(401)
    expect(response.body.detail).toBe('Incorrect email or password.')
    expect(response.headers.get('set-cookie')).toBe(null)
  })

  it('takes as long for a missing account as for an existing one', async () => {
    // Test users have a cheap hash, so store a hash that takes as long as those of real users.
    const hash = await hashPassword(ada.password)
    await server.services.db.query('update users set password_hash = $2 where id = $1', [ada.id, hash])
    // Measures CPU time, which other processes do not affect. Nearly all of it is hashing.
    const measureCpuTime = async (email: string) => {
      const usageBefore = process.cpuUsage()
      await signIn({ email, password: 'wrong horse battery' })
      const { user, system } = process.cpuUsage(usageBefore)
      return user + system
    }
    await signIn({ email: 'first@example.com', password: 'warms up' })
    const existingAccountTimes: number[] = []
    const missingAccountTimes: number[] = []
    for (let n = 0; n < 5; n++) {
      existingAccountTimes.push(await measureCpuTime(ada.email))
      missingAccountTimes.push(await measureCpuTime('nobody@example.com'))
    }
    const getMedian = (times: number[]) => times.toSorted((a, b) => a - b)[2] ?? Number.NaN
    const ratio = getMedian(missingAccountTimes) / getMedian(existingAccountTimes)
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
  })
})

describe('a session', () => {
  it('ends with signing out', async () => {
    const client = await createSession(ada)
    const response = await client.delete('/api/session')
    expect(response.status).toBe(200)
    expect(response.headers.get('set-cookie')).toMatch(/^belfry_session=; Max-Age=0; /)
    expect((await getSession(client)).status).toBe(401)
    expect((await getSession(ada.session)).status).toBe(200)
  })

  it('ends after 30 days without use', async () => {
    server.clock.advance({ days: 29, hours: 23 })
    expect((await getSession(ada.session)).status).toBe(200)
    server.clock.advance({ days: 30 })
    expect((await getSession(ada.session)).status).toBe(401)
  })

  it('is extended by use, at most once an hour', async () => {
    expect((await getSession(ada.session)).headers.get('set-cookie')).toBe(null)
    server.clock.advance({ minutes: 59 })
    expect((await getSession(ada.session)).headers.get('set-cookie')).toBe(null)
    server.clock.advance({ minutes: 2 })
    expect((await getSession(ada.session)).headers.get('set-cookie')).toContain('Max-Age=2592000')
    expect((await getSession(ada.session)).headers.get('set-cookie')).toBe(null)
    server.clock.advance({ days: 29, hours: 23 })
    expect((await getSession(ada.session)).status).toBe(200)
  })

  it('that does not exist results in 401', async () => {
    expect((await getSession(server.anyone)).status).toBe(401)
    expect((await getSession(server.anyone.as({ cookie: 'nonsense' }))).status).toBe(401)
  })

  it('is not available to API keys', async () => {
    expect((await getSession(await ada.withKey())).status).toBe(403)
  })
})

describe('changing the password', () => {
  it('ends all other sessions and replaces the password', async () => {
    const [currentSession, otherSession] = [await createSession(ada), await createSession(ada)]
    await getSession(otherSession)
    const response = await currentSession.put('/api/account/password', {
      current_password: ada.password,
      new_password: 'another fine password',
    })
    expect(response.status).toBe(200)
    expect((await getSession(currentSession)).status).toBe(200)
    expect((await getSession(otherSession)).status).toBe(401)
    expect((await signIn(ada)).status).toBe(401)
    expect((await signIn({ ...ada, password: 'another fine password' })).status).toBe(200)
  })

  it.each([
    [{ current_password: 'wrong horse battery', new_password: 'another fine password' }, 'current_password'],
    [{ current_password: 'correct horse battery', new_password: 'too short' }, 'new_password'],
    [{ current_password: 'correct horse battery', new_password: 'n'.repeat(201) }, 'new_password'],
    [{ current_password: 'correct horse battery' }, 'new_password'],
  ])('rejects %j and changes nothing', async (body, field) => {
    const response = await ada.session.put('/api/account/password', body)
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual([field])
    expect((await signIn(ada)).status).toBe(200)
  })

  it('is not available to API keys', async () => {
    const body = { current_password: ada.password, new_password: 'another fine password' }
    expect((await (await ada.withKey()).put('/api/account/password', body)).status).toBe(403)
  })
})

describe('your own account', () => {
  it('shows its settings and changes only the settings that are sent', async () => {
    const account = { id: ada.id, email: ada.email, is_admin: false, group_alerts: true }
    expect((await ada.session.get('/api/account')).body.data).toMatchObject(account)
    const change = (json: object) => ada.session.call('PATCH', '/api/account', { json })
    const changeResponse = await change({ group_alerts: false })
    expect(changeResponse.body.data).toMatchObject({ ...account, group_alerts: false })
    expect((await change({})).body.data.group_alerts).toBe(false)
    expect((await change({ is_admin: true })).status).toBe(422)
    expect((await ada.session.get('/api/account')).body.data.group_alerts).toBe(false)
  })
})

describe('a cross-site write', () => {
  const body = { name: 'x', scopes: ['monitors:read'] }

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'not an address' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  ])('is refused with %j', async (headers) => {
    const response = await ada.session.post('/api/keys', body, { headers: headers as Record<string, string> })
    expect(response.status).toBe(403)
    expect(response.body.code).toBe('forbidden')
    expect((await signIn(ada, headers as Record<string, string>)).status).toBe(403)
  })

  it('is allowed from our own pages and from programs', async () => {
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

  it('is allowed with an API key, and so are cross-site reads', async () => {
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    expect((await (await ada.withKey()).post('/api/keys', body, { headers })).status).toBe(201)
    expect((await ada.session.get('/api/keys', { headers })).status).toBe(200)
  })
})

describe('a server with BELFRY_URL', () => {
  let proxiedServer: TestServer
  beforeAll(async () => {
    proxiedServer = await startTestServer({ env: { BELFRY_URL: 'https://stats.example.com/belfry/' } })
  })
  afterAll(() => proxiedServer.close())

  it('compares the full origin, marks cookies Secure and uses the URL in Location', async () => {
    const eve = await proxiedServer.createUser('eve')
    const post = (origin: string) =>
      eve.session.post('/api/keys', { name: 'x', scopes: ['monitors:read'] }, { headers: { origin } })
    expect((await post('http://stats.example.com')).status).toBe(403)
    const createResponse = await post('https://stats.example.com')
    expect(createResponse.headers.get('location')).toBe(
      `https://stats.example.com/belfry/api/keys/${createResponse.body.data.id}`,
    )
    const { email, password } = eve
    const signInResponse = await proxiedServer.anyone.post('/api/session', { email, password })
    expect(signInResponse.headers.get('set-cookie')).toContain('; Secure')
  })
})
