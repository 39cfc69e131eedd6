/** Admins set up single sign-on through the API, without the environment. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type OidcProvider,
  RedirectBrowser,
  startOidcProvider,
} from '../../support/oidc-provider.ts'
import { startTestServer, type TestUser } from '../../support/server.ts'
import {
  findSessionUser,
  oidcEnv,
  reserveServerUrl,
  type SingleSignOnServer,
  signInThroughProvider,
  startSingleSignOnServer,
} from '../../support/single-sign-on.ts'

const path = '/api/server/settings/single-sign-on'

let provider: OidcProvider
let server: SingleSignOnServer
let admin: TestUser
/** Nothing listens there. */
let deadUrl: string

beforeAll(async () => {
  const reserved = await reserveServerUrl()
  provider = await startOidcProvider(reserved.url)
  server = await startSingleSignOnServer(reserved, {})
  admin = await server.createUser('admin', { isAdmin: true })
  deadUrl = (await reserveServerUrl()).url
})
afterAll(() => Promise.all([server.close(), provider.close()]))

const input = () => ({ issuer: provider.issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET })
const getSettings = async () => (await admin.session.get('/api/server/settings')).body.data.single_sign_on

describe('without settings', () => {
  it('there is no single sign-on', async () => {
    expect((await server.anyone.get('/api/sign-in-methods')).body.data).toEqual({
      password: true,
      passkeys: true,
      single_sign_on: null,
    })
    expect((await admin.session.post('/api/account/identity')).status).toBe(409)
    const page = await new RedirectBrowser().send(`${server.url}/sign-in/single-sign-on`)
    expect([page.status, page.text]).toEqual([404, expect.stringContaining('not set up')])
    expect((await admin.session.post(`${path}/test`)).status).toBe(409)
  })

  it('the redirect address can be copied already', async () => {
    expect(await getSettings()).toMatchObject({
      source: null,
      redirect_url: `${server.url}/sign-in/single-sign-on/callback`,
      has_client_secret: false,
    })
  })
})

