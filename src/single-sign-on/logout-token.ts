/** Verifies the token with which a provider says that somebody has signed out there (OpenID Connect Back-Channel Logout 1.0). */
import type * as Jose from 'jose'
import type { Clock } from '../lib/clock.ts'
import { CLOCK_TOLERANCE_SECONDS, type Provider } from './provider.ts'
import { toProviderError } from './provider-error.ts'

/** Older tokens are refused, so their ids need not be remembered longer. */
export const MAX_LOGOUT_TOKEN_AGE_SECONDS = 600
export const MAX_LOGOUT_TOKEN_LENGTH = 16_000

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Only signatures that need the provider's private key. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const KEYS_LIFETIME_MS = 600_000

export interface LogoutNotice {
  subject: string | undefined
  providerSession: string | undefined
  tokenId: string
}

export class LogoutTokenVerifier {
  readonly #provider: Provider
  readonly #clock: Clock
  #keys: Jose.JWTVerifyGetKey | undefined

  constructor(provider: Provider, clock: Clock) {
    this.#provider = provider
    this.#clock = clock
  }

  /**
   * Returns undefined unless the provider has signed the token for Belfry within the last ten minutes. Throws a ProviderError if the provider
   * is down.
   */
  async verify(token: string, { clientId }: { clientId: string }): Promise<LogoutNotice | undefined> {
    const [jose, { issuer, jwks_uri: keysUrl }] = await Promise.all([import('jose'), this.#provider.findMetadata()])
    this.#keys ??= this.#openKeys(jose, keysUrl as string)
    try {
      const { payload } = await jose.jwtVerify(token, this.#keys, {
        algorithms,
        issuer,
        audience: clientId,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: this.#clock.now(),
        maxTokenAge: MAX_LOGOUT_TOKEN_AGE_SECONDS,
        requiredClaims: ['jti', 'events'],
      })
      return readNotice(payload)
    } catch (error) {
      if (error instanceof jose.errors.JOSEError) return undefined
      throw toProviderError(error)
    }
  }

  /** A token with an unknown key makes jose fetch the keys again, so a new key works immediately. */
  #openKeys({ createRemoteJWKSet, customFetch }: typeof Jose, keysUrl: string): Jose.JWTVerifyGetKey {
    const fetchKeys: Jose.FetchImplementation = (url, options) => this.#provider.fetch(url, options)
    return createRemoteJWKSet(new URL(keysUrl), {
      cooldownDuration: 0,
      cacheMaxAge: KEYS_LIFETIME_MS,
      [customFetch]: fetchKeys,
    })
  }
}

/** An ID token has no `events`, and a logout token no `nonce`, so neither can stand in for the other. */
function readNotice({ events, nonce, sub, sid, jti }: Jose.JWTPayload): LogoutNotice | undefined {
  const event = (events as Record<string, unknown> | null)?.[EVENT]
  const isLogout = typeof event === 'object' && event !== null && nonce === undefined && typeof jti === 'string'
  const subject = typeof sub === 'string' ? sub : undefined
  const providerSession = typeof sid === 'string' ? sid : undefined
  if (!isLogout || (subject === undefined && providerSession === undefined)) return undefined
  return { subject, providerSession, tokenId: jti }
}
