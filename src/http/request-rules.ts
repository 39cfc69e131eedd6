/** Enforces rules of HTTP that Node's parser doesn't enforce, or that it enforces with a response in another format. */
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../lib/problem.ts'
import { keepForwardedAddresses } from './forwarded-addresses.ts'

const labelPattern = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const hostPattern = new RegExp(
  String.raw`^(?:${labelPattern}(?:\.${labelPattern})*\.?|\[([0-9a-f:.]+)\])(?::(\d{0,5}))?$`,
  'i',
)
const MAX_HOST_LENGTH = 253 + ':65535'.length
const MAX_PORT = 65_535

/** Whether the text is a host name or IP address, with or without a port. */
export function isHost(text: string): boolean {
  const match = text.length > MAX_HOST_LENGTH ? null : hostPattern.exec(text)
  if (match === null) return false
  const [, ipv6, port] = match
  return (ipv6 === undefined || isIPv6(ipv6)) && (port === undefined || Number(port) <= MAX_PORT)
}

/**
 * A client can send the URL with scheme and host, as if we were a proxy. Routes see only its path and query, and links use the
 * Host header.
 */
export function toOriginForm(url: string): string {
  if (url.startsWith('/')) return url
  const absoluteUrl = /^https?:\/\//i.test(url) ? URL.parse(url) : null
  return absoluteUrl === null ? url : absoluteUrl.pathname + absoluteUrl.search
}

/** Returns the problem if the request line or a header violates a rule. */
export function findRuleViolation(request: IncomingMessage): Problem | undefined {
  const { headers, httpVersion, method, rawHeaders, url = '' } = request
  // `OPTIONS *` is valid. No route matches it.
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS'))
    return new Problem('malformed_request', 'The request target is neither a path nor a URL.')
  if (headers.host === undefined && httpVersion === '1.1')
    return new Problem('malformed_request', 'The Host header is missing.')
  if (hasSeveralHosts(rawHeaders)) return new Problem('malformed_request', 'There is more than one Host header.')
  // An empty Host header is valid. It says that the client knows no name of this server.
  if (headers.host !== undefined && headers.host !== '' && !isHost(headers.host))
    return new Problem('malformed_request', 'The Host header is not a host name or IP address.')
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return new Problem('expectation_failed', 'The only supported value of the Expect header is 100-continue.')
  return undefined
}

export function enforceRequestRules(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    keepForwardedAddresses(raw.headers)
    done(findRuleViolation(raw))
  })
  // Without this listener, Node rejects an unknown Expect header itself, without a problem response.
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response))
}

function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}
