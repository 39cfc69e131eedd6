/** What a provider, or somebody between it and Belfry, sends wrongly signs nobody in. */
import { exportSPKI, generateKeyPair, importJWK, type SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type HostileProvider, RedirectBrowser, startHostileProvider } from '../../support/oidc-provider.ts'
import {
  findSessionUser,
  oidcEnv,
  reserveServerUrl,
  type SingleSignOnServer,
  startSingleSignOnServer,
} from '../../support/single-sign-on.ts'

let provider: HostileProvider
let server: SingleSignOnServer

beforeAll(async () => {
  provider = await startHostileProvider(() => new Date())
  const env = { ...oidcEnv(provider.issuer), BELFRY_OIDC_CREATE_USERS: 'on' }
  server = await startSingleSignOnServer(await reserveServerUrl(), env)
  await server.createUser('root', { isAdmin: true })
})
afterAll(() => Promise.all([server.close(), provider.close()]))
afterEach(() => {
  provider.reset()
  server.runningClock.offsetSeconds = 0
})

const callbackPath = '/sign-in/single-sign-on/callback'

async function begin(browser = new RedirectBrowser()) {
  const { location = '' } = await browser.send(`${server.url}/sign-in/single-sign-on`)
  const parameters = new URL(location).searchParams
  provider.nonce = parameters.get('nonce') ?? ''
  return { browser, state: parameters.get('state') ?? '', parameters }
}

async function finish({ browser, state }: { browser: RedirectBrowser; state: string }, search = '') {
  return browser.send(`${server.url}${callbackPath}?code=some-code&state=${state}${search}`)
}

const hasSession = ({ browser }: { browser: RedirectBrowser }) =>
  findSessionUser(server, browser.cookie(server.url, 'belfry_session'))

async function expectRefusal(status: number, text: string | RegExp) {
  const begun = await begin()
  const response = await finish(begun)
  expect(response.text.replace(/.*<main>/s, '')).toMatch(text)
  expect(response.status).toBe(status)
  expect(await hasSession(begun)).toBeUndefined()
}

it('an honest response signs in', async () => {
  const begun = await begin()
  expect(begun.parameters.get('code_challenge_method')).toBe('S256')
  expect((await finish(begun)).location).toBe(`${server.url}/`)
  expect(await hasSession(begun)).toMatchObject({ email: 'hostile@example.com' })
})

describe('a token is refused if', () => {
  it.each([
    ['it is for another client', { aud: 'another-client' }, /the claim aud is wrong/],
    [
      'it is for several clients, and was issued to another one',
      { aud: ['belfry', 'x'], azp: 'x' },
      /the claim azp is wrong/,
    ],
    ['it comes from another issuer', { iss: 'https://other.example.com' }, /the claim iss is wrong/],
    ['it has the nonce of another sign-in', { nonce: 'another nonce' }, /the claim nonce is wrong/],
    ['it has no nonce', { nonce: undefined }, /nonce/],
    ['it has no subject', { sub: undefined }, /sub/],
    ['it never expires', { exp: undefined }, /exp/],
  ])('%s', async (_, changes, text) => {
    provider.claims = (claims) => ({ ...claims, ...changes })
    await expectRefusal(502, text)
  })

  it('its content was changed after it was signed', async () => {
    provider.tamper = (token) => {
      const [header, payload = '', signature] = token.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody else' })).toString('base64url')
      return [header, changed, signature].join('.')
    }
    await expectRefusal(502, /valid signature/)
  })

  it('another key has signed it', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    for (const kid of ['own', 'unknown']) {
      provider.sign = (token: SignJWT) => token.setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)
      await expectRefusal(502, /valid signature/)
    }
  })

  it('it has no signature', async () => {
    provider.tamper = (token) => {
      const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
      return `${header}.${token.split('.')[1]}.`
    }
    await expectRefusal(502, /Belfry can/)
  })

  it('it is signed with the public key as if that were a shared secret', async () => {
    const { keys } = (await (await fetch(`${provider.issuer}/keys`)).json()) as { keys: [object] }
    const publicKey = await exportSPKI((await importJWK(keys[0] as never, 'RS256')) as CryptoKey)
    provider.sign = (token: SignJWT) =>
      token.setProtectedHeader({ alg: 'HS256', kid: 'own' }).sign(new TextEncoder().encode(publicKey))
    await expectRefusal(502, /Belfry can/)
  })
})

it('a look-alike address that PostgreSQL lowercases to that of somebody else is not linked to their account', async () => {
  const user = await server.createUser('mike')
  await server.services.db.query('update users set email_confirmed_at = now() where id = $1', [user.id])
  const email = 'mi\u212ae@example.com'
  provider.claims = (claims) => ({ ...claims, sub: 'mi\u212ae', email })
  await expectRefusal(403, /An account with your email address exists/)
})

