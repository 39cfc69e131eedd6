/**
 * Speaks OpenID Connect with the identity provider. openid-client verifies what the provider sends: issuer, audience, nonce, state,
 * expiry and signature. The provider's addresses come from the operator or an admin of the server, so private ones are allowed, as
 * for the mail server. Addresses of cloud metadata services are not, because no provider is there.
 */
import type * as OpenIdClient from 'openid-client'
import type { SingleSignOnConfig } from '../config/single-sign-on.ts'
import { isHttpsOrLoopback } from '../config/single-sign-on.ts'
import type { Clock } from '../lib/clock.ts'
import { Guard } from '../outgoing/guard.ts'
import { type Claims, hasClaim, mergeClaims } from './claims.ts'
import { ProviderError, toProviderError } from './provider-error.ts'

/** How far the clocks of the provider and of this server may differ. */
export const CLOCK_TOLERANCE_SECONDS = 60

const CONNECT_TIMEOUT_MS = 4_000
const REQUEST_TIMEOUT_SECONDS = 6
/** Limits all requests of one sign-in together, because a person waits for them. */
const DEADLINE_MS = 12_000
const MAX_RESPONSE_BYTES = 1_000_000
const KEEP_ALIVE_MS = 1_000
/** Providers change their endpoints rarely. Their keys are fetched for every sign-in, so a new key works immediately. */
const METADATA_LIFETIME_MS = 600_000

const guard = new Guard({ allowsAll: true, ranges: [] })

export type ClientSettings = Pick<SingleSignOnConfig, 'issuer' | 'clientId' | 'clientSecret' | 'scopes' | 'roleClaim'>

/** What proves that the response of the provider belongs to a sign-in that this browser has begun. */
export interface Proof {
  state: string
  nonce: string
  verifier: string
}

export interface ProviderIdentity {
  issuer: string
  subject: string
  /** The claims of the ID token, and those of the userinfo endpoint if the token lacks the email or the roles. */
  claims: Claims
  idToken: string
  /** The provider's id of its own session. */
  providerSession: string | undefined
}

type Metadata = OpenIdClient.ServerMetadata
type Library = typeof OpenIdClient
type CustomFetch = OpenIdClient.CustomFetch

export class Provider {
  readonly #settings: ClientSettings
  readonly #clock: Clock
  #metadata: { promise: Promise<Metadata>; expiresAt: number } | undefined
  #fetch: Promise<CustomFetch> | undefined

  constructor(settings: ClientSettings, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
  }

