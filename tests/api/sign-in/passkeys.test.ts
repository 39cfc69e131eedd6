/** Passkeys, with a software authenticator. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { authenticatorCertificate, serverPrivateKey } from '../../checker/certificates.ts'
import { Authenticator, type Deviations, signAttestation } from '../../support/authenticator.ts'
import { type Client, type ClientResponse, parseSessionCookie } from '../../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { setUpTotp } from '../../support/totp.ts'

const ORIGIN = 'https://stats.example.com'

let server: TestServer
let ada: TestUser
let userCount = 0

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_URL: `${ORIGIN}/belfry/` } })
})
afterAll(() => server.close())
beforeEach(async () => {
  server.clock.advance({ minutes: 15 })
  ada = await server.createUser(`ada${userCount++}`)
})

async function beginEnrolment(session: Client) {
  const response = await session.post('/api/account/passkeys/options')
  expect(response.status, response.text).toBe(200)
  return response.body.data
}

async function enrol(session: Client, authenticator: Authenticator, deviations: Deviations = {}) {
  const { attempt, options } = await beginEnrolment(session)
  const credential = authenticator.create(options, deviations)
  return session.post('/api/account/passkeys', { attempt, credential, name: ' Phone ' })
}

async function createPasskey(user: TestUser): Promise<Authenticator> {
  const authenticator = new Authenticator(ORIGIN)
  const response = await enrol(user.session, authenticator)
  expect(response.status, response.text).toBe(201)
  return authenticator
}

async function beginSignIn(token?: string) {
  const response = await server.anyone.post('/api/session/passkey/options', token === undefined ? {} : { token })
  expect(response.status, response.text).toBe(200)
  return response.body.data
}

const finishSignIn = (attempt: string, credential: object) =>
  server.anyone.post('/api/session/passkey', { attempt, credential })

async function signIn(authenticator: Authenticator, deviations: Deviations = {}, token?: string) {
  const { attempt, options } = await beginSignIn(token)
  return finishSignIn(attempt, authenticator.get(options, deviations))
}

const enterPassword = ({ email, password }: TestUser) => server.anyone.post('/api/session', { email, password })
const toClient = (response: ClientResponse) => server.anyone.as({ cookie: parseSessionCookie(response) ?? '' })

describe('adding a passkey', () => {
  it('asks the browser for a discoverable passkey that verifies the user', async () => {
    const { attempt, options } = await beginEnrolment(ada.session)
    expect(attempt).toMatch(/^[\w-]{43}$/)
    expect(options).toMatchObject({
      rp: { name: 'Belfry', id: 'stats.example.com' },
      user: { name: ada.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      excludeCredentials: [],
    })
    const authenticator = await createPasskey(ada)
    const again = await beginEnrolment(ada.session)
    expect(again.options.excludeCredentials).toMatchObject([{ id: authenticator.credentialId.toString('base64url') }])
    expect(again.options.user.id).toBe(options.user.id)
  })

  it('returns recovery codes with the first one, ends other sessions and makes this one strong', async () => {
    const other = toClient(await enterPassword(ada))
    const created = await enrol(ada.session, new Authenticator(ORIGIN))
    expect(created.status, created.text).toBe(201)
    const { recovery_codes: recoveryCodes, ...passkey } = created.body.data
    expect(created.headers.get('location')).toBe(`${ORIGIN}/belfry/api/account/passkeys/${passkey.id}`)
    expect(recoveryCodes).toHaveLength(10)
    expect(passkey).toMatchObject({ name: 'Phone', last_used_at: null, is_backed_up: true })
    expect((await other.get('/api/session')).status).toBe(401)
    expect((await ada.session.get('/api/sessions')).body.data).toMatchObject([{ is_strong: true }])
    const second = await enrol(ada.session, new Authenticator(ORIGIN))
    expect(second.body.data.recovery_codes).toBe(null)
    const { body } = await ada.session.get('/api/account/security')
    expect(body.data).toMatchObject({ totp_enabled: false, recovery_codes_left: 10 })
    expect(body.data.passkeys).toMatchObject([passkey, { id: second.body.data.id }])
  })

  it('keeps the recovery codes of the authenticator app', async () => {
    await setUpTotp(server, ada)
    const created = await enrol(ada.session, new Authenticator(ORIGIN))
    expect(created.body.data.recovery_codes).toBe(null)
    expect((await ada.session.get('/api/account/security')).body.data.recovery_codes_left).toBe(10)
  })

  it.each<[string, Deviations]>([
    ['for another origin', { origin: 'https://evil.example' }],
    ['for another challenge', { challenge: 'bm90IHRoZSBjaGFsbGVuZ2U' }],
    ['for another host', { relyingPartyId: 'example.com' }],
    ['that has not verified the user', { isUserVerified: false }],
    ['with an unknown attestation', { attestation: { format: 'unknown', createStatement: () => Buffer.of(0xa0) } }],
  ])('refuses a passkey %s', async (_what, deviations) => {
    const response = await enrol(ada.session, new Authenticator(ORIGIN), deviations)
    expect(response.status, response.text).toBe(409)
    expect((await ada.session.get('/api/account/security')).body.data.passkeys).toEqual([])
  })

  it('refuses certificates, because verifying them would fetch from addresses that they name', async () => {
    const attestation = signAttestation(authenticatorCertificate, serverPrivateKey)
    const response = await enrol(ada.session, new Authenticator(ORIGIN), { attestation })
    expect(response.status, response.text).toBe(409)
  })

  it('accepts each attempt once, for five minutes, and only in the session that began it', async () => {
    const eve = await server.createUser(`eve${userCount}`)
    const authenticator = new Authenticator(ORIGIN)
    const { attempt, options } = await beginEnrolment(ada.session)
    const body = { attempt, credential: authenticator.create(options), name: 'Phone' }
    expect((await eve.session.post('/api/account/passkeys', body)).status).toBe(409)
    expect((await ada.session.post('/api/account/passkeys', body)).status).toBe(409)
    const late = await beginEnrolment(ada.session)
    server.clock.advance({ minutes: 5 })
    const lateBody = { attempt: late.attempt, credential: authenticator.create(late.options), name: 'Phone' }
    expect((await ada.session.post('/api/account/passkeys', lateBody)).status).toBe(409)
    expect((await enrol(ada.session, authenticator)).status).toBe(201)
    // Another account can't take over the passkey.
    const response = await enrol(eve.session, authenticator)
    expect(response.status).toBe(409)
    expect(response.body.detail).toBe('This passkey has already been added.')
  })

  it('needs the password in a session that began more than ten minutes ago', async () => {
    server.clock.advance({ minutes: 10 })
    const begin = (json: object) => ada.session.post('/api/account/passkeys/options', json)
    expect((await begin({})).body.errors).toEqual({ current_password: ['`current_password` is required.'] })
    expect((await begin({ current_password: 'wrong' })).status).toBe(422)
    expect((await begin({ current_password: ada.password })).status).toBe(200)
  })

  it('is limited to 20 passkeys', async () => {
    await server.services.db.query(
      `insert into passkeys (user_id, credential_id, public_key, counter, transports, is_backed_up, name, created_at)
       select $1, decode(md5(n::text), 'hex'), '', 0, '{}', false, 'x', now() from generate_series(1, 20) n`,
      [ada.id],
    )
    expect((await ada.session.post('/api/account/passkeys/options')).status).toBe(409)
  })
})

describe('signing in with a passkey', () => {
  it('needs neither email nor password, and starts a strong session', async () => {
    const authenticator = await createPasskey(ada)
    const { attempt, options } = await beginSignIn()
    expect(options).toMatchObject({ rpId: 'stats.example.com', userVerification: 'required' })
    expect(options.allowCredentials).toBe(undefined)
    const response = await finishSignIn(attempt, authenticator.get(options))
    expect(response.status, response.text).toBe(200)
    expect(response.body).toEqual({ data: { user: { id: ada.id, email: ada.email, is_admin: false } } })
    const client = toClient(response)
    expect((await client.get('/api/sessions')).body.data).toContainEqual(
      expect.objectContaining({ is_current: true, is_strong: true, method: 'passkey' }),
    )
    const [passkey] = (await client.get('/api/account/security')).body.data.passkeys
    expect(passkey.last_used_at).toBe(server.clock.now().toISOString())
  })

  it.each<[string, Deviations]>([
    ['for another origin', { origin: 'https://evil.example' }],
    ['for our host without TLS', { origin: 'http://stats.example.com' }],
    ['for another challenge', { challenge: 'bm90IHRoZSBjaGFsbGVuZ2U' }],
    ['for another host', { relyingPartyId: 'example.com' }],
    ['that has not verified the user', { isUserVerified: false }],
    ['without a user', { userHandle: undefined }],
    ['of another user', { userHandle: Buffer.alloc(16).toString('base64url') }],
  ])('refuses an assertion %s', async (_what, deviations) => {
    const authenticator = await createPasskey(ada)
    const { attempt, options } = await beginSignIn()
    const refused = await finishSignIn(attempt, authenticator.get(options, deviations))
    expect(refused.status, refused.text).toBe(401)
    expect(refused.headers.get('set-cookie')).toBe(null)
    // The challenge is used up.
    expect((await finishSignIn(attempt, authenticator.get(options))).status).toBe(401)
    expect((await signIn(authenticator)).status).toBe(200)
  })

  it('refuses a passkey that nobody has, and one with the id of another passkey', async () => {
    const authenticator = await createPasskey(ada)
    const unknown = new Authenticator(ORIGIN)
    const handle = (await beginEnrolment(ada.session)).options.user.id
    const { attempt, options } = await beginSignIn()
    const unknownResponse = await finishSignIn(attempt, unknown.get(options, { userHandle: handle }))
    const second = await beginSignIn()
    const forged = unknown.get(second.options, { userHandle: handle })
    const id = authenticator.credentialId.toString('base64url')
    const forgedResponse = await finishSignIn(second.attempt, { ...forged, id, rawId: id })
    expect([unknownResponse.status, forgedResponse.status]).toEqual([401, 401])
    expect(unknownResponse.body.detail).toBe(forgedResponse.body.detail)
  })

  it('refuses an assertion that was already used, also at once, and after five minutes', async () => {
    const authenticator = await createPasskey(ada)
    const { attempt, options } = await beginSignIn()
    const assertion = authenticator.get(options)
    const responses = await Promise.all(Array.from({ length: 4 }, () => finishSignIn(attempt, assertion)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    const other = await beginSignIn()
    expect((await finishSignIn(other.attempt, assertion)).status).toBe(401)
    const late = await beginSignIn()
    server.clock.advance({ minutes: 5 })
    expect((await finishSignIn(late.attempt, authenticator.get(late.options))).status).toBe(401)
  })

  it('refuses a passkey whose counter does not increase, because it may be a copy', async () => {
    const authenticator = new Authenticator(ORIGIN)
    authenticator.counter = 7
    expect((await enrol(ada.session, authenticator)).status).toBe(201)
    expect((await signIn(authenticator, { counter: 7 })).status).toBe(401)
    expect((await signIn(authenticator, { counter: 9 })).status).toBe(200)
    expect((await signIn(authenticator, { counter: 8 })).status).toBe(401)
    expect((await signIn(authenticator, { counter: 0 })).status).toBe(401)
    const begun = await Promise.all([beginSignIn(), beginSignIn(), beginSignIn()])
    const responses = await Promise.all(
      begun.map(({ attempt, options }) => finishSignIn(attempt, authenticator.get(options, { counter: 10 }))),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  })

  it('ends with the removal of the passkey', async () => {
    const authenticator = await createPasskey(ada)
    const { id } = (await ada.session.get('/api/account/security')).body.data.passkeys[0]
    const { attempt, options } = await beginSignIn()
    expect((await ada.session.delete(`/api/account/passkeys/${id}`)).status).toBe(200)
    expect((await finishSignIn(attempt, authenticator.get(options))).status).toBe(401)
    expect((await enterPassword(ada)).status).toBe(200)
  })

  it('is refused to pages of other sites', async () => {
    const headers = { origin: 'https://evil.example' }
    expect((await server.anyone.post('/api/session/passkey/options', {}, { headers })).status).toBe(403)
    const { attempt, options } = await beginSignIn()
    const credential = (await createPasskey(ada)).get(options)
    expect((await server.anyone.post('/api/session/passkey', { attempt, credential }, { headers })).status).toBe(403)
  })

  it('rejects nonsense without an internal error', async () => {
    const authenticator = await createPasskey(ada)
    for (const field of ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']) {
      for (const value of ['', 'AAAA', 'e30', 'bnVsbA', 'A'.repeat(5_000)]) {
        const { attempt, options } = await beginSignIn()
        const credential = authenticator.get(options)
        const response = await finishSignIn(attempt, {
          ...credential,
          response: { ...credential.response, [field]: value },
        })
        expect([401, 422], `${field} ${value.slice(0, 9)}: ${response.text}`).toContain(response.status)
      }
    }
    for (const field of ['clientDataJSON', 'attestationObject']) {
      for (const value of ['', 'AAAA', 'e30', 'bnVsbA', 'oA', 'A'.repeat(5_000)]) {
        const { attempt, options } = await beginEnrolment(ada.session)
        const credential = new Authenticator(ORIGIN).create(options)
        const response = await ada.session.post('/api/account/passkeys', {
          attempt,
          name: 'x',
          credential: { ...credential, response: { ...credential.response, [field]: value } },
        })
        expect(response.status, `${field} ${value.slice(0, 9)}: ${response.text}`).toBe(409)
      }
    }
  })
})

describe('a passkey after the password', () => {
  async function enterPasswordFor(user: TestUser): Promise<string> {
    const response = await enterPassword(user)
    expect(response.status, response.text).toBe(202)
    expect(response.body.data.second_factor.methods).toEqual(['recovery_code', 'passkey'])
    return response.body.data.second_factor.token
  }

  it('finishes the sign-in once, also without verifying the user', async () => {
    const authenticator = await createPasskey(ada)
    const token = await enterPasswordFor(ada)
    const { options } = await beginSignIn(token)
    expect(options.allowCredentials).toMatchObject([{ id: authenticator.credentialId.toString('base64url') }])
    const lenient = { isUserVerified: false, userHandle: undefined }
    const begun = await Promise.all([beginSignIn(token), beginSignIn(token)])
    const responses = await Promise.all(
      begun.map(({ attempt, options }) => finishSignIn(attempt, authenticator.get(options, lenient))),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401])
    const success = responses.find(({ status }) => status === 200) as ClientResponse
    expect((await toClient(success).get('/api/sessions')).body.data).toContainEqual(
      expect.objectContaining({ is_current: true, is_strong: true, method: 'password' }),
    )
    expect((await server.anyone.post('/api/session/passkey/options', { token })).status).toBe(401)
  })

  it('must be one of the same account', async () => {
    const eve = await server.createUser(`eve${userCount}`)
    const eves = await createPasskey(eve)
    const adas = await createPasskey(ada)
    const token = await enterPasswordFor(ada)
    expect((await signIn(eves, {}, token)).status).toBe(401)
    expect((await signIn(eves, { userHandle: undefined }, token)).status).toBe(401)
    // Nor does a challenge for a sign-in without a password accept a passkey that has not verified the user.
    expect((await signIn(adas, { isUserVerified: false })).status).toBe(401)
    expect((await signIn(adas, {}, token)).status).toBe(200)
  })

  it('does not finish a sign-in that has ended, or whose password has changed', async () => {
    const authenticator = await createPasskey(ada)
    const token = await enterPasswordFor(ada)
    const { attempt, options } = await beginSignIn(token)
    await server.services.db.query(`update users set password_hash = 'changed' where id = $1`, [ada.id])
    expect((await finishSignIn(attempt, authenticator.get(options))).status).toBe(401)
    expect((await server.anyone.post('/api/session/passkey/options', { token: 'nonsense' })).status).toBe(401)
  })
})

describe('passkeys of an account', () => {
  it('are renamed and removed only by their owner', async () => {
    await createPasskey(ada)
    const { id } = (await ada.session.get('/api/account/security')).body.data.passkeys[0]
    const path = `/api/account/passkeys/${id}`
    const eve = await server.createUser(`eve${userCount}`)
    expect((await eve.session.call('PATCH', path, { json: { name: 'Mine' } })).status).toBe(404)
    expect((await eve.session.delete(path)).status).toBe(404)
    const renamed = await ada.session.call('PATCH', path, { json: { name: ' Work phone ' } })
    expect(renamed.body.data, renamed.text).toMatchObject({ id, name: 'Work phone' })
    expect((await ada.session.call('PATCH', path, { json: { name: '  ' } })).status).toBe(422)
    server.clock.advance({ minutes: 10 })
    expect((await ada.session.delete(path)).status).toBe(422)
    const deleted = await ada.session.delete(path, { json: { current_password: ada.password } })
    expect(deleted.body, deleted.text).toEqual({ id, object: 'passkey', deleted: true })
    expect((await ada.session.get('/api/account/security')).body.data).toMatchObject({
      passkeys: [],
      recovery_codes_left: 0,
    })
    expect((await ada.session.get('/api/sessions')).body.data).toMatchObject([{ is_strong: false }])
  })

  it('keep the last one if there is no other way to sign in', async () => {
    await createPasskey(ada)
    await createPasskey(ada)
    await server.services.db.query('update users set has_password = false where id = $1', [ada.id])
    const [first, second] = (await ada.session.get('/api/account/security')).body.data.passkeys
    expect((await ada.session.delete(`/api/account/passkeys/${first.id}`)).status).toBe(200)
    const response = await ada.session.delete(`/api/account/passkeys/${second.id}`)
    expect(response.status).toBe(409)
    expect(response.body.detail).toContain('You have no password')
  })
})

describe('without BELFRY_URL', () => {
  let localServer: TestServer
  beforeAll(async () => {
    localServer = await startTestServer()
  })
  afterAll(() => localServer.close())

  it('passkeys belong to the host of the request, and an IP address gets a clear error', async () => {
    const bob = await localServer.createUser('bob')
    const begin = (headers: Record<string, string>) =>
      bob.session.post('/api/account/passkeys/options', {}, { headers })
    const refused = await begin({})
    expect(refused.status).toBe(409)
    expect(refused.body.detail).toContain("Passkeys don't work at an IP address (127.0.0.1).")
    expect((await localServer.anyone.post('/api/session/passkey/options', {})).status).toBe(409)
    const proxied = { 'x-forwarded-host': 'belfry.example', 'x-forwarded-proto': 'https' }
    expect((await begin(proxied)).body.data.options.rp.id).toBe('belfry.example')
    const local = await begin({ 'x-forwarded-host': 'localhost:3000' })
    expect(local.body.data.options.rp.id).toBe('localhost')
    const withoutTls = await begin({ 'x-forwarded-host': 'belfry.example' })
    expect(withoutTls.body.detail).toContain('Passkeys need https.')
    // The proxy terminates TLS and doesn't say so, but the browser does.
    const headers = { 'x-forwarded-host': 'belfry.example', origin: 'https://belfry.example' }
    const { attempt, options } = (await begin(headers)).body.data
    const authenticator = new Authenticator('https://belfry.example')
    const credential = authenticator.create(options)
    const created = await bob.session.post(
      '/api/account/passkeys',
      { attempt, credential, name: 'Laptop' },
      { headers },
    )
    expect(created.status, created.text).toBe(201)
    const { email, password } = bob
    const methodsAt = async (headers: Record<string, string>) =>
      (await localServer.anyone.post('/api/session', { email, password }, { headers })).body.data.second_factor.methods
    expect(await methodsAt(headers)).toEqual(['recovery_code', 'passkey'])
    expect(await methodsAt({})).toEqual(['recovery_code'])
  })
})
