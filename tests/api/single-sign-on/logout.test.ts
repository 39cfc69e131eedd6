/** Signing out, here and at the provider, and single sign-on as the only way to sign in. */
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  CLIENT_ID,
  type HostileProvider,
  type OidcProvider,
  RedirectBrowser,
  startHostileProvider,
  startOidcProvider,
} from '../../support/oidc-provider.ts'
import {
  findSessionUser,
  oidcEnv,
  reserveServerUrl,
  type SingleSignOnServer,
  signInThroughProvider,
  startSingleSignOnServer,
} from '../../support/single-sign-on.ts'

let provider: OidcProvider
let server: SingleSignOnServer
/** Its provider signs any token. */
let hostile: HostileProvider
let otherServer: SingleSignOnServer

beforeAll(async () => {
  const reserved = await reserveServerUrl()
  ;[provider, hostile] = await Promise.all([
    startOidcProvider(reserved.url),
    startHostileProvider(() => otherServer.runningClock.now()),
  ])
  const only = { BELFRY_OIDC_CREATE_USERS: 'on', BELFRY_OIDC_ONLY: 'on' }
  server = await startSingleSignOnServer(reserved, { ...oidcEnv(provider.issuer), ...only })
  otherServer = await startSingleSignOnServer(await reserveServerUrl(), {
    ...oidcEnv(hostile.issuer),
    BELFRY_OIDC_CREATE_USERS: 'on',
  })
  for (const each of [server, otherServer]) await each.createUser('root', { isAdmin: true })
})
afterAll(() => Promise.all([server.close(), otherServer.close(), provider.close(), hostile.close()]))

describe('signing out here', () => {
  it('leads to the page on which the provider signs out, too, and which leads back', async () => {
    provider.account = { sub: 'ada', email: 'ada@example.com', email_verified: true }
    const { browser, token } = await signInThroughProvider(server)
    const { body } = await server.anyone.as({ cookie: token ?? '' }).delete('/api/session')
    expect(body.data.signed_out).toBe(true)
    expect(await findSessionUser(server, token)).toBeUndefined()
    const question = await browser.open(body.data.logout_url)
    const secret = /name="xsrf" value="([\w-]+)"/.exec(question.text)?.[1] ?? ''
    const confirmed = await browser.send(`${provider.issuer}/session/end/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ xsrf: secret, logout: 'yes' }),
    })
    expect(confirmed.location?.split('?')[0]).toBe(`${server.url}/sign-in`)
  })

  it('says nothing about the provider for other sessions', async () => {
    const user = await server.createUser('local')
    expect((await user.session.delete('/api/session')).body).toEqual({ data: { signed_out: true } })
  })
})

describe('signing out at the provider', () => {
  it('ends the session here, and only this one', async () => {
    provider.account = { sub: 'bob', email: 'bob@example.com', email_verified: true }
    const { browser, token } = await signInThroughProvider(server)
    const other = await signInThroughProvider(server)
    const question = await browser.open(`${provider.issuer}/session/end?client_id=${CLIENT_ID}`)
    const secret = /name="xsrf" value="([\w-]+)"/.exec(question.text)?.[1] ?? ''
    // The provider sends the logout token before it responds.
    await browser.send(`${provider.issuer}/session/end/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ xsrf: secret, logout: 'yes' }),
    })
    expect(await findSessionUser(server, token)).toBeUndefined()
    expect(await findSessionUser(server, other.token)).toMatchObject({ email: 'bob@example.com' })
  })
})

