/**
 * Keeps everything but IP addresses out of X-Forwarded-For. Fastify takes any text in this header for the client's address, which the
 * audit log and API keys record, if the request comes from a trusted proxy, or from a client at an address that is trusted.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { parseIp } from '../lib/ip-address.ts'

const HEADER = 'x-forwarded-for'

/**
 * Proxies append addresses on the right and write nothing else, so what is left of something else was sent by the client. Without an
 * address in the header, the client is the other end of the connection.
 */
export function keepForwardedAddresses(headers: IncomingHttpHeaders): void {
  const value = headers[HEADER]
  if (typeof value !== 'string') return
  const addresses: string[] = []
  for (const hop of value.split(',').reverse()) {
    const ip = parseIp(stripPort(hop.trim()))
    if (ip === undefined) break
    addresses.push(ip.text)
  }
  if (addresses.length === 0) delete headers[HEADER]
  else headers[HEADER] = addresses.reverse().join(', ')
}

/** Some proxies add the port of the client. */
function stripPort(hop: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
}
