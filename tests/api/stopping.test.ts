/**
 * What clients see while a server stops: it serves everything until its port closes, and before that, /readyz tells
 * load balancers that it stops.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let server: TestServer
let user: TestUser
let port: number

beforeEach(async () => {
  server = await startTestServer({ env: { BELFRY_DRAIN_SECONDS: '1' } })
  user = await server.createUser('ada')
  port = Number(new URL(server.address).port)
})
afterEach(() => server.close())

/**
 * Opens a connection and sends text. `response` resolves with everything received until the server closes the
 * connection.
 */
async function openConnection(sentText: string): Promise<{ socket: Socket; response: Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(sentText)
  let receivedText = ''
  socket.setEncoding('utf8').on('data', (text) => (receivedText += text))
  return { socket, response: once(socket, 'close').then(() => receivedText) }
}

async function waitUntilRefused(): Promise<void> {
  // The server closes its port only after a second of draining. The delay between attempts leaves the processor to
  // other tests.
  for (; ; await delay(5)) {
    const socket = connect(port, '127.0.0.1')
    const isRefused = await once(socket, 'connect').then(
      () => false,
      () => true,
    )
    socket.destroy()
    if (isRefused) return
  }
}

it('a stopping server returns 503 at /readyz immediately, serves everything else, and asks clients to close their connections', async () => {
  expect((await server.anyone.get('/readyz')).status).toBe(200)
  const stopPromise = server.stop()
  const readiness = await fetch(`${server.address}/readyz`)
  expect(readiness.status).toBe(503)
  expect(readiness.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(readiness.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await readiness.json()).toMatchObject({
    code: 'unavailable',
    detail: 'The server is stopping.',
    request_id: readiness.headers.get('x-request-id'),
  })
  const keys = await user.session.get('/api/keys')
  expect(keys.status).toBe(200)
  expect(keys.headers.get('connection')).toBe('close')
  const event = await fetch(`${server.address}/api/event`, { method: 'POST', body: '{}' })
  expect(event.headers.get('connection')).toBe('close')
  await stopPromise
})

it('a stopping server still serves a request whose last header arrives after the port has closed', async () => {
  const { socket, response } = await openConnection('GET /healthz HTTP/1.1\r\nhost: belfry.example\r\n')
  const stopPromise = server.stop()
  await waitUntilRefused()
  socket.write('\r\n')
  expect(await response).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*connection: close\r\n/i)
  await stopPromise
})

it('a stopping server closes idle connections, and connections without a request, soon after the port', async () => {
  const silentConnection = await openConnection('')
  const idleConnection = await openConnection('GET /healthz HTTP/1.1\r\nhost: belfry.example\r\n\r\n')
  await vi.waitFor(() => expect(idleConnection.socket.bytesRead).toBeGreaterThan(0), 20_000)
  const stopPromise = server.stop()
  await waitUntilRefused()
  const closedAt = performance.now()
  expect(await silentConnection.response).toBe('')
  expect(await idleConnection.response).toMatch(/^HTTP\/1\.1 200 OK/)
  expect(performance.now() - closedAt).toBeLessThan(3_000)
  await stopPromise
})

it('a stopping server does not close an idle connection before the port, because a request may be on its way', async () => {
  const { socket, response } = await openConnection('GET /healthz HTTP/1.1\r\nhost: belfry.example\r\n\r\n')
  await vi.waitFor(() => expect(socket.bytesRead).toBeGreaterThan(0), 20_000)
  const stopPromise = server.stop()
  expect((await server.anyone.get('/readyz')).status).toBe(503)
  socket.write('GET /healthz HTTP/1.1\r\nhost: belfry.example\r\n\r\n')
  const responses = (await response).split(/(?=HTTP\/1\.1)/)
  expect(responses).toHaveLength(2)
  expect(responses[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*connection: keep-alive\r\n/i)
  expect(responses[1]).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*connection: close\r\n/i)
  await stopPromise
})
