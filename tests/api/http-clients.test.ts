/** Clients that disconnect or send too slowly. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../src/app/create-app.ts'
import { expectLoggedProblem, parseResponse, sendRaw } from '../support/raw.ts'
import type { TestServer } from '../support/server.ts'
import { shareTestServer } from '../support/shared-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await shareTestServer()
})
afterAll(() => server.close())

describe('a client', () => {
  /** Starts another HTTP server with the same services, so that a test can set its timeout and count its connections. */
  async function startApp(options?: { requestTimeoutMs: number }) {
    const app = await createApp(server.services, options)
    await app.listen({ host: '127.0.0.1', port: 0 })
    return { app, port: (app.server.address() as AddressInfo).port }
  }
  const createUnfinishedRequest = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: belfry.example\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a`

  it.each([
    ['closes', '/api/session'],
    ['resets', '/api/session'],
    ['closes', '/api/event'],
    ['resets', '/api/event'],
  ])('that %s the connection while it sends a body to %s causes no error in the log', async (how, path) => {
    const startOfLog = server.logLines.length
    const { app, port } = await startApp()
    try {
      const countConnections = promisify(app.server.getConnections.bind(app.server))
      const requestStart = once(app.server, 'request')
      const socket = connect(port, '127.0.0.1')
      socket.write(createUnfinishedRequest(path))
      await requestStart
      if (how === 'closes') socket.destroy()
      else socket.resetAndDestroy()
      await expect.poll(() => countConnections()).toBe(0)
    } finally {
      await app.close()
    }
    const log = server.logLines.slice(startOfLog).join('')
    expect(log).not.toContain('"level":"error"')
    expect(log).not.toContain('"status":500')
  })

  it('that sends its request too slowly gets 408', async () => {
    const startOfLog = server.logLines.length
    const { app, port } = await startApp({ requestTimeoutMs: 100 })
    try {
      const requests = [
        'GET /healthz HTT',
        createUnfinishedRequest('/api/session'),
        createUnfinishedRequest('/api/event'),
      ]
      const texts = await Promise.all(requests.map((request) => sendRaw(`http://127.0.0.1:${port}`, request)))
      for (const text of texts) expectLoggedProblem(server, parseResponse(text), 408, 'request_timeout')
    } finally {
      await app.close()
    }
    expect(server.logLines.slice(startOfLog).join('')).not.toContain('"level":"error"')
  })
})
