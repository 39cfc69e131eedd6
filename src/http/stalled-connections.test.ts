import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StalledConnections } from './stalled-connections.ts'

/** The kernel buffers fewer bytes than this for one connection. */
const LARGE_BYTES = 64 * 1024 * 1024
const CHECKS_PER_MINUTE = 12

/** Connects a client that sends a request and then reads only what the test tells it to. */
async function connectPausedClient(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  const connections = new StalledConnections()
  connections.watch(server)
  await once(server, 'listening')
  const connected = once(server, 'connection')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  client.on('error', () => {})
  const [serverSocket] = (await connected) as [Socket]
  onTestFinished(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  return { client, connections, serverSocket }
}

async function* createChunks() {
  for (;;) yield Buffer.alloc(64 * 1024)
}

async function readSome(client: Socket, bytes: number): Promise<void> {
  for (let rest = bytes; rest > 0; ) {
    const chunk: Buffer | null = client.read()
    if (chunk === null) await once(client, 'readable')
    else rest -= chunk.length
  }
}

describe('a connection', () => {
  it.each<[string, RequestListener]>([
    ['one large chunk', (_request, response) => response.end(Buffer.alloc(LARGE_BYTES))],
    ['an endless stream', (_request, response) => void Readable.from(createChunks()).pipe(response)],
  ])('is closed if the client reads nothing of %s for a minute', async (_name, listener) => {
    const { client, connections, serverSocket } = await connectPausedClient(listener)
    let checkCount = 0
    // While the kernel's buffers fill up, the checks find progress.
    for (; !serverSocket.destroyed; checkCount++) {
      connections.check()
      await yieldToEventLoop()
    }
    expect(checkCount).toBeGreaterThan(CHECKS_PER_MINUTE)
    client.resume()
    await once(client, 'close')
  })

  it('stays open while the client reads slowly', async () => {
    const { client, connections, serverSocket } = await connectPausedClient((_request, response) =>
      response.end(Buffer.alloc(LARGE_BYTES)),
    )
    await expect.poll(() => serverSocket.writableLength).toBeGreaterThan(0)
    for (let n = 0; n < 3 * CHECKS_PER_MINUTE; n++) {
      await readSome(client, 1024 * 1024)
      connections.check()
    }
    expect(serverSocket.writableLength).toBeGreaterThan(0)
    expect(serverSocket.destroyed).toBe(false)
  })

  it.each<[string, RequestListener]>([
    ['has no request in progress', (_request, response) => response.end('done')],
    ['waits for a response', () => {}],
  ])('stays open while it %s', async (_name, listener) => {
    const { connections, serverSocket } = await connectPausedClient(listener)
    for (let n = 0; n < 3 * CHECKS_PER_MINUTE; n++) connections.check()
    expect(serverSocket.destroyed).toBe(false)
  })
})
