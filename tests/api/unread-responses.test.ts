import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { promisify } from 'node:util'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../src/app/create-app.ts'
import { StalledConnections } from '../../src/http/stalled-connections.ts'
import { LiveStream } from '../../src/live/event-stream.ts'
import type { TestServer } from '../support/server.ts'
import { shareTestServer } from '../support/shared-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await shareTestServer()
})
afterAll(() => server.close())

/**
 * Repeats the check for stalled connections, which a server runs every five seconds, until no connection is left. The
 * paused client doesn't notice that its connection is closed.
 */
async function checkUntilClosed(httpServer: Server, connections: StalledConnections): Promise<void> {
  const countConnections = promisify(httpServer.getConnections.bind(httpServer))
  while ((await countConnections()) > 0) {
    connections.check()
    await yieldToEventLoop()
  }
}

async function connectPausedClient(app: Pick<FastifyInstance, 'listen' | 'server'>, requests: string): Promise<void> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
  client.on('error', () => {})
  onTestFinished(() => void client.destroy())
  client.write(requests)
  await once(app.server, 'request')
}

describe('a client that reads nothing is disconnected', () => {
  it('while the server sends files', async () => {
    const startOfLog = server.logLines.length
    const app = await createApp(server.services)
    // Together, these responses are larger than the kernel's buffers.
    await connectPausedClient(app, 'GET /docs/viewer.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(30))
    await checkUntilClosed(app.server, server.services.stalledConnections)
    await app.close()
    expect(server.logLines.slice(startOfLog).join('')).not.toContain('"level":"error"')
  })

  it('from an event stream, which the server closes', async () => {
    const stream = new LiveStream()
    const connections = new StalledConnections()
    const app = fastify()
    app.get('/', (_request, reply) => reply.send(stream))
    connections.watch(app.server)
    await connectPausedClient(app, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const streamClosed = once(stream, 'close')
    const event = 'x'.repeat(100_000)
    while (stream.readableLength < 1_000_000) {
      stream.send('monitors', event)
      await yieldToEventLoop()
    }
    await checkUntilClosed(app.server, connections)
    await streamClosed
    await app.close()
  })
})
