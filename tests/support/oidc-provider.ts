/** A real OpenID Connect provider on loopback, a small one that sends wrong things, and a browser that signs in at either. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'

export const CLIENT_ID = 'belfry'
export const CLIENT_SECRET = 'a client secret that is only good for tests'

export type TestClaims = { sub: string } & Record<string, unknown>

export interface OidcProvider {
  issuer: string
  /** Who is signed in next. */
  account: TestClaims
  /** Whether the ID token contains the email, or only the userinfo endpoint. */
  putsClaimsIntoIdToken: boolean
  /** Replaces the keys and forgets all sessions, as after a restart with new keys. */
  rotateKeys(): Promise<void>
  /** The paths of all requests. */
  requests: string[]
  close(): Promise<void>
}

async function listen(handle: RequestListener): Promise<{ server: Server; address: string }> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}

async function createKey(kid: string): Promise<{ jwk: JWK; privateKey: CryptoKey }> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }, privateKey }
}

/** `belfryUrl` is the public URL of the server that people sign in to. */
export async function startOidcProvider(belfryUrl: string): Promise<OidcProvider> {
  let provider: Provider
  let keyCount = 0
  const { server, address: issuer } = await listen((request, response) => {
    result.requests.push(request.url?.split('?', 1)[0] ?? '')
    if (request.url?.startsWith('/interaction/')) void finishInteraction(request, response)
    else void provider.callback()(request, response)
  })

  /** Signs the current account in, and grants what Belfry asks for. */
  async function finishInteraction(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params, prompt, grantId } = await provider.interactionDetails(request, response)
    if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId: result.account.sub } })
      return
    }
    const grant =
      (grantId && (await provider.Grant.find(grantId))) ||
      new provider.Grant({ accountId: result.account.sub, clientId: CLIENT_ID })
    grant.addOIDCScope(String(params['scope']))
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  }

  async function createProvider(): Promise<Provider> {
    const configuration: Configuration = {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: [`${belfryUrl}/sign-in/single-sign-on/callback`],
          post_logout_redirect_uris: [`${belfryUrl}/sign-in`],
          backchannel_logout_uri: `${belfryUrl}/sign-in/single-sign-on/logout`,
          backchannel_logout_session_required: true,
        },
      ],
      jwks: { keys: [(await createKey(`key-${++keyCount}`)).jwk as never] },
      cookies: { keys: ['a key that is only good for tests'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups', 'realm_access'] },
      conformIdTokenClaims: !result.putsClaimsIntoIdToken,
      // Without these times, the provider prints a notice for each of them.
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      // Without the dispatcher, which refuses to connect to loopback.
      fetch: (url, options = {}) => {
        const { dispatcher: _, ...otherOptions } = options as RequestInit & { dispatcher?: unknown }
        return fetch(url, otherOptions)
      },
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: {
          enabled: true,
          // Signs out without asking.
          logoutSource: (context, form) => {
            context.body = `${form}<script>document.forms[0].submit()</script>`
          },
        },
      },
      pkce: { required: () => true },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ ...result.account, sub }) }),
    }
    return new Provider(issuer, configuration)
  }

  const result: OidcProvider = {
    issuer,
    account: { sub: 'nobody' },
    putsClaimsIntoIdToken: false,
    requests: [],
    async rotateKeys() {
      provider = await createProvider()
    },
    close: () => closeServer(server),
  }
  provider = await createProvider()
  return result
}

export interface HostileProvider {
  issuer: string
  /** Changes the claims of the next ID token. */
  claims: (claims: Record<string, unknown>) => Record<string, unknown>
  /** Changes the finished token. */
  tamper: (token: string) => string
  /** Replaces the header and the signature. */
  sign: (token: SignJWT) => Promise<string>
  /** Replaces the response of the token endpoint. */
  tokenResponse: ((response: ServerResponse) => void) | undefined
  /** Never sends a response. */
  isStuck: boolean
  /** The nonce of the sign-in that has begun last. */
  nonce: string
  signWithOwnKey(token: SignJWT): Promise<string>
  reset(): void
  close(): Promise<void>
}

/** A provider that sends whatever a test wants. It needs no sign-in: tests call the callback themselves. */
export async function startHostileProvider(now: () => Date): Promise<HostileProvider> {
  const { jwk, privateKey } = await createKey('own')
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicKey } = jwk
  const { server, address: issuer } = await listen((request, response) => void handle(request, response))
  const sendJson = (response: ServerResponse, body: unknown, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  async function handle({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (result.isStuck) return
    if (url.startsWith('/.well-known/openid-configuration')) {
      return sendJson(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        // It would accept everything, so only Belfry's own rules protect Belfry.
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      })
    }
    if (url === '/keys') return sendJson(response, { keys: [publicKey] })
    if (url !== '/token') return sendJson(response, {}, 404)
    if (result.tokenResponse !== undefined) return result.tokenResponse(response)
    const seconds = Math.floor(now().getTime() / 1000)
    const claims = result.claims({
      iss: issuer,
      aud: CLIENT_ID,
      sub: 'hostile',
      nonce: result.nonce,
      iat: seconds,
      exp: seconds + 300,
      email: 'hostile@example.com',
      email_verified: true,
    })
    const token = await result.sign(new SignJWT(claims))
    sendJson(response, { access_token: 'access', token_type: 'Bearer', id_token: result.tamper(token) })
  }

  const signWithOwnKey = (token: SignJWT) => token.setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(privateKey)
  const honest = () => ({
    claims: (claims: Record<string, unknown>) => claims,
    tamper: (token: string) => token,
    sign: signWithOwnKey,
    tokenResponse: undefined,
    isStuck: false,
  })
  const result: HostileProvider = {
    ...honest(),
    issuer,
    nonce: '',
    signWithOwnKey,
    reset: () => void Object.assign(result, honest()),
    close: () => closeServer(server),
  }
  return result
}

export interface BrowserResponse {
  url: string
  status: number
  text: string
  location: string | undefined
}

/** Follows redirects and keeps cookies, as a browser does. */
export class RedirectBrowser {
  /** Cookies by host and name. */
  readonly #cookies = new Map<string, Map<string, string>>()
  readonly headers: Record<string, string>

  constructor(headers: Record<string, string> = {}) {
    this.headers = headers
  }

  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).host)?.get(name)
  }

  setCookie(url: string, name: string, value: string): void {
    const { host } = new URL(url)
    const cookies = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, cookies.set(name, value))
  }

  /** Stops before a URL that `stopsAt` matches, and returns that URL as `location`. */
  async open(start: string, { stopsAt }: { stopsAt?: RegExp } = {}): Promise<BrowserResponse> {
    let url = start
    for (let redirects = 0; redirects < 20; redirects++) {
      const response = await this.send(url)
      if (response.location === undefined || stopsAt?.test(response.location) === true) return response
      url = response.location
    }
    throw new Error(`too many redirects from ${start}`)
  }

  async send(url: string, init: RequestInit = {}): Promise<BrowserResponse> {
    const cookies = [...(this.#cookies.get(new URL(url).host) ?? [])].map(([name, value]) => `${name}=${value}`)
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: cookies.join('; '), ...this.headers, ...(init.headers as object) },
    })
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      this.setCookie(url, name, value)
    }
    const location = response.headers.get('location')
    return {
      url,
      status: response.status,
      text: await response.text(),
      location: location === null ? undefined : new URL(location, url).href,
    }
  }
}
