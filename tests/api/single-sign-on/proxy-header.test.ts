/** A proxy that authenticates people names them in a header. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseSessionCookie } from '../../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { findSessionUser } from '../../support/single-sign-on.ts'

let server: TestServer
/** Doesn't trust the address of the tests. */
let distrustfulServer: TestServer
/** Creates accounts. */
let openServer: TestServer

beforeAll(async () => {
  const header = { BELFRY_AUTH_HEADER: 'X-Forwarded-User', BELFRY_TRUSTED_PROXIES: '127.0.0.0/8' }
  ;[server, distrustfulServer, openServer] = await Promise.all([
    startTestServer({ env: header }),
    startTestServer({ env: { ...header, BELFRY_TRUSTED_PROXIES: '192.0.2.1' } }),
    startTestServer({ env: { ...header, BELFRY_AUTH_HEADER_CREATE_USERS: 'on' } }),
  ])
  for (const each of [server, distrustfulServer]) await createConfirmedUser(each, 'ada')
})
afterAll(() => Promise.all([server, distrustfulServer, openServer].map((each) => each.close())))

async function createConfirmedUser(target: TestServer, name: string): Promise<TestUser> {
  const user = await target.createUser(name)
  await target.services.db.query('update users set email_confirmed_at = now() where id = $1', [user.id])
  return user
}

function open({ anyone }: TestServer, person: string | undefined, { path = '/', cookie = '' } = {}) {
  const headers = { accept: 'text/html', ...(person !== undefined && { 'x-forwarded-user': person }) }
  return anyone.as(cookie === '' ? {} : { cookie }).get(path, { headers })
}

const signIn = async (target: TestServer, person: string) => parseSessionCookie(await open(target, person)) ?? ''

describe('a page that is opened through the proxy', () => {
  it('starts a session of the account with that address, and already shows it', async () => {
    const response = await open(server, 'Ada@Example.com')
    expect(response.status).toBe(200)
    expect(response.text).toContain('ada@example.com')
    const token = parseSessionCookie(response)
    expect(await findSessionUser(server, token)).toMatchObject({ email: 'ada@example.com' })
    const [session] = await server.services.db.query(
      `select method, is_strong, user_agent, address from sessions where method <> 'password'`,
    )
    expect(session).toEqual({ method: 'proxy', is_strong: true, user_agent: 'node', address: expect.any(String) })
  })

  it('keeps the session of the same person', async () => {
    const token = await signIn(server, 'ada@example.com')
    expect(parseSessionCookie(await open(server, 'ADA@example.com', { cookie: token }))).toBeUndefined()
    expect(await findSessionUser(server, token)).toBeDefined()
  })

  it('ends the session of another person, and starts a new one', async () => {
    const bob = await createConfirmedUser(server, 'bob')
    const token = await signIn(server, 'ada@example.com')
    const response = await open(server, bob.email, { cookie: token })
    expect(response.text).toContain(bob.email)
    expect(await findSessionUser(server, token)).toBeUndefined()
  })

  it('says that there is no account, and ends the session of another person', async () => {
    const token = await signIn(server, 'ada@example.com')
    const response = await open(server, 'eve@example.com', { cookie: token })
    expect([response.status, response.text]).toEqual([
      403,
      expect.stringContaining('No Belfry account has the address'),
    ])
    expect(await findSessionUser(server, token)).toBeUndefined()
    expect((await server.services.db.query(`select from users where email = 'eve@example.com'`)).length).toBe(0)
  })

  it.each(['ada@example.com, bob@example.com', 'ada', '<ada@example.com>', 'ada@example.com\u00a0x'])(
    'signs nobody in for the value %j',
    async (value) => {
      const response = await open(server, value)
      expect([response.status, parseSessionCookie(response)]).toEqual([403, undefined])
    },
  )

  it('signs nobody in if the addresses match only by the lower-case rules of PostgreSQL', async () => {
    await createConfirmedUser(server, 'mi\u212ae')
    const response = await open(server, 'mike@example.com')
    expect([response.status, parseSessionCookie(response)]).toEqual([403, undefined])
  })

  it('signs nobody in to an account that somebody else may have prepared, until the person signs in to it', async () => {
    const grace = await server.createUser('grace')
    const refused = await open(server, grace.email)
    expect([refused.status, parseSessionCookie(refused)]).toEqual([403, undefined])
    expect(refused.text).toContain('Sign in once with your password or a passkey')
    const page = await open(server, grace.email, { path: '/sign-in' })
    expect([page.status, parseSessionCookie(page)]).toEqual([200, undefined])
    const headers = { 'x-forwarded-user': grace.email }
    const json = { email: grace.email, password: grace.password }
    const signedIn = await server.anyone.call('POST', '/api/session', { json, headers })
    expect((await open(server, grace.email, { cookie: parseSessionCookie(signedIn) })).status).toBe(200)
    expect(await findSessionUser(server, await signIn(server, grace.email))).toMatchObject({ email: grace.email })
  })

  it('works as usual if the header is empty or missing', async () => {
    for (const person of ['', undefined]) {
      const response = await open(server, person)
      expect([response.status, parseSessionCookie(response)]).toEqual([200, undefined])
    }
  })
})

describe('a request to the API', () => {
  it('starts no session', async () => {
    const headers = { 'x-forwarded-user': 'ada@example.com' }
    expect((await server.anyone.get('/api/session', { headers })).status).toBe(401)
  })

  it('ends the session of another person', async () => {
    const token = await signIn(server, 'ada@example.com')
    const headers = { 'x-forwarded-user': 'carol@example.com' }
    expect((await server.anyone.as({ cookie: token }).get('/api/session', { headers })).status).toBe(401)
    expect(await findSessionUser(server, token)).toBeUndefined()
  })

  it('may have an API key of another person', async () => {
    const owner = await server.createUser('owner')
    const key = await owner.withKey()
    const headers = { 'x-forwarded-user': 'ada@example.com' }
    expect((await key.get('/api/monitors', { headers })).status).toBe(200)
  })
})

describe('the header of somebody else than the proxy', () => {
  it('is ignored', async () => {
    const response = await open(distrustfulServer, 'ada@example.com')
    expect([response.status, parseSessionCookie(response)]).toEqual([200, undefined])
    expect(response.text).not.toContain('ada@example.com')
    const user = await distrustfulServer.createUser('zoe')
    await open(distrustfulServer, 'ada@example.com', { cookie: user.session.credentials.cookie ?? '' })
    expect((await user.session.get('/api/session')).status).toBe(200)
  })
})

describe('with BELFRY_AUTH_HEADER_CREATE_USERS', () => {
  it('a person gets an account, but not before the server is set up', async () => {
    const response = await open(openServer, 'new@example.com', { path: '/monitors' })
    expect(parseSessionCookie(response)).toBeUndefined()
    await openServer.createUser('root', { isAdmin: true })
    const tokens = await Promise.all([1, 2, 3].map(() => signIn(openServer, 'new@example.com')))
    const users = await Promise.all(tokens.map((token) => findSessionUser(openServer, token)))
    expect(new Set(users.map((user) => user?.id)).size).toBe(1)
    expect(users[0]).toMatchObject({ email: 'new@example.com', is_admin: false })
  })
})
