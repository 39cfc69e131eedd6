import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createJob } from '../../../src/app/jobs.ts'
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts'
import { addChecks, type ChecksResponse, createTestChecks, expectSeries } from '../../support/check-results.ts'
import type { Client } from '../../support/client.ts'
import {
  addIncident,
  addMonitoredPeriod,
  createMonitor,
  monitorsPath,
  startMonitorFixture,
} from '../../support/monitors.ts'
import type { TestServer, TestUser } from '../../support/server.ts'

let server: TestServer
let owner: TestUser
let keyClient: Client
let id: number

beforeAll(async () => {
  ;({ server, owner, keyClient } = await startMonitorFixture())
  await createJob('maintain check partitions', server.services).run()
})
afterAll(() => server.close())
beforeEach(async () => {
  id = (await createMonitor(keyClient)).id
})

const secondsAgo = (seconds: number) => new Date(server.clock.now().getTime() - 1000 * seconds)
const readSeries = async (query = ''): Promise<ChecksResponse> =>
  (await keyClient.get(`${monitorsPath}/${id}/checks${query}`)).body
const noChecks = { total: 0, failed: 0, avg_ms: null, p50_ms: null, p95_ms: null, p99_ms: null }

describe('GET /api/monitors/{id}/checks', () => {
  it('contains every hour of a day, even if there were no checks', async () => {
    const { data, meta } = await readSeries()
    expect(data).toHaveLength(25)
    expect(data[0]).toEqual({ starts_at: secondsAgo(86_400).toISOString(), ...noChecks })
    expect(data.at(-1)).toEqual({ starts_at: secondsAgo(0).toISOString(), ...noChecks })
    expect(meta).toEqual({
      window: '24h',
      from: secondsAgo(86_400).toISOString(),
      to: secondsAgo(0).toISOString(),
      bucket_seconds: 3_600,
      ...noChecks,
      downtime_seconds: 0,
      uptime_percent: null,
      recent: [],
    })
  })

  it.each([
    ['1h', 61, 60],
    ['24h', 25, 3_600],
    ['30d', 31, 86_400],
    ['6mo', 185, 86_400],
    ['1y', 366, 86_400],
  ])('has the expected number of points for %s', async (window, points, seconds) => {
    const { data, meta } = await readSeries(`?window=${window}`)
    expect(data).toHaveLength(points)
    expect(meta).toMatchObject({ window, bucket_seconds: seconds })
  })

  it.each(['window=7d', 'window=', 'window=24H'])('rejects %s', async (query) => {
    const response = await keyClient.get(`${monitorsPath}/${id}/checks?${query}`)
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual(['window'])
  })

  it('counts the checks of exactly the last 24 hours, to the millisecond, for 24h', async () => {
    const windowStart = secondsAgo(86_400).getTime()
    const times = [windowStart - 1, windowStart, windowStart + 1, secondsAgo(0).getTime()].map((time) => new Date(time))
    await addChecks(
      server.services.db,
      id,
      times.map((at, n) => ({ at, ms: 10 * (n + 1), cause: null })),
    )
    expect((await readSeries()).meta).toMatchObject({ total: 3, p50_ms: 30, avg_ms: 30 })
    // A longer window includes the check just before the last 24 hours, too.
    expect((await readSeries('?window=30d')).meta).toMatchObject({ total: 4 })
  })

  it('matches figures computed from the checks directly', async () => {
    const checks = createTestChecks({ from: secondsAgo(90_000), to: secondsAgo(0), everyMs: 71_000 })
    await addChecks(server.services.db, id, checks)
    for (const window of ['1h', '24h', '30d', '6mo', '1y']) expectSeries(await readSeries(`?window=${window}`), checks)
  })

  it('has the same uptime as the list of incidents', async () => {
    await addMonitoredPeriod(server, id, { from: 40 * 86_400 })
    await addIncident(server, id, { from: 7_200, to: 3_600 })
    await addIncident(server, id, { from: 20 * 86_400, to: 19 * 86_400 })
    for (const window of ['24h', '30d', '6mo', '1y']) {
      const { meta } = (await keyClient.get(`${monitorsPath}/${id}/incidents?window=${window}`)).body
      const { downtime_seconds, uptime_percent } = meta
      expect(downtime_seconds).toBeGreaterThan(0)
      expect((await readSeries(`?window=${window}`)).meta).toMatchObject({ downtime_seconds, uptime_percent })
    }
  })

  it('contains the last 60 checks, newest first', async () => {
    const checks = createTestChecks({ from: secondsAgo(70 * 60), to: secondsAgo(0), everyMs: 60_000 })
    await addChecks(server.services.db, id, checks)
    await server.services.db.query(
      `insert into checks (user_id, monitor_id, checked_at, cause, detail, response_ms, bucket, dns_ms, connect_ms, tls_ms,
         first_byte_ms, http_status, packet_loss)
       values ($1, $2, $3, 'http_status', 'Status 503, expected 200–399', 87, 75, 4, 12, 25, 46, 503, null)`,
      [owner.id, id, secondsAgo(0)],
    )
    const { recent } = (await readSeries()).meta
    expect(recent[0]).toEqual({
      checked_at: secondsAgo(0).toISOString(),
      ok: false,
      response_ms: 87,
      dns_ms: 4,
      connect_ms: 12,
      tls_ms: 25,
      first_byte_ms: 46,
      http_status: 503,
      packet_loss: null,
      cause: 'http_status',
      detail: 'Status 503, expected 200–399',
    })
    const expectedChecks = checks.toReversed().slice(0, 59)
    expect(recent.slice(1).map(({ checked_at }) => checked_at)).toEqual(
      expectedChecks.map(({ at }) => at.toISOString()),
    )
  })

  it('contains every check of the last hour for 1h, even of a monitor that is checked every 5 seconds', async () => {
    const checks = createTestChecks({ from: secondsAgo(3_660), to: secondsAgo(0), everyMs: 5_000 })
    await addChecks(server.services.db, id, checks)
    await addMonitoredPeriod(server, id, { from: 7_200 })
    await addIncident(server, id, { from: 4_000, to: 1_800 })
    const { meta } = await readSeries('?window=1h')
    expect(meta.recent).toHaveLength(720)
    expect(meta.recent.map(({ checked_at }) => checked_at)).toEqual(
      checks
        .slice(-720)
        .toReversed()
        .map(({ at }) => at.toISOString()),
    )
    expect(meta).toMatchObject({ total: 720, downtime_seconds: 1_800, uptime_percent: 50 })
    // A user can run 60 manual checks a minute, so the list has a limit. The figures count all checks.
    await addChecks(
      server.services.db,
      id,
      createTestChecks({ from: secondsAgo(600), to: secondsAgo(0), everyMs: 1_000 }),
    )
    const { meta: fullMeta } = await readSeries('?window=1h')
    expect([fullMeta.recent.length, fullMeta.total]).toEqual([1_000, 1_320])
  })

  it('contains no checks of other monitors', async () => {
    const stranger = await server.createUser('stranger')
    const otherUsersMonitor = await createMonitor(stranger.session)
    const otherMonitor = await createMonitor(keyClient)
    for (const monitorId of [otherUsersMonitor.id, otherMonitor.id]) {
      await addChecks(
        server.services.db,
        monitorId,
        createTestChecks({ from: secondsAgo(HOUR_MS / 1000), to: secondsAgo(0), everyMs: 60_000 }),
      )
    }
    const { meta } = await readSeries('?window=1y')
    expect(meta).toMatchObject({ ...noChecks, recent: [] })
    const responses = [otherUsersMonitor.id, 999_999].map((monitorId) =>
      keyClient.get(`${monitorsPath}/${monitorId}/checks`),
    )
    for (const { status, body } of await Promise.all(responses)) expect([status, body.code]).toEqual([404, 'not_found'])
  })

  it('uses an index, with the row level security of a request', async () => {
    await server.services.db.query(
      `insert into checks (user_id, monitor_id, checked_at, response_ms, bucket)
       select $1, $2 + n % 100, $3::timestamptz - n * interval '1 second', 10, 10 from generate_series(0, 20000) n`,
      [owner.id, id + 1_000, secondsAgo(0)],
    )
    await server.services.db.query('analyze checks')
    const { keyId } = await owner.withKey('monitors:read')
    const tenant = server.services.db.as({ teamId: owner.id, userId: owner.id, keyId, sessionId: null })
    const [plan] = await tenant.batch({
      text: `explain select count(*) from checks where user_id = own_team() and monitor_id = ${id + 1_000}
               and checked_at >= '${secondsAgo(DAY_MS / 1000).toISOString()}' and checked_at < '${secondsAgo(0).toISOString()}'`,
    })
    const text = JSON.stringify(plan?.rows)
    expect(text).toMatch(/checks_other_user_id_monitor_id_checked_at_idx/)
    expect(text).toMatch(/Index Cond: .*user_id = .*monitor_id = .*checked_at >= /)
    expect(text).not.toContain('Seq Scan')
  })
})
