import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const token = 'a token for prometheus'
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_METRICS_TOKEN: token } })
})
afterAll(() => server.close())

describe('health checks', () => {
  it('/healthz and /readyz need no credentials', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const response = await server.anyone.get(path)
      expect(response.status).toBe(200)
      expect(response.body).toEqual({ status: 'ok' })
    }
  })

  it('/metrics requires the token', async () => {
    await server.anyone.get('/api/keys')
    const response = await server.anyone.get('/metrics', { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(200)
    expect(response.text).toMatch(/belfry_http_requests_total\{method="GET",route="\/api\/keys",status="401"\} \d+/)
    expect(response.text).toContain('nodejs_eventloop_lag_seconds')
    expect((await server.anyone.get('/metrics')).status).toBe(401)
    const wrong = await server.anyone.get('/metrics', { headers: { authorization: `Bearer ${token}x` } })
    expect(wrong.status).toBe(401)
  })

  it('/metrics does not exist without a configured token', async () => {
    const plain = await startTestServer()
    expect((await plain.anyone.get('/metrics')).status).toBe(404)
    await plain.close()
  })

  it('are all that a node without the web role serves', async () => {
    const node = await startTestServer({ env: { BELFRY_ROLES: 'checker,worker' } })
    expect((await node.anyone.get('/readyz')).status).toBe(200)
    expect((await node.anyone.get('/api/keys')).status).toBe(404)
    expect((await node.anyone.get('/docs')).status).toBe(404)
    await node.close()
  })
})