describe('the clocks of the provider and of Belfry', () => {
  it('may differ by less than a minute', async () => {
    for (const offset of [-50, 50]) {
      server.runningClock.offsetSeconds = offset
      const begun = await begin()
      expect((await finish(begun)).status).toBe(302)
      expect(await hasSession(begun)).toBeDefined()
    }
  })

  it('must not differ by more', async () => {
    // The token is valid for five minutes.
    for (const offset of [-120, 420]) {
      server.runningClock.offsetSeconds = offset
      await expectRefusal(502, /clock/)
    }
  })
})

describe('a callback', () => {
  it('works once', async () => {
    const begun = await begin()
    expect((await finish(begun)).status).toBe(302)
    const replayed = await finish(begun)
    expect([replayed.status, replayed.text]).toEqual([400, expect.stringContaining('was already used')])
  })

  it('works once if it arrives several times at the same moment', async () => {
    const begun = await begin()
    const responses = await Promise.all([1, 2, 3, 4].map(() => finish(begun)))
    expect(responses.filter(({ status }) => status === 302)).toHaveLength(1)
  })

  it('does nothing in another browser, and still works in the right one', async () => {
    const begun = await begin()
    const other = await begin()
    provider.nonce = begun.parameters.get('nonce') ?? ''
    for (const browser of [other.browser, new RedirectBrowser()]) {
      const response = await finish({ browser, state: begun.state })
      expect([response.status, response.text]).toEqual([400, expect.stringContaining('began in another browser')])
      expect(await hasSession({ browser })).toBeUndefined()
    }
    expect((await finish(begun)).status).toBe(302)
  })

  it('needs a state', async () => {
    const { browser } = await begin()
    for (const state of ['', 'made-up']) expect((await finish({ browser, state })).status).toBe(400)
    expect((await browser.send(`${server.url}${callbackPath}`)).status).toBe(400)
  })

  it('must come in time', async () => {
    const begun = await begin()
    server.runningClock.offsetSeconds = 601
    expect((await finish(begun)).status).toBe(400)
  })

  it('is refused if it names another issuer', async () => {
    const response = await finish(await begin(), '&iss=https%3A%2F%2Fother.example.com')
    expect(response.status).toBe(502)
  })

  it('shows why the provider has refused, without its markup', async () => {
    const { browser, state } = await begin()
    const query = `error=access_denied&error_description=%3Cb%3ENot%20allowed&state=${state}`
    const response = await browser.send(`${server.url}${callbackPath}?${query}`)
    expect(response.status).toBe(403)
    expect(response.text).toContain('access_denied, &lt;b&gt;Not allowed')
  })
})

describe('the code', () => {
  it('is refused by the provider if it was used before', async () => {
    provider.tokenResponse = (response) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')
    await expectRefusal(400, /was already used/)
  })

  it('can be refused together with the client', async () => {
    provider.tokenResponse = (response) =>
      response
        .writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic' })
        .end('{"error":"invalid_client"}')
    await expectRefusal(502, /client ID or secret/)
  })
})

describe('a provider that does not work', () => {
  it('leads to a page that says so if it sends nonsense', async () => {
    provider.tokenResponse = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>')
    await expectRefusal(502, /Belfry can/)
    provider.tokenResponse = (response) => response.destroy()
    await expectRefusal(502, /reached/)
  })

  it('leads to a page and not to a hanging request if it does not respond', async () => {
    const begun = await begin()
    provider.isStuck = true
    const response = await finish(begun)
    expect([response.status, response.text]).toEqual([502, expect.stringContaining('reached: timed out')])
  })
})

describe('the page to return to', () => {
  it.each([
    ['/monitors/7?tab=checks', '/monitors/7?tab=checks'],
    ['https://evil.example.com/', '/'],
    ['//evil.example.com/', '/'],
    ['/\\evil.example.com', '/'],
    ['/\t/evil.example.com', '/'],
    ['monitors', '/'],
    ['/..//evil.example.com', '/'],
    ['/sign-in/single-sign-on', '/'],
    ['/api/session', '/'],
    ['javascript:alert(1)', '/'],
  ])('%j becomes %s', async (returnTo, path) => {
    const browser = new RedirectBrowser()
    const { location = '' } = await browser.send(
      `${server.url}/sign-in/single-sign-on?return_to=${encodeURIComponent(returnTo)}`,
    )
    const { searchParams } = new URL(location)
    provider.nonce = searchParams.get('nonce') ?? ''
    const response = await finish({ browser, state: searchParams.get('state') ?? '' })
    expect(response.location).toBe(server.url + path)
  })
})

describe('at another address of the server', () => {
  it('a sign-in begins at the public URL, where the browser will return', async () => {
    const { port } = new URL(server.url)
    const response = await new RedirectBrowser().send(`http://localhost:${port}/sign-in/single-sign-on?return_to=/keys`)
    expect(response.location).toBe(`${server.url}/sign-in/single-sign-on?return_to=%2Fkeys&moved=1`)
  })
})
