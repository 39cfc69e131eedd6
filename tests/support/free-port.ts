import { createServer } from 'node:net'

/**
 * Chooses a port of 127.0.0.1 below those that the system assigns to outgoing connections, so that no connection takes
 * the port while the test's server is stopped.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    await new Promise((resolve) => server.close(resolve))
    if (isFree) return port
  }
}
