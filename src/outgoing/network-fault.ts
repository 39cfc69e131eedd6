/** Describes network errors in plain words. Omits IP addresses, which may be internal and must not be disclosed. */
import { RefusedAddress } from './refused-address.ts'

export interface NetworkFault {
  cause: 'dns' | 'connect' | 'tls' | 'timeout' | 'blocked'
  description: string
}

const noSuchHost: NetworkFault = { cause: 'dns', description: 'no such host' }
const unresolved: NetworkFault = { cause: 'dns', description: 'the host name could not be resolved' }
const refused: NetworkFault = { cause: 'connect', description: 'connection refused' }
const unreachable: NetworkFault = { cause: 'connect', description: 'host unreachable' }
const reset: NetworkFault = { cause: 'connect', description: 'connection reset' }
const closed: NetworkFault = { cause: 'connect', description: 'the server closed the connection' }
const failed: NetworkFault = { cause: 'connect', description: 'the connection failed' }
const notHttp: NetworkFault = { cause: 'connect', description: 'the response is not valid HTTP' }
const timedOut: NetworkFault = { cause: 'timeout', description: 'timed out' }
const neverConnected: NetworkFault = { ...timedOut }
const expired: NetworkFault = { cause: 'tls', description: 'the certificate has expired' }
const notYetValid: NetworkFault = { cause: 'tls', description: 'the certificate is not valid yet' }
const revoked: NetworkFault = { cause: 'tls', description: 'the certificate has been revoked' }
const selfSigned: NetworkFault = { cause: 'tls', description: 'the certificate is self-signed' }
const otherHost: NetworkFault = { cause: 'tls', description: 'the certificate is for another host' }
const untrusted: NetworkFault = { cause: 'tls', description: 'the certificate is not trusted' }
const noHandshake: NetworkFault = { cause: 'tls', description: 'the TLS handshake failed' }

/** Phrases to which describeFaultAt appends the dialled address. */
const phrasesWithAddress = new Map<NetworkFault, string>([
  [refused, 'connection refused by'],
  [unreachable, 'host unreachable:'],
  [reset, 'connection reset by'],
  [closed, 'connection closed by'],
  [failed, 'no connection to'],
  [neverConnected, 'could not connect to'],
  [noHandshake, 'no TLS handshake with'],
])

/** The first matching pattern decides. */
const faultsByCode: readonly (readonly [RegExp, NetworkFault])[] = [
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

/** Returns undefined for an error that isn't a network fault: a bug of ours, or a deliberate abort. */
export function findNetworkFault(error: unknown): NetworkFault | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof RefusedAddress) return { cause: 'blocked', description: error.message }
  return classifyAttempts(error) ?? findNetworkFault(error.cause) ?? classifyError(error)
}

/** Whether the request may have reached the server. An unknown fault counts as yes. */
export function mayHaveArrived(fault: NetworkFault | undefined): boolean {
  return fault === undefined || [reset, closed, failed, notHttp, timedOut].includes(fault)
}

/** Includes the dialled address, so use it only where the reader is allowed to see that. */
export function describeFaultAt(fault: NetworkFault, address: string): string {
  const start = phrasesWithAddress.get(fault)
  return start === undefined ? fault.description : `${start} ${address}`
}

/** Picks the most informative failure among those of several addresses. */
export function pickMostInformative<T extends { error: Error }>(failures: readonly T[]): T | undefined {
  // Without IPv6 connectivity every IPv6 address is unreachable, which says nothing about the host.
  return failures.find(({ error }) => findNetworkFault(error) !== unreachable) ?? failures[0]
}

/** Node tries the addresses of a host in turn and fails with an AggregateError of all failures. */
function classifyAttempts(error: Error): NetworkFault | undefined {
  if (!(error instanceof AggregateError)) return undefined
  const networkFailures = error.errors
    .filter((each) => findNetworkFault(each) !== undefined)
    .map((each) => ({ error: each }))
  return findNetworkFault(pickMostInformative(networkFailures)?.error)
}

function classifyError(error: Error): NetworkFault | undefined {
  const { code, originalCode, errno, syscall } = error as Error & Record<string, unknown>
  if (error.name === 'TimeoutError') return timedOut
  // An HTTPParserError comes from undici and doesn't always have a code.
  if (error.name === 'HTTPParserError') return notHttp
  // nodemailer replaces the system's code and keeps it in originalCode.
  const systemCode = String(originalCode ?? code)
  const fault = faultsByCode.find(([pattern]) => pattern.test(systemCode))?.[1]
  // Node also reports ECONNRESET for a connection that was closed normally, but then without an errno.
  if (fault === reset && errno === undefined) return closed
  if (fault === timedOut && syscall === 'connect') return neverConnected
  // During name resolution, a refused connection or a timeout is the name server's and not the host's.
  if (fault !== noSuchHost && /^(getaddrinfo|query)/.test(String(syscall))) return unresolved
  return fault
}
