import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
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

  it('report at /readyz that the server is ok, or degraded with the reasons', async () => {
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

  it('log nothing above debug while the server starts or stops, however often they are polled', async () => {
    const { state } = server.services
    const startOfLog = server.logLines.length
    for (const phase of ['starting', 'stopping'] as const) {
      state.phase = phase
      for (let n = 0; n < 5; n++) expect((await server.anyone.get('/readyz')).status).toBe(503)
    }
    state.phase = 'running'
    expectReady(await server.anyone.get('/readyz'))
    const lines = server.logLines.slice(startOfLog)
    expect(lines.filter((line) => !line.startsWith('{"level":"debug"'))).toEqual([])
  })

  it('report that the disk of the PostgreSQL server is full, also to admins and in the metrics and the log', async () => {
    const env = { BELFRY_METRICS_TOKEN: token, DATABASE_URL: 'postgres://db.example.com/belfry' }
    const node = await startTestServer({ env })
    onTestFinished(() => node.close())
    const { db, diskSpace } = node.services
    const admin = await node.createUser('admin', { isAdmin: true })
    const user = await node.createUser('user')
    const listProblems = async () => (await admin.session.get('/api/server/problems')).body.data
    expect(await listProblems()).toEqual([])

    // Raises the error that PostgreSQL raises if it can't extend a file.
    const fillDisk = `do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`
    await expect(db.query(fillDisk)).rejects.toThrow("The database's disk is full.")
    await diskSpace.check()
    await diskSpace.check()
    const message =
      'The disk of the PostgreSQL server is full, so nothing new can be stored. Free some space on that server.'
    const readiness = await node.anyone.get('/readyz')
    expect(readiness).toMatchObject({ status: 200, body: { status: 'degraded' } })
    expect(readiness.body.reasons).toContain(message)
    expect(await listProblems()).toEqual([{ message }])
    expect((await user.session.get('/api/server/problems')).status).toBe(403)
    const metrics = await node.anyone.get('/metrics', { headers: { authorization: `Bearer ${token}` } })
    expect(metrics.text).toMatch(/^belfry_database_disk_full 1$/m)
    expect(metrics.text).toMatch(/^belfry_disk_free_bytes [1-9]/m)
    const lines = node.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message)
    expect(lines.map(({ level }) => level)).toEqual(['error'])
  })

  it('require the token at /metrics', async () => {
    await server.anyone.get('/api/keys')
    const response = await server.anyone.get('/metrics', { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(200)
    expect(response.text).toMatch(/belfry_http_requests_total\{method="GET",route="\/api\/keys",status="401"\} \d+/)
    expect(response.text).toContain('nodejs_eventloop_lag_seconds')
    // Prometheus reserves the suffix `_total` for counters.
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
