/** A reverse proxy as people put in front: it knows one path, and takes it off or leaves it on. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReverseProxy {
  /** Without a path. */
  address: string
  /** What was asked for beside its path: there should be nothing. */
  strays: string[]
  pointTo(address: string): void
  close(): Promise<void>
}

export async function startProxy(prefix: string, { strips }: { strips: boolean }): Promise<ReverseProxy> {
  const strays: string[] = []
  let target: URL | undefined

  const server = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming
    if (target === undefined || !(url === prefix || url.startsWith(`${prefix}/`) || url.startsWith(`${prefix}?`))) {
      strays.push(url)
      outgoing.writeHead(404).end()
      return
    }
    const path = strips ? url.slice(prefix.length).replace(/^(?!\/)/, '/') : url
    const { hostname, port } = target
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    strays,
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
