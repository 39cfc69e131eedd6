/** What went wrong on the way to another machine, in words for people: without addresses, which are not for strangers. */
import { RefusedAddress } from './refused-address.ts'

export interface NetworkFault {
  cause: 'dns' | 'connect' | 'tls' | 'timeout' | 'blocked'
  sentence: string
}

const noSuchHost: NetworkFault = { cause: 'dns', sentence: 'no such host' }
const unresolved: NetworkFault = { cause: 'dns', sentence: 'the host name could not be resolved right now' }
const refused: NetworkFault = { cause: 'connect', sentence: 'connection refused' }
const unreachable: NetworkFault = { cause: 'connect', sentence: 'host unreachable' }
const reset: NetworkFault = { cause: 'connect', sentence: 'connection reset' }
const closed: NetworkFault = { cause: 'connect', sentence: 'the other side closed the connection' }
const failed: NetworkFault = { cause: 'connect', sentence: 'the connection failed' }
const notHttp: NetworkFault = { cause: 'connect', sentence: 'the answer is not valid HTTP' }
const timedOut: NetworkFault = { cause: 'timeout', sentence: 'timed out' }
const neverConnected: NetworkFault = { ...timedOut }
const expired: NetworkFault = { cause: 'tls', sentence: 'the certificate has expired' }
const notYetValid: NetworkFault = { cause: 'tls', sentence: 'the certificate is not valid yet' }
const revoked: NetworkFault = { cause: 'tls', sentence: 'the certificate has been revoked' }
const selfSigned: NetworkFault = { cause: 'tls', sentence: 'the certificate is self-signed' }
const otherHost: NetworkFault = { cause: 'tls', sentence: 'the certificate is for another host' }
const untrusted: NetworkFault = { cause: 'tls', sentence: 'the certificate is not trusted' }
const noHandshake: NetworkFault = { cause: 'tls', sentence: 'the TLS handshake failed' }

/** How they go on with the address that was dialled. */
const placed = new Map<NetworkFault, string>([
  [refused, 'connection refused by'],
  [unreachable, 'no way to reach'],
  [reset, 'connection reset by'],
  [closed, 'connection closed by'],
  [failed, 'no connection to'],
  [neverConnected, 'could not connect to'],
  [noHandshake, 'no TLS handshake with'],
])

/** The first that fits counts. */
const byCode: readonly (readonly [RegExp, NetworkFault])[] = [
  [/^(ENOTFOUND|ENODATA|EAI_NONAME|EAI_NODATA)$/, noSuchHost],
  [/^(EAI_.*|EDNS|ESERVFAIL|EREFUSED)$/, unresolved],
  [/^ECONNREFUSED$/, refused],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, unreachable],
  [/^(ECONNRESET|ECONNABORTED)$/, reset],
  [/^(EPIPE|UND_ERR_SOCKET|ECONNECTION)$/, closed],
  [/^(ERR_TLS_HANDSHAKE_TIMEOUT|UND_ERR_CONNECT_TIMEOUT)$/, neverConnected],
  [/^(ETIMEDOUT|ETIMEOUT|ESOCKETTIMEDOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT)$/, timedOut],
  [/^CERT_HAS_EXPIRED$/, expired],
  [/^CERT_NOT_YET_VALID$/, notYetValid],
  [/^CERT_REVOKED$/, revoked],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, selfSigned],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, otherHost],
  [/^(UNABLE_TO_(GET|VERIFY|DECRYPT)_.*|SELF_SIGNED_CERT_IN_CHAIN|CERT_.*|INVALID_(CA|PURPOSE))$/, untrusted],
  [/^(ERR_SSL_.*|ERR_TLS_.*|EPROTO|ETLS|UND_ERR_PRX_TLS)$/, noHandshake],
  [/^(HPE_.*|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, notHttp],
  [/^ESOCKET$/, failed],
]

/** Undefined for what is no trouble of the network: it is ours, or somebody gave up on purpose. */
export function networkFault(error: unknown): NetworkFault | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof RefusedAddress) return { cause: 'blocked', sentence: error.message }
  return ofAttempts(error) ?? networkFault(error.cause) ?? ofError(error)
}

/** Whether there was a connection to bring something across: undefined is a fault that nobody knows. */
export function mayHaveArrived(fault: NetworkFault | undefined): boolean {
  return fault === undefined || [reset, closed, failed, notHttp, timedOut].includes(fault)
}

/** For those who may know the address. */
export function sentenceAt(fault: NetworkFault, address: string): string {
  const start = placed.get(fault)
  return start === undefined ? fault.sentence : `${start} ${address}`
}

/** Of what happened at several addresses, the one that tells most. */
export function mostTelling<T extends { error: Error }>(failures: readonly T[]): T | undefined {
  // Where we have no IPv6, every host is unreachable by it.
  return failures.find(({ error }) => networkFault(error) !== unreachable) ?? failures[0]
}

/** Node tries the addresses of a host one after the other, and fails with all that went wrong. */
function ofAttempts(error: Error): NetworkFault | undefined {
  if (!(error instanceof AggregateError)) return undefined
  const known = error.errors.filter((one) => networkFault(one) !== undefined).map((one) => ({ error: one }))
  return networkFault(mostTelling(known)?.error)
}

function ofError(error: Error): NetworkFault | undefined {
  const { code, originalCode, errno, syscall } = error as Error & Record<string, unknown>
  if (error.name === 'TimeoutError') return timedOut
  // undici's own, with a code only where its parser gave one.
  if (error.name === 'HTTPParserError') return notHttp
  // nodemailer puts its own code before the system's.
  const known = String(originalCode ?? code)
  const fault = byCode.find(([pattern]) => pattern.test(known))?.[1]
  // Node says ECONNRESET for a connection that ended in good order as well, but then no system call failed.
  if (fault === reset && errno === undefined) return closed
  if (fault === timedOut && syscall === 'connect') return neverConnected
  // The name servers themselves may refuse connections or time out.
  if (fault !== noSuchHost && /^(getaddrinfo|query)/.test(String(syscall))) return unresolved
  return fault
}
