import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const LIMIT = 6_000

let server: TestServer

beforeEach(async () => {
  server = await startTestServer({ env: { BELFRY_RATE_LIMIT: '5', BELFRY_METRICS_TOKEN: 'a token for prometheus' } })
  // The test client has already fetched the OpenAPI document, which counts as a file. Start a new window.
  server.clock.advance({ minutes: 1 })
})
afterEach(() => server.close())

/** Sends the same HEAD request many times on one connection, without waiting for responses, and counts their statuses. */
function sendMany(path: string, count: number): Promise<Record<string, number>> {
  const { hostname, port } = new URL(server.address)
  const head = `HEAD ${path} HTTP/1.1\r\nHost: belfry.example\r\n`
  const requests = [...Array(count - 1).fill(`${head}\r\n`), `${head}Connection: close\r\n\r\n`].join('')
  return new Promise((resolve, reject) => {
    let receivedText = ''
    const socket = connect(Number(port), hostname, () => socket.write(requests))
    socket.on('data', (chunk) => {
      receivedText += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const statuses = receivedText.matchAll(/^HTTP\/1\.1 (\d+)/gm).map(([, status = '']) => status)
      resolve(
        Object.fromEntries(Object.entries(Object.groupBy(statuses, (s) => s)).map(([s, all]) => [s, all?.length ?? 0])),
      )
    })
  })
}

const getStatus = async (path: string, headers: Record<string, string> = {}) =>
  (await server.anyone.get(path, { headers })).status

describe('the rate limit for files and pages', () => {
  it('is 6,000 per minute and address, even if BELFRY_RATE_LIMIT allows less for the API', async () => {
    expect(await sendMany('/b.js', LIMIT)).toEqual({ 200: LIMIT })
    const response = await server.anyone.get('/b.js')
    expect(response.status).toBe(429)
    expect(response.body.code).toBe('rate_limited')
    expect(response.headers.get('retry-after')).toBe('60')
    for (const path of [
      '/',
      '/sign-in',
      '/example.com',
      '/assets/x.js',
      '/icon.svg',
      '/robots.txt',
      '/docs',
      '/docs/viewer.js',
      '/api/openapi.json',
    ])
      expect([path, await getStatus(path)]).toEqual([path, 429])

    const page = await server.anyone.get('/', { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])

    // Requests from another address, requests to the API, and health checks are counted separately.
    expect(await getStatus('/b.js', { 'x-forwarded-for': '203.0.113.7' })).toBe(200)
    expect(await getStatus('/api/session')).toBe(401)
    expect(await getStatus('/healthz')).toBe(200)
    expect(await getStatus('/readyz')).toBe(200)
    server.clock.advance({ minutes: 1 })
    expect(await getStatus('/b.js')).toBe(200)
  })
})

describe('the rate limit for health checks', () => {
  it('is 6,000 per minute and address', async () => {
    expect(await sendMany('/healthz', LIMIT)).toEqual({ 200: LIMIT })
    for (const path of ['/healthz', '/readyz', '/metrics']) expect([path, await getStatus(path)]).toEqual([path, 429])
    expect(await getStatus('/b.js')).toBe(200)
  })
})