describe('the test', () => {
  it('finds the provider, and that it accepts the client', async () => {
    const { body } = await admin.session.post(`${path}/test`, input())
    expect(body.data).toEqual({
      redirect_url: `${server.url}/sign-in/single-sign-on/callback`,
      problem: null,
      issuer: provider.issuer,
      client: 'accepted',
      signs_out: true,
      ends_sessions: true,
    })
  })

  it.each([
    ['the secret is wrong', () => ({ client_secret: 'wrong' }), /doesn't accept Belfry's client ID or secret/],
    ['the client is unknown', () => ({ client_id: 'unknown' }), /doesn't accept Belfry's client ID or secret/],
    ['nothing listens there', () => ({ issuer: deadUrl }), /can't be reached: connection refused/],
    ['no provider is there', () => ({ issuer: server.url }), /no identity provider at this address/],
    [
      'the provider calls itself otherwise',
      () => ({ issuer: provider.issuer.replace('127.0.0.1', 'localhost') }),
      /calls itself http:\/\/127\.0\.0\.1:\d+\. Enter exactly that/,
    ],
    ['it is a cloud metadata service', () => ({ issuer: 'https://169.254.169.254' }), /cloud metadata service/],
  ])('says so if %s', async (_, change, problem) => {
    const { status, body } = await admin.session.post(`${path}/test`, { ...input(), ...change() })
    expect(status).toBe(200)
    expect(body.data.problem).toMatch(problem)
  })
})

describe('the settings', () => {
  it.each([
    [{ issuer: 'id.example.com' }, 'issuer'],
    [{ issuer: 'http://id.example.com' }, 'issuer'],
    [{ issuer: 'https://id.example.com/.well-known/openid-configuration' }, 'issuer'],
    [{ client_secret: '' }, 'client_secret'],
    [{ scopes: 'email' }, 'scopes'],
    [{ label: '' }, 'label'],
    [{ role_claim: 'groups' }, 'role_map'],
    [{ role_map: 'a=1:admin' }, 'role_map'],
    [{ role_claim: 'groups', role_map: 'a=1:king' }, 'role_map'],
  ])('must be valid: %o', async (change, field) => {
    const { status, body } = await admin.session.put(path, { ...input(), ...change })
    expect(status).toBe(422)
    expect(Object.keys(body.errors)).toEqual([field])
  })

  it('need the password of an admin who signed in more than ten minutes ago', async () => {
    const other = await server.createUser('other-admin', { isAdmin: true })
    await server.services.db.query(
      `update sessions set created_at = created_at - interval '1 hour' where user_id = $1`,
      [other.id],
    )
    const save = (proof: object) => other.session.put(path, { ...input(), client_secret: 'wrong-secret', ...proof })
    expect((await save({})).body.errors).toEqual({ current_password: ['`current_password` is required.'] })
    expect((await save({ current_password: 'wrong' })).body.errors).toHaveProperty('current_password')
    expect((await save({ current_password: other.password })).status).toBe(502)
    expect((await getSettings()).source).toBeNull()
  })

  it('are not saved if the provider rejects the client', async () => {
    const { status, body, text } = await admin.session.put(path, { ...input(), client_secret: 'wrong-secret' })
    expect([status, body.detail]).toEqual([502, "The identity provider doesn't accept Belfry's client ID or secret."])
    expect(text).not.toContain('wrong-secret')
    expect((await getSettings()).source).toBeNull()
  })

  it('cannot make single sign-on the only way before the admin has tried it', async () => {
    expect((await admin.session.put(path, { ...input(), only: true })).status).toBe(409)
    expect((await getSettings()).source).toBeNull()
  })

  it('apply immediately, and show no secret', async () => {
    const details = { label: 'Example', role_claim: 'groups', role_map: 'staff=1:viewer', create_users: true }
    const { status, body, text } = await admin.session.put(path, { ...input(), ...details })
    expect(status).toBe(200)
    expect(body.data.single_sign_on).toEqual({
      source: 'page',
      redirect_url: `${server.url}/sign-in/single-sign-on/callback`,
      issuer: provider.issuer,
      client_id: CLIENT_ID,
      has_client_secret: true,
      scopes: 'openid email profile',
      label: 'Example',
      role_claim: 'groups',
      role_map: 'staff=1:viewer',
      create_users: true,
      only: false,
    })
    expect(text).not.toContain(CLIENT_SECRET)
    const [row] = await server.services.db.query(`select value from server_settings where name = 'single_sign_on'`)
    expect(String(row?.['value'])).not.toContain(CLIENT_SECRET)
    provider.account = { sub: 'ada', email: 'ada@example.com', email_verified: true }
    const { token } = await signInThroughProvider(server)
    expect(await findSessionUser(server, token)).toMatchObject({ email: 'ada@example.com' })
  })

  it('keep the secret only for the same client of the same provider', async () => {
    const { client_secret: _, ...withoutSecret } = input()
    expect((await admin.session.put(path, withoutSecret)).status).toBe(200)
    expect((await admin.session.post(`${path}/test`)).body.data.client).toBe('accepted')
    for (const change of [{ client_id: 'other' }, { issuer: 'https://id.example.com' }]) {
      const { status, body } = await admin.session.put(path, { ...withoutSecret, ...change })
      expect([status, Object.keys(body.errors)]).toEqual([422, ['client_secret']])
    }
  })

  it('without new accounts, tell nobody whether an address has an account', async () => {
    const texts: string[] = []
    for (const email of ['admin@example.com', 'nobody@example.com']) {
      provider.account = { sub: email, email, email_verified: true }
      await provider.rotateKeys()
      const { token, response } = await signInThroughProvider(server)
      expect([token, response.status]).toEqual([undefined, 403])
      texts.push(response.text)
    }
    expect(texts[0]).toContain('No Belfry account is linked')
    expect(texts[0]).toBe(texts[1])
  })

  it('can make single sign-on the only way after the admin has linked their account', async () => {
    await server.services.db.query(
      `insert into identities (issuer, subject, user_id, created_at) values ($1, 'admin', $2, now())`,
      [provider.issuer, admin.id],
    )
    const { body } = await admin.session.put(path, { ...input(), only: true })
    expect(body.data.single_sign_on.only).toBe(true)
    const signIn = await server.anyone.post('/api/session', { email: admin.email, password: admin.password })
    expect(signIn.status).toBe(403)
  })

  it('can be deleted', async () => {
    expect((await admin.session.delete(path)).body).toEqual({ object: 'single_sign_on', deleted: true })
    expect((await getSettings()).source).toBeNull()
    const signIn = await server.anyone.post('/api/session', { email: admin.email, password: admin.password })
    expect(signIn.status).toBe(200)
  })
})

describe('settings of the environment', () => {
  it('cannot be changed through the API, and need the public URL', async () => {
    const other = await startTestServer({ env: oidcEnv('https://127.0.0.1:9') })
    const otherAdmin = await other.createUser('admin', { isAdmin: true })
    const { status, body } = await otherAdmin.session.put(path, input())
    expect([status, body.detail]).toEqual([409, expect.stringContaining('BELFRY_OIDC_ISSUER in the environment')])
    const { body: settings } = await otherAdmin.session.get('/api/server/settings')
    expect(settings.data.single_sign_on).toMatchObject({ source: 'environment', redirect_url: null })
    const page = await other.anyone.get('/sign-in/single-sign-on', { headers: { accept: 'text/html' } })
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('BELFRY_URL')])
    await other.close()
  })

  it('lead to a page that says so while the provider is down', async () => {
    const reserved = await reserveServerUrl()
    const other = await startSingleSignOnServer(reserved, oidcEnv(deadUrl))
    const page = await new RedirectBrowser().send(`${reserved.url}/sign-in/single-sign-on`)
    expect([page.status, page.text]).toEqual([502, expect.stringContaining('reached: connection refused')])
    const user = await other.createUser('ada')
    const link = await user.session.post('/api/account/identity')
    expect([link.status, link.body.detail]).toEqual([
      502,
      "The identity provider can't be reached: connection refused.",
    ])
    await other.close()
  })
})
