import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const token = 'a token for prometheus'
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_METRICS_TOKEN: token } })
})
afterAll(() => server.close())

describe('probes', () => {
  it('/healthz and /readyz are for anyone', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await server.anyone.get(path)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ status: 'ok' })
    }
  })

  it('/metrics is for whoever has the token', async () => {
    await server.anyone.get('/api/keys')
    const answer = await server.anyone.get('/metrics', { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(200)
    expect(answer.text).toMatch(/belfry_http_requests_total\{method="GET",route="\/api\/keys",status="401"\} \d+/)
    expect(answer.text).toContain('nodejs_eventloop_lag_seconds')
    expect((await server.anyone.get('/metrics')).status).toBe(401)
    const wrong = await server.anyone.get('/metrics', { headers: { authorization: `Bearer ${token}x` } })
    expect(wrong.status).toBe(401)
  })

  it('/metrics is not there without a token', async () => {
    const plain = await startTestServer()
    expect((await plain.anyone.get('/metrics')).status).toBe(404)
    await plain.close()
  })

  it('are all that a node without the role web serves', async () => {
    const node = await startTestServer({ env: { BELFRY_ROLES: 'checker,worker' } })
    expect((await node.anyone.get('/readyz')).status).toBe(200)
    expect((await node.anyone.get('/api/keys')).status).toBe(404)
    expect((await node.anyone.get('/docs')).status).toBe(404)
    await node.close()
  })
})
