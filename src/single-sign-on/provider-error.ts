/** Why single sign-on failed, in words for the person who signs in or for the admin who tests the settings. */
import type { ClientError } from 'openid-client'
import { toVisibleLine } from '../lib/text.ts'
import { findNetworkFault } from '../outgoing/network-fault.ts'

export type ProviderErrorKind =
  /** The provider can't be reached. `detail` says why. */
  | 'unreachable'
  /** The address is not that of a provider. */
  | 'no provider'
  /** The provider names another issuer than the settings. `detail` is the issuer that it names. */
  | 'other issuer'
  /** The provider knows no such client, or the secret is wrong. */
  | 'client refused'
  /** The person or the provider has cancelled the sign-in. */
  | 'denied'
  /** The code was used before, or has expired. */
  | 'stale'
  /** The token has expired or is not valid yet, so the clocks probably differ. */
  | 'clock'
  /** The token has no valid signature of the provider. */
  | 'signature'
  /** What the provider sent is not acceptable for another reason. */
  | 'invalid'

const MAX_DETAIL_LENGTH = 200

export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly kind: ProviderErrorKind
  readonly detail: string

  constructor(kind: ProviderErrorKind, detail = '', options: ErrorOptions = {}) {
    super(`single sign-on failed: ${kind}`, options)
    this.kind = kind
    this.detail = toVisibleLine(detail, MAX_DETAIL_LENGTH)
  }

  get sentence(): string {
    return sentences[this.kind](this.detail)
  }
}

const withDetail = (text: string, detail: string) => (detail === '' ? `${text}.` : `${text}: ${detail}.`)

const sentences: Record<ProviderErrorKind, (detail: string) => string> = {
  unreachable: (detail) => withDetail("The identity provider can't be reached", detail),
  'no provider': (detail) => withDetail('There is no identity provider at this address', detail),
  'other issuer': (detail) => `The identity provider calls itself ${detail}. Enter exactly that as the issuer.`,
  'client refused': () => "The identity provider doesn't accept Belfry's client ID or secret.",
  denied: (detail) => withDetail('The identity provider did not sign you in', detail),
  stale: () => 'This sign-in has expired or was already used.',
  clock: () =>
    "The identity provider's response is not valid at this time. Its clock and the server's clock may differ.",
  signature: () => "The response doesn't have a valid signature of the identity provider.",
  invalid: (detail) => withDetail("Belfry can't accept the response of the identity provider", detail),
}

/** `issuer` is given while Belfry looks for the provider. */
export function toProviderError(error: unknown, issuer?: string): unknown {
  if (error instanceof ProviderError || !(error instanceof Error)) return error
  const fault = findNetworkFault(error)
  if (fault !== undefined) return new ProviderError('unreachable', fault.description, { cause: error })
  const { name } = error
  if (name === 'AuthorizationResponseError') {
    const { error: code, error_description: description } = error as Error & Record<string, string | undefined>
    return new ProviderError('denied', [code, description].filter(Boolean).join(', '), { cause: error })
  }
  if (name === 'ResponseBodyError') return fromTokenResponse(error)
  if (name === 'WWWAuthenticateChallengeError') return new ProviderError('client refused', '', { cause: error })
  // openid-client throws a TypeError for arguments that come from the provider's description of itself, too.
  if (name === 'ClientError' || name === 'TypeError') return fromLibrary(error as ClientError, issuer)
  return error
}

function fromTokenResponse(error: Error): ProviderError {
  const { error: code = '', error_description: description = '' } = error as Error & Record<string, string | undefined>
  if (code === 'invalid_grant') return new ProviderError('stale', '', { cause: error })
  const isClient = code === 'invalid_client' || code === 'unauthorized_client'
  if (isClient) return new ProviderError('client refused', '', { cause: error })
  return new ProviderError('invalid', [code, description].filter(Boolean).join(', '), { cause: error })
}

function fromLibrary(error: ClientError, issuer: string | undefined): ProviderError {
  const cause = error.cause instanceof Error ? error.cause : undefined
  const { claim, expected } = (cause?.cause ?? {}) as Record<string, unknown>
  const options = { cause: error }
  switch (error.code) {
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return new ProviderError('clock', '', options)
    case 'OAUTH_KEY_SELECTION_FAILED':
      return new ProviderError('signature', '', options)
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return new ProviderError('invalid', `the claim ${String(claim)} is wrong`, options)
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      if (issuer !== undefined) return new ProviderError('other issuer', findStatedIssuer(error.cause), options)
      return new ProviderError('invalid', `not for ${String(expected)}`, options)
  }
  if (cause?.message.includes('signature') === true) return new ProviderError('signature', '', options)
  if (issuer !== undefined) return new ProviderError('no provider', '', options)
  return new ProviderError('invalid', cause?.message ?? error.message, options)
}

function findStatedIssuer(cause: unknown): string {
  const { body } = (cause ?? {}) as { body?: { issuer?: unknown } }
  return String(body?.issuer ?? 'something else')
}
