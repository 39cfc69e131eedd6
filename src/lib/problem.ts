import { truncate } from './text.ts'

/** Every error that a client can receive, by code. `http/errors.ts` turns them into responses. */
export const problems = {
  malformed_request: { status: 400, title: 'Malformed request' },
  unauthenticated: { status: 401, title: 'Unauthenticated' },
  password_required: { status: 401, title: 'Password required' },
  missing_scope: { status: 403, title: 'Missing scope' },
  second_factor_required: { status: 403, title: 'Second factor required' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  conflict: { status: 409, title: 'Conflict' },
  too_large: { status: 413, title: 'Too large' },
  uri_too_long: { status: 414, title: 'URI too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  expectation_failed: { status: 417, title: 'Expectation failed' },
  validation_failed: { status: 422, title: 'Validation failed' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'Headers too large' },
  internal: { status: 500, title: 'Internal error' },
  provider_delivery_failed: { status: 502, title: 'Provider delivery failed' },
  unavailable: { status: 503, title: 'Unavailable' },
} as const

export type ProblemCode = keyof typeof problems

/** Messages by field, as a 422 response returns them. */
export type FieldErrors = Record<string, string[]>

interface ProblemOptions extends ErrorOptions {
  errors?: FieldErrors
  headers?: Record<string, string>
}

export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly errors: FieldErrors | undefined
  readonly headers: Record<string, string>

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options)
    this.code = code
    this.errors = options.errors
    this.headers = options.headers ?? {}
  }
}

/** Whether the caller was refused, because of their key, their session or their role. */
export const isRefusal = ({ code }: Problem) =>
  code === 'unauthenticated' || code === 'forbidden' || code === 'second_factor_required'

/** Responses for missing resources and for other users' resources are identical, so that nobody can find out what exists. */
export function notFound(): Problem {
  return new Problem('not_found', "Not found, or you don't have access.")
}

/** Clients can send names of any length. */
const MAX_FIELD_NAME_LENGTH = 100

/** Shortens a field's name for use in a response. */
export function shortenFieldName(field: string): string {
  return field.length > MAX_FIELD_NAME_LENGTH ? `${truncate(field, MAX_FIELD_NAME_LENGTH)}…` : field
}

/** Names the field as the client sent it. `rule` continues the sentence: `must not be empty`. */
export function formatFieldError(field: string, rule: string): string {
  return `\`${shortenFieldName(field)}\` ${rule}.`
}

export function invalid(errors: FieldErrors): Problem {
  const firstMessage = Object.values(errors).flat()[0] ?? 'The request is not valid.'
  return new Problem('validation_failed', firstMessage, { errors })
}

/** Why a server that is starting or stopping refuses requests. These states are expected. */
export const STARTING_DETAIL = 'The server is starting.'
export const STOPPING_DETAIL = 'The server is stopping.'

export function unavailable(detail: string, cause?: unknown): Problem {
  return new Problem('unavailable', detail, { cause, headers: { 'retry-after': '5' } })
}

export function rateLimited(detail: string, retryAfterSeconds: number): Problem {
  return new Problem('rate_limited', detail, { headers: { 'retry-after': String(retryAfterSeconds) } })
}
