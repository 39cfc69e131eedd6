/** Describes network errors in plain words. Only `describeFaultAt` includes an IP address, because it may be internal. */
import { RefusedAddress } from './refused-address.ts'

export interface NetworkFault {
  cause: 'dns' | 'connect' | 'tls' | 'timeout' | 'blocked'
  description: string
}

const noSuchHost: NetworkFault = { cause: 'dns', description: 'no such host' }
const nameUnresolved: NetworkFault = { cause: 'dns', description: 'the host name could not be resolved' }
const connectionRefused: NetworkFault = { cause: 'connect', description: 'connection refused' }
const hostUnreachable: NetworkFault = { cause: 'connect', description: 'host unreachable' }
const connectionReset: NetworkFault = { cause: 'connect', description: 'connection reset' }
const connectionClosed: NetworkFault = { cause: 'connect', description: 'the server closed the connection' }
const connectionFailed: NetworkFault = { cause: 'connect', description: 'the connection failed' }
const responseNotHttp: NetworkFault = { cause: 'connect', description: 'the response is not valid HTTP' }
const responseTimedOut: NetworkFault = { cause: 'timeout', description: 'timed out' }
/** A copy, so that `mayHaveArrived` can tell it from `responseTimedOut`: without a connection, no request was sent. */
const connectTimedOut: NetworkFault = { ...responseTimedOut }
const certificateExpired: NetworkFault = { cause: 'tls', description: 'the certificate has expired' }
const certificateNotYetValid: NetworkFault = { cause: 'tls', description: 'the certificate is not valid yet' }
const certificateRevoked: NetworkFault = { cause: 'tls', description: 'the certificate has been revoked' }
const certificateSelfSigned: NetworkFault = { cause: 'tls', description: 'the certificate is self-signed' }
const certificateForOtherHost: NetworkFault = { cause: 'tls', description: 'the certificate is for another host' }
const certificateUntrusted: NetworkFault = { cause: 'tls', description: 'the certificate is not trusted' }
const handshakeFailed: NetworkFault = { cause: 'tls', description: 'the TLS handshake failed' }

/** Descriptions that include the dialled address. */
const descriptionsWithAddress = new Map<NetworkFault, (address: string) => string>([
  [connectionRefused, (address) => `connection refused by ${address}`],
  [hostUnreachable, (address) => `host unreachable: ${address}`],
  [connectionReset, (address) => `connection reset by ${address}`],
  [connectionClosed, (address) => `connection closed by ${address}`],
  [connectionFailed, (address) => `no connection to ${address}`],
  [connectTimedOut, (address) => `could not connect to ${address}`],
  [handshakeFailed, (address) => `TLS handshake with ${address} failed`],
])

/** The first matching pattern decides. */
const faultsByCode: readonly (readonly [RegExp, NetworkFault])[] = [
  [/^(ENOTFOUND|ENODATA|EAI_NONAME|EAI_NODATA)$/, noSuchHost],
  [/^(EAI_.*|EDNS|ESERVFAIL|EREFUSED)$/, nameUnresolved],
  [/^ECONNREFUSED$/, connectionRefused],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, hostUnreachable],
  [/^(ECONNRESET|ECONNABORTED)$/, connectionReset],
  [/^(EPIPE|UND_ERR_SOCKET|ECONNECTION)$/, connectionClosed],
  [/^(ERR_TLS_HANDSHAKE_TIMEOUT|UND_ERR_CONNECT_TIMEOUT)$/, connectTimedOut],
  [/^(ETIMEDOUT|ETIMEOUT|ESOCKETTIMEDOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT)$/, responseTimedOut],
  [/^CERT_HAS_EXPIRED$/, certificateExpired],
  [/^CERT_NOT_YET_VALID$/, certificateNotYetValid],
  [/^CERT_REVOKED$/, certificateRevoked],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, certificateSelfSigned],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, certificateForOtherHost],
  [
    /^(UNABLE_TO_(GET|VERIFY|DECRYPT)_.*|SELF_SIGNED_CERT_IN_CHAIN|CERT_.*|INVALID_(CA|PURPOSE))$/,
    certificateUntrusted,
  ],
  [/^(ERR_SSL_.*|ERR_TLS_.*|EPROTO|ETLS|UND_ERR_PRX_TLS)$/, handshakeFailed],
  [/^(HPE_.*|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, responseNotHttp],
  [/^ESOCKET$/, connectionFailed],
]

/** Returns undefined for an error that isn't a network fault: a bug of ours, or a deliberate abort. */
export function findNetworkFault(error: unknown): NetworkFault | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof RefusedAddress) return { cause: 'blocked', description: error.message }
  return classifyAttempts(error) ?? findNetworkFault(error.cause) ?? classifyError(error)
}

/** Whether the request may have reached the server. An unknown fault counts as yes. */
export function mayHaveArrived(fault: NetworkFault | undefined): boolean {
  return (
    fault === undefined ||
    [connectionReset, connectionClosed, connectionFailed, responseNotHttp, responseTimedOut].includes(fault)
  )
}

/** Includes the dialled address, so use it only where the reader is allowed to see that address. */
export function describeFaultAt(fault: NetworkFault, address: string): string {
  const describe = descriptionsWithAddress.get(fault)
  return describe === undefined ? fault.description : describe(address)
}

/** Picks the most informative failure among those of several addresses. */
export function pickMostInformative<T extends { error: Error }>(failures: readonly T[]): T | undefined {
  // Without IPv6 connectivity every IPv6 address is unreachable, which says nothing about the host.
  return failures.find(({ error }) => findNetworkFault(error) !== hostUnreachable) ?? failures[0]
}

/** Node tries the addresses of a host in turn and fails with an AggregateError of all failures. */
function classifyAttempts(error: Error): NetworkFault | undefined {
  if (!(error instanceof AggregateError)) return undefined
  const networkFailures = error.errors
    .filter((failure) => findNetworkFault(failure) !== undefined)
    .map((failure) => ({ error: failure }))
  return findNetworkFault(pickMostInformative(networkFailures)?.error)
}

function classifyError(error: Error): NetworkFault | undefined {
  const { code, originalCode, errno, syscall } = error as Error & Record<string, unknown>
  if (error.name === 'TimeoutError') return responseTimedOut
  // An HTTPParserError comes from undici and doesn't always have a code.
  if (error.name === 'HTTPParserError') return responseNotHttp
  // nodemailer replaces the system's code and keeps it in originalCode.
  const systemCode = String(originalCode ?? code)
  const fault = faultsByCode.find(([pattern]) => pattern.test(systemCode))?.[1]
  // Node also reports ECONNRESET for a connection that was closed normally, but then without an errno.
  if (fault === connectionReset && errno === undefined) return connectionClosed
  if (fault === responseTimedOut && syscall === 'connect') return connectTimedOut
  // During name resolution, it is the name server that refuses a connection or times out, not the host.
  if (fault !== noSuchHost && /^(getaddrinfo|query)/.test(String(syscall))) return nameUnresolved
  return fault
}
