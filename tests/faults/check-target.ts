/** An HTTP server with one URL per monitor. Tests change its responses while it runs. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CheckTarget {
  url(name: string): string
  /** The number of requests so far. */
  requestCount: number
  /** Makes the URL of this monitor respond with 500 until `recover` is called. */
  fail(name: string): void
  recover(name: string): void
  /** Holds all responses until `releaseResponses` is called. Returns the held responses by monitor name. */
  holdResponses(): Map<string, ServerResponse>
  releaseResponses(): void
  close(): Promise<void>
}

/** Each response is delayed by `delayMs()`, so that a test can kill a node while its checks are running. */
export async function startCheckTarget(delayMs: () => number = () => 0): Promise<CheckTarget> {
  const failingNames = new Set<string>()
  let heldResponses: Map<string, ServerResponse> | undefined
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? ''
    target.requestCount++
    const respond = () => response.writeHead(failingNames.has(name) ? 500 : 200).end('hello')
    if (heldResponses === undefined) setTimeout(respond, delayMs())
    else heldResponses.set(name, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const target: CheckTarget = {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    requestCount: 0,
    fail: (name) => failingNames.add(name),
    recover: (name) => failingNames.delete(name),
    holdResponses: () => (heldResponses = new Map()),
    releaseResponses: () => {
      for (const response of heldResponses?.values() ?? []) if (!response.writableEnded) response.end('hello')
      heldResponses = undefined
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return target
}
