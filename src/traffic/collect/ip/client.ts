/**
 * Finds the client's IP address behind trusted proxies. Reads only the header that BELFRY_CLIENT_ADDRESS_HEADER names, because a
 * proxy that sets this header may pass on all other headers as the client sent them.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../../config/config.ts'
import { parseIp } from '../../../lib/ip-address.ts'
import { ipListIncludes } from '../../../lib/ip-list.ts'

/** The parts that Node's and Fastify's requests have in common. */
export interface EventRequest {
  headers: IncomingHttpHeaders
  socket: { remoteAddress?: string | undefined }
}

export interface ProxySettings {
  /** Addresses and CIDR ranges, one per line. */
  trustedProxies: string
  /** In lower case. */
  clientAddressHeader: string
}

export function toProxySettings({
  trustedProxies,
  clientAddressHeader,
}: Pick<Config, 'trustedProxies' | 'clientAddressHeader'>): ProxySettings {
  return { trustedProxies: trustedProxies.join('\n'), clientAddressHeader }
}

/** Walks the addresses in the header from right to left for as long as the address found so far is a trusted proxy. */
export function resolveClientIp(
  { headers, socket }: EventRequest,
  { trustedProxies, clientAddressHeader }: ProxySettings,
): string {
  let address = parseIp(socket.remoteAddress ?? '')?.text ?? ''
  const value = headers[clientAddressHeader]
  if (value === undefined) return address
  const hops = String(value).split(',')
  while (hops.length > 0 && ipListIncludes(trustedProxies, address)) {
    const hop = (hops.pop() as string).trim()
    const ip = parseIp(stripDecoration(clientAddressHeader === 'forwarded' ? readForwardedFor(hop) : hop))
    // A trusted proxy writes IP addresses only, so anything else was sent by the client.
    if (ip === undefined) break
    address = ip.text
  }
  return address
}

/** Reads `for` of one element of a Forwarded header (RFC 7239): `for="[2001:db8::1]:443";proto=https`. */
function readForwardedFor(element: string): string {
  return /(?:^|;)\s*for\s*=\s*("[^"]*"|[^\s;"]*)\s*(?:;|$)/i.exec(element)?.[1] ?? ''
}

/** Some proxies add quotes, brackets or a port. */
function stripDecoration(hop: string): string {
  const text = hop.replace(/^"|"$/g, '')
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}
