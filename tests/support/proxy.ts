/** A reverse proxy that forwards requests under one path prefix, and keeps or strips the prefix. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReverseProxy {
  /** URL without a path. */
  address: string
  /** Paths of requests that did not start with the prefix. Tests expect none. */
  requestsOutsidePrefix: string[]
  pointTo(address: string): void
  close(): Promise<void>
}

export async function startReverseProxy(
  prefix: string,
  { stripsPrefix }: { stripsPrefix: boolean },
): Promise<ReverseProxy> {
  const requestsOutsidePrefix: string[] = []
  let target: URL | undefined

  const server = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming
    if (target === undefined || !(url === prefix || url.startsWith(`${prefix}/`) || url.startsWith(`${prefix}?`))) {
      requestsOutsidePrefix.push(url)
      outgoing.writeHead(404).end()
      return
    }
    const path = stripsPrefix ? url.slice(prefix.length).replace(/^(?!\/)/, '/') : url
    const { hostname, port } = target
    const forwardedRequest = request({ hostname, port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwardedRequest.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwardedRequest.destroy())
    incoming.pipe(forwardedRequest)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestsOutsidePrefix,
    pointTo: (address) => {
      target = new URL(address)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
