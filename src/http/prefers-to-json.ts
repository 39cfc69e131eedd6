import Negotiator from 'negotiator'

/** Real clients send far shorter Accept headers. Evaluating one of 16 KB takes 3 ms. */
const MAX_ACCEPT_LENGTH = 1_000

/** Whether the Accept header prefers this type to JSON. Clients that accept anything get JSON. */
export function prefersToJson(accept: string | undefined, type: 'text/csv' | 'text/html'): boolean {
  if (accept === undefined || accept.length > MAX_ACCEPT_LENGTH) return false
  const preferredType = new Negotiator({ headers: { accept } }).mediaType([
    'application/json',
    type,
    // An Accept header with a charset matches only types with that charset, so the list has both forms.
    'application/json; charset=utf-8',
    `${type}; charset=utf-8`,
  ])
  return preferredType?.startsWith(type) ?? false
}