describe('a logout token', () => {
  const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
  let counter = 0
  let token: string
  let client: RedirectBrowser

  /** Signs in at the provider that signs anything. */
  beforeEach(async () => {
    hostile.reset()
    const browser = new RedirectBrowser()
    const subject = `person-${++counter}`
    hostile.claims = (claims) => ({ ...claims, sub: subject, sid: `sid-${counter}`, email: `${subject}@example.com` })
    const { location = '' } = await browser.send(`${otherServer.url}/sign-in/single-sign-on`)
    const { searchParams } = new URL(location)
    hostile.nonce = searchParams.get('nonce') ?? ''
    const state = searchParams.get('state')
    await browser.send(`${otherServer.url}/sign-in/single-sign-on/callback?code=x&state=${state}`)
    token = browser.cookie(otherServer.url, 'belfry_session') ?? ''
    client = new RedirectBrowser({ 'x-forwarded-for': `198.51.100.${counter}` })
    expect(await findSessionUser(otherServer, token)).toBeDefined()
  })

  const seconds = () => Math.floor(otherServer.runningClock.now().getTime() / 1000)

  const createClaims = (changes: JWTPayload = {}): JWTPayload => ({
    iss: hostile.issuer,
    aud: CLIENT_ID,
    iat: seconds(),
    jti: `jti-${counter}`,
    sid: `sid-${counter}`,
    events: { [EVENT]: {} },
    ...changes,
  })

  async function send(logoutToken: string): Promise<number> {
    const url = `${otherServer.url}/sign-in/single-sign-on/logout`
    const body = new URLSearchParams({ logout_token: logoutToken, something_else: '1' })
    return (await client.send(url, { method: 'POST', body })).status
  }

  const sign = (claims: JWTPayload) => hostile.signWithOwnKey(new SignJWT(claims))
  const hasEnded = async () => (await findSessionUser(otherServer, token)) === undefined

  it.each([
    ['the session at the provider', () => ({})],
    ['the person', () => ({ sid: undefined, sub: `person-${counter}` })],
    ['both', () => ({ sub: `person-${counter}` })],
  ])('ends the session if it names %s', async (_, changes) => {
    expect(await send(await sign(createClaims(changes())))).toBe(200)
    expect(await hasEnded()).toBe(true)
  })

  it.each([
    ['is for another client', { aud: 'another' }],
    ['comes from another issuer', { iss: 'https://other.example.com' }],
    ['is old', { iat: 1_700_000_000 }],
    ['comes from the future', { iat: 4_000_000_000 }],
    ['has no time', { iat: undefined }],
    ['has no id', { jti: undefined }],
    ['is about another event', { events: { 'http://example.com/event': {} } }],
    ['is about no event', { events: undefined }],
    ['is an ID token', { nonce: 'x' }],
    ['names nobody', { sid: undefined, sub: undefined }],
    ['has expired', { exp: 1_700_000_000 }],
  ])('is refused if it %s', async (_, changes) => {
    expect(await send(await sign(createClaims(changes as JWTPayload)))).toBe(400)
    expect(await hasEnded()).toBe(false)
  })

  it('is refused if another key, or no key, has signed it', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    const signed = await new SignJWT(createClaims()).setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(privateKey)
    const [, payload] = signed.split('.')
    const header = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const wrongToken of [signed, `${header}.${payload}.`, 'nonsense', 'a.b.c']) {
      expect(await send(wrongToken)).toBe(400)
    }
    expect(await hasEnded()).toBe(false)
  })

  it('works once', async () => {
    const logoutToken = await sign(createClaims({ sid: 'somebody else' }))
    expect([await send(logoutToken), await send(logoutToken)]).toEqual([200, 400])
    expect(await hasEnded()).toBe(false)
  })

  it('ends only sessions of the person whom it names', async () => {
    expect(await send(await sign(createClaims({ sub: 'somebody else' })))).toBe(200)
    expect(await hasEnded()).toBe(false)
  })

  it('is refused after many wrong ones from the same address', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 21; i++) statuses.push(await send('a.b.c'))
    expect(statuses.at(0)).toBe(400)
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('with BELFRY_OIDC_ONLY', () => {
  it('a correct password is refused, with the reason', async () => {
    const user = await server.createUser('with-password')
    const { status, body } = await server.anyone.post('/api/session', { email: user.email, password: user.password })
    expect([status, body.detail]).toEqual([
      403,
      'This server allows only single sign-on. Sign in with "Single sign-on".',
    ])
    expect((await server.anyone.post('/api/password-reset', { email: user.email })).status).toBe(202)
    expect((await server.anyone.get('/api/sign-in-methods')).body.data).toMatchObject({
      password: false,
      passkeys: false,
    })
  })

  it('nobody can remove their only way to sign in', async () => {
    const user = await server.createUser('linked')
    await server.services.db.query(
      `insert into identities (issuer, subject, user_id, created_at) values ($1, 'linked', $2, now())`,
      [provider.issuer, user.id],
    )
    expect((await user.session.delete('/api/account/identity')).status).toBe(409)
  })
})
