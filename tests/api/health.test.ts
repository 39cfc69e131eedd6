import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { healthRoutes } from '../../src/http/health-routes.ts'
import { expectReady } from '../support/readiness.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const token = 'a token for prometheus'
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_METRICS_TOKEN: token } })
})
afterAll(() => server.close())

describe('the health endpoints', () => {
  it('/healthz and /readyz need no credentials', async () => {
    const response = await server.anyone.get('/healthz')
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ status: 'ok' })
    expectReady(await server.anyone.get('/readyz'))
  })

  it('report at /readyz ok, or degraded with the reasons why checks are not counted', async () => {
    let reasons: string[] = []
    const app = fastify().withTypeProvider<TypeBoxTypeProvider>()
    healthRoutes(app, server.services, { findUnreadyReason: () => undefined, listDegradedReasons: () => reasons })
    const readStatus = async () => {
      const response = await app.inject('/readyz')
      expect(response.statusCode).toBe(200)
      return response.json()
    }
    expect(await readStatus()).toEqual({ status: 'ok' })
    reasons = ['The network is down.']
    expect(await readStatus()).toEqual({ status: 'degraded', reasons })
    await app.close()
  })

  it('require the token at /metrics', async () => {
    await server.anyone.get('/api/keys')
    const response = await server.anyone.get('/metrics', { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(200)
    expect(response.text).toMatch(/belfry_http_requests_total\{method="GET",route="\/api\/keys",status="401"\} \d+/)
    expect(response.text).toContain('nodejs_eventloop_lag_seconds')
    // Prometheus reserves the suffix for counters.
    const totals = [...response.text.matchAll(/^# TYPE (\w+_total) (?!counter)/gm)].map(([, name]) => name)
    expect(totals).toEqual([])
    expect((await server.anyone.get('/metrics')).status).toBe(401)
    const wrongTokenResponse = await server.anyone.get('/metrics', { headers: { authorization: `Bearer ${token}x` } })
    expect(wrongTokenResponse.status).toBe(401)
  })

  it('do not include /metrics without a configured token', async () => {
    const serverWithoutToken = await startTestServer()
    expect((await serverWithoutToken.anyone.get('/metrics')).status).toBe(404)
    await serverWithoutToken.close()
  })

  it('are all that a node without the web role serves', async () => {
    const node = await startTestServer({ env: { BELFRY_ROLES: 'checker,worker' } })
    expect((await node.anyone.get('/readyz')).status).toBe(200)
    expect((await node.anyone.get('/api/keys')).status).toBe(404)
    expect((await node.anyone.get('/docs')).status).toBe(404)
    await node.close()
  })
})
