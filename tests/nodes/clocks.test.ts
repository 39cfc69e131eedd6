/** Nodes whose clocks differ agree on the time, because they use PostgreSQL's. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

const AHEAD_MS = 90_000

let database: TestDatabase
/** A checker whose clock is 90 seconds ahead. */
let aheadServer: TestServer
/** A server with a correct clock, which serves the API and sends the alerts. */
let correctServer: TestServer
let owner: TestUser
let receiver: HttpReceiver
let localAheadMs = AHEAD_MS

beforeAll(async () => {
  database = await createTestDatabase()
  receiver = await startHttpReceiver()
  receiver.handleWith((response, { path }) => response.writeHead(path === '/hook' ? 200 : 500).end())
  const env = { BELFRY_PRIVATE_TARGETS: 'allow' }
  correctServer = await startTestServer({
    database,
    env: { ...env, BELFRY_ROLES: 'web,worker' },
    localClock: { now: () => new Date() },
  })
  aheadServer = await startTestServer({
    database,
    env: { ...env, BELFRY_ROLES: 'checker,web', BELFRY_METRICS_TOKEN: 'a token for the metrics' },
    localClock: { now: () => new Date(Date.now() + localAheadMs) },
  })
  owner = await correctServer.createUser('owner')
})

afterAll(async () => {
  await Promise.all([aheadServer?.close(), correctServer?.close(), receiver?.close()])
  await database?.drop()
})

const secondsAgo = (time: string) => (Date.now() - Date.parse(time)) / 1000

it('an incident that a node with a fast clock detects appears on other nodes immediately, with the right times', async () => {
  const { session } = owner
  const channel = { provider_type: 'slack', webhook_url: `${receiver.address}/hook`, assign_by_default: true }
  await session.post('/api/providers', channel)
  const monitor = { friendly_name: 'Shop', url: `${receiver.address}/shop`, interval: 5, timeout: 5, retries: 0 }
  const { body } = await session.post('/api/monitors', monitor)
  const [incident] = await vi.waitFor(async () => {
    const incidents = (await session.get(`/api/monitors/${body.data.id}/incidents`)).body.data
    expect(incidents).toHaveLength(1)
    return incidents
  }, 10_000)
  for (const time of [incident.started_at, incident.detected_at]) {
    expect(secondsAgo(time)).toBeGreaterThan(-1)
    expect(secondsAgo(time)).toBeLessThan(10)
  }
  expect(incident.duration_seconds).toBeLessThan(10)
  await vi.waitFor(() => expect(receiver.received.filter(({ path }) => path === '/hook')).toHaveLength(1), 5_000)

  receiver.respondWith(200, 'ok')
  // Make the next check due now, because the test would otherwise wait five seconds for it.
  await correctServer.services.db.query('update monitor_states set due_at = now() where claimed_by is null')
  const resolvedIncident = await vi.waitFor(async () => {
    const [incident] = (await session.get(`/api/monitors/${body.data.id}/incidents`)).body.data
    expect(incident.status).toBe('resolved')
    return incident
  }, 15_000)
  expect(secondsAgo(resolvedIncident.resolved_at)).toBeGreaterThan(-1)
  expect(resolvedIncident.duration_seconds).toBeLessThan(15)
})

it('a node with a wrong clock reports how wrong it is until its clock is set', async () => {
  const readReasons = async ({ anyone }: TestServer): Promise<string[]> => {
    const { status, body } = await anyone.get('/readyz')
    expect(status).toBe(200)
    return body.reasons?.filter((reason: string) => reason.startsWith('The clock')) ?? []
  }
  const sentence = "The clock of this node is 90 s ahead of PostgreSQL's."
  expect(await readReasons(aheadServer)).toEqual([expect.stringContaining(sentence)])
  expect(await readReasons(correctServer)).toEqual([])
  const readMetric = async () => {
    const { text } = await aheadServer.services.metrics.write()
    return Number(/^belfry_clock_offset_seconds (\S+)$/m.exec(text)?.[1])
  }
  expect(await readMetric()).toBeCloseTo(90, 0)

  const timeBefore = aheadServer.services.clock.now().getTime()
  localAheadMs = 0
  expect(Math.abs(aheadServer.services.clock.now().getTime() - timeBefore)).toBeLessThan(5_000)
  await aheadServer.services.lease.renew()
  await aheadServer.services.lease.renew()
  expect(await readReasons(aheadServer)).toEqual([])
  expect(await readMetric()).toBeCloseTo(0, 0)
  const clockLines = aheadServer.logLines.filter((line) => line.includes('the clock of this node'))
  expect(clockLines.map((line) => JSON.parse(line).msg)).toEqual([
    "the clock of this node differs from PostgreSQL's",
    "the clock of this node matches PostgreSQL's again",
  ])
})