  /** The provider's own description of itself. Throws a ProviderError. */
  async findMetadata(): Promise<Metadata> {
    const now = this.#clock.now().getTime()
    if (this.#metadata !== undefined && now < this.#metadata.expiresAt) return this.#metadata.promise
    const promise = this.#discover()
    const entry = { promise, expiresAt: now + METADATA_LIFETIME_MS }
    this.#metadata = entry
    promise.catch(() => {
      if (this.#metadata === entry) this.#metadata = undefined
    })
    return promise
  }

  /** Returns the address at which the person signs in. */
  async startSignIn(redirectUrl: string, { state, nonce, verifier }: Proof): Promise<string> {
    return this.#run(async (library, config) => {
      const url = library.buildAuthorizationUrl(config, {
        redirect_uri: redirectUrl,
        scope: this.#settings.scopes,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return url.href
    })
  }

  /** `callbackUrl` is the redirect address with the parameters that the provider added. */
  async finishSignIn(callbackUrl: URL, { state, nonce, verifier }: Proof): Promise<ProviderIdentity> {
    return this.#run(async (library, config, { issuer, userinfo_endpoint: userInfoUrl }) => {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      const tokens = await library.authorizationCodeGrant(config, callbackUrl, checks)
      const idClaims = tokens.claims()
      if (idClaims === undefined || tokens.id_token === undefined) throw new ProviderError('invalid', 'no ID token')
      this.#requireNotFromFuture(idClaims.iat)
      const needsUserInfo = userInfoUrl !== undefined && !this.#isComplete(idClaims)
      const userInfo = needsUserInfo && (await library.fetchUserInfo(config, tokens.access_token, idClaims.sub))
      const claims = userInfo ? mergeClaims(idClaims, userInfo, this.#settings.roleClaim) : idClaims
      const { sid } = idClaims
      return {
        issuer,
        subject: idClaims.sub,
        claims,
        idToken: tokens.id_token,
        providerSession: typeof sid === 'string' ? sid : undefined,
      }
    })
  }

  /** Returns undefined if the provider has no page for signing out. */
  async buildLogoutUrl(idToken: string, returnUrl: string): Promise<string | undefined> {
    return this.#run(async (library, config, { end_session_endpoint: endpoint }) => {
      if (endpoint === undefined) return undefined
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: returnUrl }
      return library.buildEndSessionUrl(config, parameters).href
    })
  }

  /**
   * Asks the token endpoint for tokens with a code that doesn't exist. A provider that complains about the code has accepted the
   * client before.
   */
  async checkClient(redirectUrl: string): Promise<'accepted' | 'rejected' | 'unknown'> {
    try {
      await this.#run((library, config) =>
        library.genericGrantRequest(config, 'authorization_code', {
          code: 'test-by-belfry',
          redirect_uri: redirectUrl,
          code_verifier: library.randomPKCECodeVerifier(),
        }),
      )
      return 'unknown'
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      if (error.kind === 'unreachable') throw error
      return error.kind === 'stale' ? 'accepted' : error.kind === 'client refused' ? 'rejected' : 'unknown'
    }
  }

  /** Sends a request to the provider with the limits of this class. For the keys that verify logout tokens. */
  async fetch(url: string, options: { headers: Headers; signal: AbortSignal }): Promise<Response> {
    const { headers, signal } = options
    return (await this.#openFetch())(url, {
      body: undefined,
      headers: Object.fromEntries(headers),
      method: 'GET',
      redirect: 'manual',
      signal,
    })
  }

  /** The verified claims must contain the email and the roles, wherever the provider puts them. */
  #isComplete(claims: Claims): boolean {
    const { roleClaim } = this.#settings
    return hasClaim(claims, 'email') && (roleClaim === undefined || hasClaim(claims, roleClaim))
  }

  /** openid-client doesn't check this time. */
  #requireNotFromFuture(issuedAt: number): void {
    if (issuedAt > this.#clock.now().getTime() / 1000 + CLOCK_TOLERANCE_SECONDS) throw new ProviderError('clock')
  }

  async #run<T>(
    work: (library: Library, config: OpenIdClient.Configuration, metadata: Metadata) => Promise<T>,
  ): Promise<T> {
    const metadata = await this.findMetadata()
    try {
      const library = await import('openid-client')
      return await work(library, await this.#configure(library, metadata), metadata)
    } catch (error) {
      throw toProviderError(error)
    }
  }

  /** A new configuration knows no keys yet, so it fetches the current ones. */
  async #configure(library: Library, metadata: Metadata): Promise<OpenIdClient.Configuration> {
    const { clientId, clientSecret } = this.#settings
    const methods = metadata.token_endpoint_auth_methods_supported
    const needsPost = methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic')
    const clientMetadata = {
      [library.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
      // openid-client reads the time of this machine. Belfry's clock is that of the database.
      [library.clockSkew]: Math.round((this.#clock.now().getTime() - Date.now()) / 1000),
    }
    const authenticate = needsPost ? library.ClientSecretPost(clientSecret) : library.ClientSecretBasic(clientSecret)
    const config = new library.Configuration(metadata, clientId, clientMetadata, authenticate)
    // Without this, openid-client trusts a token that comes directly from the provider, even if its signature is wrong.
    library.enableNonRepudiationChecks(config)
    if (isInsecure(this.#settings.issuer)) library.allowInsecureRequests(config)
    config.timeout = REQUEST_TIMEOUT_SECONDS
    const deadline = AbortSignal.timeout(DEADLINE_MS)
    const send = await this.#openFetch()
    config[library.customFetch] = (url, options) =>
      send(url, { ...options, signal: AbortSignal.any([deadline, ...(options.signal ? [options.signal] : [])]) })
    return config
  }

  async #discover(): Promise<Metadata> {
    const { issuer, clientId } = this.#settings
    try {
      const [library, send] = await Promise.all([import('openid-client'), this.#openFetch()])
      const config = await library.discovery(new URL(issuer), clientId, undefined, library.None(), {
        timeout: REQUEST_TIMEOUT_SECONDS,
        execute: isInsecure(issuer) ? [library.allowInsecureRequests] : [],
        [library.customFetch]: send,
      })
      const metadata = config.serverMetadata()
      requireUsable(metadata, issuer)
      return metadata
    } catch (error) {
      throw toProviderError(error, issuer)
    }
  }

  /** Loads undici on first use, because it takes 10 MB of memory. */
  #openFetch(): Promise<CustomFetch> {
    this.#fetch ??= Promise.all([import('undici'), import('../outgoing/connector.ts')]).then(
      ([{ Agent, fetch }, { createConnector }]) => {
        const dispatcher = new Agent({
          connect: createConnector(guard, { timeoutMs: CONNECT_TIMEOUT_MS }),
          keepAliveTimeout: KEEP_ALIVE_MS,
          maxResponseSize: MAX_RESPONSE_BYTES,
        })
        const send: CustomFetch = async (url, options) =>
          // undici has types of its own for what is the same at run time.
          (await fetch(url, { ...options, dispatcher } as never)) as unknown as Response
        return send
      },
    )
    return this.#fetch
  }
}

const isInsecure = (issuer: string) => issuer.startsWith('http:')

const endpointNames = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
  'end_session_endpoint',
] as const

function requireUsable(metadata: Metadata, issuer: string): void {
  // For some providers, openid-client accepts other issuers, for example for all organizations that use Microsoft Entra ID.
  if (new URL(metadata.issuer).href !== new URL(issuer).href) throw new ProviderError('other issuer', metadata.issuer)
  for (const name of endpointNames) {
    const text = metadata[name]
    if (text === undefined && (name === 'userinfo_endpoint' || name === 'end_session_endpoint')) continue
    const url = typeof text === 'string' ? URL.parse(text) : null
    const isSafe = url !== null && isHttpsOrLoopback(url) && (url.protocol === 'https:' || isInsecure(issuer))
    if (!isSafe) throw new ProviderError('invalid', `its description has no secure ${name}`)
  }
}
