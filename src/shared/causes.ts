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
  'slow',
  'json',
  'tcp',
  'certificate',
  'domain',
  'heartbeat_missed',
  'heartbeat_failed',
  'silence',
] as const

export type Cause = (typeof causes)[number]
