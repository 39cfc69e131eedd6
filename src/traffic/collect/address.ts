/** Where an event came from: what Fastify says too, at a fifth of its cost. */
import type { IncomingHttpHeaders } from 'node:http'
import { holdsAddress } from './address-list.ts'
import { plainAddress } from './plain-address.ts'

interface Request {
  headers: IncomingHttpHeaders
  socket: { remoteAddress?: string | undefined }
}

/** The socket's, or the rightmost forwarded one that is no trusted proxy, as long as trusted ones passed it on. */
export function addressOf({ headers, socket }: Request, trustedProxies: string): string {
  let address = plainAddress(socket.remoteAddress ?? '')?.text ?? ''
  const forwarded = headers['x-forwarded-for']
  if (forwarded === undefined) return address
  const hops = String(forwarded).split(',')
  while (hops.length > 0 && holdsAddress(trustedProxies, address)) {
    const hop = plainAddress(bare((hops.pop() as string).trim()))
    // What is no address was not written by a proxy worth trusting.
    if (hop === undefined) break
    address = hop.text
  }
  return address
}

/** Some proxies write quotes around it, brackets, or a port behind it. */
function bare(hop: string): string {
  const text = hop.replace(/^"|"$/g, '')
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}
