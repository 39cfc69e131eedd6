/** Why a check failed. */
export const causes = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'http_status',
  'keyword',
  'redirect',
  'ping',
  'blocked',
  'body',
] as const

export type Cause = (typeof causes)[number]
