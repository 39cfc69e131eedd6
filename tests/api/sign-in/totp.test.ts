/** Authenticator apps and recovery codes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setPassword } from '../../../src/accounts/users.ts'
import { hashCheaply } from '../../support/cheap-hash.ts'
import { type Client, type ClientResponse, parseSessionCookie } from '../../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { setUpTotp, TotpApp } from '../../support/totp.ts'

let server: TestServer
let ada: TestUser
let app: TotpApp
let recoveryCodes: string[]

let userCount = 0

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  // Earlier tests may have used up a limit, so a new window starts.
  server.clock.advance({ minutes: 15 })
  ada = await server.createUser(`ada${userCount++}`)
  ;({ app, recoveryCodes } = await setUpTotp(server, ada))
  // The app shows another code than the one that confirmed it.
  server.clock.advance({ seconds: 30 })
})

const enterPassword = ({ email, password } = ada) => server.anyone.post('/api/session', { email, password })

async function beginSignIn(user = ada): Promise<string> {
  const response = await enterPassword(user)
  expect(response.status, response.text).toBe(202)
  return response.body.data.second_factor.token
}

const enterCode = (token: string, code: string, from = '198.51.100.1') =>
  server.anyone.post('/api/session/second-factor', { token, code }, { headers: { 'x-forwarded-for': from } })

const toClient = (response: ClientResponse) => server.anyone.as({ cookie: parseSessionCookie(response) ?? '' })
const getStatus = async (client: Client) => (await client.get('/api/session')).status
const countByStatus = (responses: ClientResponse[]) =>
  Object.fromEntries([...Map.groupBy(responses, ({ status }) => status)].map(([status, list]) => [status, list.length]))

describe('signing in with an authenticator app', () => {
  it('starts no session before the code is correct', async () => {
    const response = await enterPassword()
    expect(response.status).toBe(202)
    expect(response.headers.get('set-cookie')).toBe(null)
    expect(response.body.data.second_factor).toEqual({
      token: expect.stringMatching(/^[\w-]{43}$/),
      methods: ['totp', 'recovery_code'],
      expires_at: new Date(server.clock.now().getTime() + 300_000).toISOString(),
    })
    const { token } = response.body.data.second_factor
    expect((await server.anyone.as({ cookie: token }).get('/api/session')).status).toBe(401)
    const wrong = await enterCode(token, app.wrongCode())
    expect(wrong.status, wrong.text).toBe(422)
    expect(wrong.body.errors).toEqual({ code: ['`code` is incorrect.'] })
    expect(wrong.headers.get('set-cookie')).toBe(null)
    const code = app.code()
    const right = await enterCode(token, `${code.slice(0, 3)} ${code.slice(3)}`)
    expect(right.status, right.text).toBe(200)
    expect(right.body).toEqual({ data: { user: { id: ada.id, email: ada.email, is_admin: false } } })
    expect(await getStatus(toClient(right))).toBe(200)
  })

  it.each([-1, 0, 1])('accepts the code of the step %i', async (steps) => {
    server.clock.advance({ seconds: 30 })
    expect((await enterCode(await beginSignIn(), app.code(steps))).status).toBe(200)
  })

  it.each([-2, 2])('rejects the code of the step %i', async (steps) => {
    server.clock.advance({ seconds: 60 })
    expect((await enterCode(await beginSignIn(), app.code(steps))).status).toBe(422)
  })

  it('accepts each code once, and no earlier code after it', async () => {
    const code = app.code()
    const nextCode = app.code(1)
    expect((await enterCode(await beginSignIn(), code)).status).toBe(200)
    expect((await enterCode(await beginSignIn(), code)).status).toBe(422)
    expect((await enterCode(await beginSignIn(), nextCode)).status).toBe(200)
    expect((await enterCode(await beginSignIn(), code)).status).toBe(422)
  })

  it('does not accept the code again that confirmed the app', async () => {
    const eve = await server.createUser(`eve${userCount}`)
    const eves = await setUpTotp(server, eve)
    expect((await enterCode(await beginSignIn(eve), eves.app.code())).status).toBe(422)
  })

  it('starts one session if the same code is sent several times at once', async () => {
    const token = await beginSignIn()
    const otherToken = await beginSignIn()
    const code = app.code()
    const responses = await Promise.all([token, token, otherToken, otherToken].map((each) => enterCode(each, code)))
    const sessions = responses.filter(({ status }) => status === 200)
    expect(sessions).toHaveLength(1)
    expect(responses.filter(({ headers }) => headers.get('set-cookie') !== null)).toHaveLength(1)
    const rows = await server.services.db.query('select from sessions where user_id = $1', [ada.id])
    // The other one is the session in which the app was set up.
    expect(rows).toHaveLength(2)
  })

  it('starts one session if several correct codes are sent for one sign-in at once', async () => {
    const token = await beginSignIn()
    const codes = [app.code(), ...recoveryCodes.slice(0, 4)]
    const responses = await Promise.all(codes.map((code) => enterCode(token, code)))
    expect(countByStatus(responses)).toEqual({ 200: 1, 401: 4 })
    // The refused requests have used up no recovery codes.
    const usedCount = responses.findIndex(({ status }) => status === 200) === 0 ? 0 : 1
    const { body } = await ada.session.get('/api/account/security')
    expect(body.data.recovery_codes_left).toBe(10 - usedCount)
  })

  it('ends after five minutes, and once it has succeeded', async () => {
    const token = await beginSignIn()
    server.clock.advance({ minutes: 5 })
    const late = await enterCode(token, app.code())
    expect(late.status, late.text).toBe(401)
    const newToken = await beginSignIn()
    expect((await enterCode(newToken, app.code())).status).toBe(200)
    server.clock.advance({ minutes: 1 })
    expect((await enterCode(newToken, app.code())).status).toBe(401)
    expect((await enterCode('nonsense', app.code())).status).toBe(401)
  })

  it('ends when the password changes, which keeps the second factor', async () => {
    const token = await beginSignIn()
    const newPassword = 'another fine password'
    await server.services.db.transaction(async (q) => setPassword(q, ada.id, await hashCheaply(newPassword)))
    expect((await enterCode(token, app.code())).status).toBe(401)
    const newToken = await beginSignIn({ ...ada, password: newPassword })
    expect((await enterCode(newToken, app.code())).status).toBe(200)
  })

  it('is refused to pages of other sites', async () => {
    const token = await beginSignIn()
    const headers = { origin: 'https://evil.example' }
    const response = await server.anyone.post('/api/session/second-factor', { token, code: app.code() }, { headers })
    expect(response.status).toBe(403)
  })

  it('says nothing about second factors to somebody without the password', async () => {
    const response = await server.anyone.post('/api/session', { email: ada.email, password: 'wrong horse battery' })
    expect(response.status).toBe(401)
    expect(response.body.detail).toBe('Incorrect email or password.')
  })

  it('stores neither the secret nor the token nor recovery codes', async () => {
    const token = await beginSignIn()
    const { db } = server.services
    const rows = await db.query('select t::text from totp_secrets t')
    const codes = await db.query('select c::text from recovery_codes c')
    const attempts = await db.query<{ data: Buffer; text: string }>(
      'select data, a::text as text from sign_in_attempts a',
    )
    const text = [
      JSON.stringify([rows, codes]),
      ...attempts.flatMap((attempt) => [attempt.text, attempt.data.toString('latin1')]),
    ].join()
    expect(text).not.toContain(token)
    for (const code of recoveryCodes) expect(text).not.toContain(code)
    expect(text).not.toContain('argon2')
  })
})

describe('wrong codes', () => {
  it('are refused after ten from one network, while the owner signs in from another one', async () => {
    const token = await beginSignIn()
    const responses: ClientResponse[] = []
    for (let n = 0; n < 12; n++) responses.push(await enterCode(token, app.wrongCode()))
    expect(countByStatus(responses)).toEqual({ 422: 10, 429: 2 })
    const refused = await enterCode(token, app.code())
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await enterCode(token, recoveryCodes[0] ?? '')).status).toBe(429)
    expect((await enterCode(token, app.code(), '198.51.100.2')).status).toBe(200)
    server.clock.advance({ minutes: 15 })
    expect((await enterCode(await beginSignIn(), app.code())).status).toBe(200)
  })

  it('are counted for all sign-ins of an account together, and at once', async () => {
    const tokens: string[] = []
    for (let n = 0; n < 12; n++) tokens.push(await beginSignIn())
    const responses = await Promise.all(tokens.map((token) => enterCode(token, app.wrongCode())))
    expect(countByStatus(responses)).toEqual({ 422: 10, 429: 2 })
  })

  it('from many networks are refused after 20, and then a recovery code still works', async () => {
    const token = await beginSignIn()
    const responses: ClientResponse[] = []
    for (let n = 0; n < 24; n++) responses.push(await enterCode(token, app.wrongCode(), `203.0.113.${n >> 3}`))
    expect(countByStatus(responses)).toEqual({ 422: 20, 429: 4 })
    expect((await enterCode(token, app.code(), '198.51.100.9')).status).toBe(429)
    expect((await enterCode(token, recoveryCodes[0] ?? '', '198.51.100.9')).status).toBe(200)
    server.clock.advance({ minutes: 15 })
    expect((await enterCode(await beginSignIn(), app.code(), '198.51.100.9')).status).toBe(200)
  })

  it('of one account do not count against another one', async () => {
    const eve = await server.createUser(`eve${userCount}`)
    const eves = await setUpTotp(server, eve)
    server.clock.advance({ seconds: 30 })
    const token = await beginSignIn()
    for (let n = 0; n < 10; n++) expect((await enterCode(token, app.wrongCode())).status).toBe(422)
    expect((await enterCode(await beginSignIn(eve), eves.app.code())).status).toBe(200)
  })
})

describe('a recovery code', () => {
  it('replaces the code of the app once', async () => {
    expect(recoveryCodes).toHaveLength(10)
    expect(new Set(recoveryCodes).size).toBe(10)
    const [code = ''] = recoveryCodes
    expect(code).toMatch(/^[0-9a-z]{5}-[0-9a-z]{5}$/)
    const response = await enterCode(await beginSignIn(), ` ${code.toUpperCase().replace('-', ' ')} `)
    expect(response.status, response.text).toBe(200)
    const { body } = await toClient(response).get('/api/account/security')
    expect(body.data).toMatchObject({ totp_enabled: true, recovery_codes_left: 9 })
    expect((await enterCode(await beginSignIn(), code)).status).toBe(422)
  })

  it('starts one session if it is sent several times at once', async () => {
    const tokens = await Promise.all([beginSignIn(), beginSignIn(), beginSignIn()])
    const responses = await Promise.all(tokens.map((token) => enterCode(token, recoveryCodes[0] ?? '')))
    expect(countByStatus(responses)).toEqual({ 200: 1, 422: 2 })
  })

  it('works for no other account', async () => {
    const eve = await server.createUser(`eve${userCount}`)
    await setUpTotp(server, eve)
    expect((await enterCode(await beginSignIn(eve), recoveryCodes[0] ?? '')).status).toBe(422)
  })

  it('ends when new ones are created', async () => {
    const { session, password } = ada
    expect((await session.post('/api/account/recovery-codes', {})).body.errors).toEqual({
      current_password: ['`current_password` is required.'],
    })
    const response = await session.post('/api/account/recovery-codes', { current_password: password })
    expect(response.status, response.text).toBe(200)
    const [newCode = ''] = response.body.data.recovery_codes
    expect((await enterCode(await beginSignIn(), recoveryCodes[0] ?? '')).status).toBe(422)
    expect((await enterCode(await beginSignIn(), newCode)).status).toBe(200)
  })
})

describe('setting up an authenticator app', () => {
  it('needs the current password, and returns a secret and the URI for the QR code', async () => {
    const bob = await server.createUser(`bob${userCount}`)
    const begin = (json: object) => bob.session.post('/api/account/totp', json)
    expect((await begin({})).status).toBe(422)
    expect((await begin({ current_password: 'wrong' })).body.errors).toEqual({
      current_password: ['`current_password` is incorrect.'],
    })
    const response = await begin({ current_password: bob.password })
    expect(response.status, response.text).toBe(200)
    const { secret, uri } = response.body.data
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(decodeURIComponent(uri)).toBe(
      `otpauth://totp/Belfry:${bob.email}?issuer=Belfry&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    )
    expect((await bob.session.get('/api/account/security')).body.data).toEqual({
      has_password: true,
      totp_enabled: false,
      recovery_codes_left: 0,
      passkeys: [],
      email_confirmed: false,
    })
    // Until the first code, the app doesn't count.
    expect((await enterPassword(bob)).status).toBe(200)
  })

  it('limits wrong current passwords', async () => {
    const begin = (password: string) => ada.session.post('/api/account/totp/disable', { current_password: password })
    for (let n = 0; n < 10; n++) expect((await begin('wrong')).status).toBe(422)
    expect((await begin(ada.password)).status).toBe(429)
  })

  it('ends all other sessions, and makes this one strong', async () => {
    const bob = await server.createUser(`bob${userCount}`)
    const other = toClient(await enterPassword(bob))
    expect(await getStatus(other)).toBe(200)
    await setUpTotp(server, bob)
    expect(await getStatus(other)).toBe(401)
    expect(await getStatus(bob.session)).toBe(200)
    const { body } = await bob.session.get('/api/sessions')
    expect(body.data).toMatchObject([{ is_current: true, is_strong: true, method: 'password' }])
  })

  it('rejects a wrong code, and succeeds only once', async () => {
    const bob = await server.createUser(`bob${userCount}`)
    const confirm = (code: string) => bob.session.put('/api/account/totp', { code })
    expect((await confirm('123456')).status).toBe(409)
    const { app: bobs } = await setUpTotp(server, bob)
    expect((await confirm(bobs.code())).status).toBe(409)
    expect((await bob.session.post('/api/account/totp', { current_password: bob.password })).status).toBe(409)
    const eve = await server.createUser(`eve${userCount}`)
    await eve.session.post('/api/account/totp', { current_password: eve.password })
    expect((await eve.session.put('/api/account/totp', { code: bobs.wrongCode() })).status).toBe(422)
  })

  it('never leaves a weak session behind, even if somebody signs in at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const bob = await server.createUser(`bob-${userCount}-${round}`)
      const begun = await bob.session.post('/api/account/totp', { current_password: bob.password })
      const bobs = new TotpApp(begun.body.data.secret, server.clock)
      const signIns = [enterPassword(bob), enterPassword(bob)]
      const confirmed = await bob.session.put('/api/account/totp', { code: bobs.code() })
      expect(confirmed.status, confirmed.text).toBe(200)
      await Promise.all(signIns)
      const rows = await server.services.db.query('select is_strong from sessions where user_id = $1', [bob.id])
      expect(rows).toEqual([{ is_strong: true }])
      server.clock.advance({ minutes: 15 })
    }
  })
})

describe('removing the authenticator app', () => {
  it('needs the current password, and ends recovery codes and strong sessions', async () => {
    const remove = (json: object) => ada.session.post('/api/account/totp/disable', json)
    expect((await remove({})).status).toBe(422)
    const token = await beginSignIn()
    const removed = await remove({ current_password: ada.password })
    expect(removed.status, removed.text).toBe(200)
    expect((await enterCode(token, recoveryCodes[0] ?? '')).status).toBe(422)
    expect((await enterPassword()).status).toBe(200)
    const { body } = await ada.session.get('/api/account/security')
    expect(body.data).toMatchObject({ totp_enabled: false, recovery_codes_left: 0 })
    const sessions = (await ada.session.get('/api/sessions')).body.data
    expect(sessions.map(({ is_strong }: { is_strong: boolean }) => is_strong)).toEqual([false, false])
    expect((await remove({ current_password: ada.password })).status).toBe(409)
    const codes = await ada.session.post('/api/account/recovery-codes', { current_password: ada.password })
    expect(codes.status).toBe(409)
  })
})

describe('an account without a password', () => {
  it('needs a session that began in the last ten minutes instead', async () => {
    const bob = await server.createUser(`bob${userCount}`)
    await server.services.db.query('update users set has_password = false where id = $1', [bob.id])
    expect((await bob.session.get('/api/account/security')).body.data.has_password).toBe(false)
    server.clock.advance({ minutes: 9 })
    const { app: bobs } = await setUpTotp(server, bob)
    expect(bobs.code()).toHaveLength(6)
    server.clock.advance({ minutes: 1 })
    for (const path of ['/api/account/totp/disable', '/api/account/recovery-codes', '/api/account/totp']) {
      const response = await bob.session.post(path, { current_password: bob.password })
      expect(response.status, response.text).toBe(403)
      expect(response.body.detail).toContain('Sign in again')
    }
  })
})
