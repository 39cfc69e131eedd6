import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import type { Services } from '../../src/app/services.ts'
import { claimSlice, completeSlice, rollUpHourSlice } from '../../src/results/rollup-store.ts'
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts'
import {
  addChecks,
  type ChecksResponse,
  createTestChecks,
  expectSeries,
  type TestCheck,
} from '../support/check-results.ts'
import type { Client } from '../support/client.ts'
import { TestClock } from '../support/clock.ts'
import { createMonitor, monitorsPath, startMonitorFixture } from '../support/monitors.ts'
import type { TestServer } from '../support/server.ts'

let server: TestServer
let keyClient: Client
const clock = new TestClock(new Date('2026-01-05T10:20:30.400Z'))

beforeAll(async () => {
  ;({ server, keyClient } = await startMonitorFixture({ clock }))
})
afterAll(() => server.close())
/** Restores the state of a new database, which takes less time than a new server for each test. */
beforeEach(async () => {
  const { db } = server.services
  clock.reset()
  server.logLines.length = 0
  for (const table of ['checks', 'check_hours', 'check_days', 'monitors']) await db.query(`delete from ${table}`)
  await db.query(`update rollups set done_until = 'epoch', after_user_id = 0, after_monitor_id = 0`)
})

/** With two monitors per slice, a few monitors need several slices. */
const createRollupJob = () =>
  createJob('roll up checks', { ...server.services, monitorsPerSlice: { hour: 2, day: 2 } } as Services)
const createPartitionJob = () => createJob('maintain check partitions', server.services)
const readSeries = async (id: number, window = '24h'): Promise<ChecksResponse> =>
  (await keyClient.get(`${monitorsPath}/${id}/checks?window=${window}`)).body
const readTable = async (table: string) =>
  server.services.db.query(`select * from ${table} order by user_id, monitor_id, starts_at`)
const readDoneUntil = async (period: string) =>
  (await server.services.db.query('select done_until from rollups where period = $1', [period]))[0]?.['done_until']
/** Marks all hours and days before this hour as rolled up. */
const markDoneUntil = (hour: Date) =>
  server.services.db.query(`update rollups set done_until = date_trunc(period, $1::timestamptz)`, [hour])
const ago = (ms: number) => new Date(clock.now().getTime() - ms)

/** Creates several monitors with different checks. */
async function createMonitors(count: number, options: { fromMs: number; everyMs: number }) {
  const monitors: { id: number; checks: TestCheck[] }[] = []
  for (let n = 0; n < count; n++) {
    const { id } = await createMonitor(keyClient)
    const checks = createTestChecks({ from: ago(options.fromMs), to: clock.now(), everyMs: options.everyMs, seed: id })
    await addChecks(server.services.db, id, checks)
    monitors.push({ id, checks })
  }
  return monitors
}

describe('rolling up checks', () => {
  it('does not change responses of the API, neither during the rollup nor afterwards', async () => {
    const monitors = await createMonitors(5, { fromMs: 3 * HOUR_MS, everyMs: 37_000 })
    const expectCorrect = async () => {
      for (const { id, checks } of monitors)
        for (const window of ['24h', '30d']) expectSeries(await readSeries(id, window), checks)
    }
    await expectCorrect()
    const startsAt = new Date('2026-01-05T07:00:00Z')
    const interval = { period: 'hour', startsAt, endsAt: new Date('2026-01-05T08:00:00Z') } as const
    await markDoneUntil(startsAt)
    for (const rows of [2, 4, 5]) {
      await server.services.db.transaction(async (q) => {
        const slice = (await claimSlice(q, interval, 2)) ?? expect.fail('claimed by another node')
        await rollUpHourSlice(q, interval, slice)
        expect(await completeSlice(q, interval, slice)).toBe(rows === 5)
      })
      expect(await readTable('check_hours')).toHaveLength(rows)
      await expectCorrect()
    }
    await createRollupJob().run()
    expect(await readTable('check_hours')).toHaveLength(5 * 3)
    await expectCorrect()
    // Responses now come from the rollups, so deleting the checks changes nothing.
    await server.services.db.query('delete from checks where checked_at >= $1 and checked_at < $2', [
      startsAt,
      new Date('2026-01-05T10:00:00Z'),
    ])
    await expectCorrect()
  })

  it('continues where a killed node stopped, and counts nothing twice', async () => {
    const monitors = await createMonitors(5, { fromMs: 90 * 60_000, everyMs: 60_000 })
    const startsAt = new Date('2026-01-05T08:00:00Z')
    const interval = { period: 'hour', startsAt, endsAt: new Date('2026-01-05T09:00:00Z') } as const
    await markDoneUntil(startsAt)
    await server.services.db.transaction(async (q) => {
      const slice = (await claimSlice(q, interval, 2)) ?? expect.fail('claimed by another node')
      await rollUpHourSlice(q, interval, slice)
      await completeSlice(q, interval, slice)
    })
    const killedTransaction = server.services.db.transaction(async (q) => {
      const slice = (await claimSlice(q, interval, 2)) ?? expect.fail('claimed by another node')
      await rollUpHourSlice(q, interval, slice)
      throw new Error('killed')
    })
    await expect(killedTransaction).rejects.toThrow('killed')
    expect(await readTable('check_hours')).toHaveLength(2)
    await createRollupJob().run()
    expect(await readTable('check_hours')).toHaveLength(10)
    for (const { id, checks } of monitors) expectSeries(await readSeries(id), checks)
  })

  it('happens once, even if several nodes run it at the same time', async () => {
    const monitors = await createMonitors(7, { fromMs: 5 * HOUR_MS, everyMs: 300_000 })
    await Promise.all(Array.from({ length: 4 }, () => createRollupJob().run()))
    // A node skips an interval that another node has claimed, so one more run may be necessary.
    await createRollupJob().run()
    expect(await readDoneUntil('hour')).toEqual(new Date('2026-01-05T10:00:00Z'))
    expect(await readTable('check_hours')).toHaveLength(7 * 5)
    for (const { id, checks } of monitors) expectSeries(await readSeries(id), checks)
    expect(server.logLines.filter((line) => line.includes('job failed'))).toEqual([])
  })

  it('waits until two minutes after the end of the hour', async () => {
    await createMonitors(1, { fromMs: 60 * 60_000, everyMs: 60_000 })
    clock.advance({ minutes: 41, seconds: 29 })
    await createRollupJob().run()
    expect(await readDoneUntil('hour')).toEqual(new Date('2026-01-05T10:00:00Z'))
    clock.advance({ seconds: 1 })
    await createRollupJob().run()
    expect(await readDoneUntil('hour')).toEqual(new Date('2026-01-05T11:00:00Z'))
    expect(await readTable('check_hours')).toHaveLength(2)
  })

  it('skips monitors that have been deleted', async () => {
    const [deletedMonitor, remainingMonitor] = await createMonitors(2, { fromMs: HOUR_MS, everyMs: 60_000 })
    await keyClient.call('DELETE', `${monitorsPath}/${deletedMonitor?.id}`)
    await createRollupJob().run()
    expect((await readTable('check_hours')).map((row) => row['monitor_id'])).toEqual([remainingMonitor?.id])
  })

  it('combines hours into UTC days without changing responses of the API', async () => {
    const monitors = await createMonitors(3, { fromMs: 25 * HOUR_MS, everyMs: 173_000 })
    const expectCorrect = async () => {
      for (const { id, checks } of monitors)
        for (const window of ['24h', '30d', '6mo', '1y']) expectSeries(await readSeries(id, window), checks)
    }
    await expectCorrect()
    await createRollupJob().run()
    expect(await readDoneUntil('day')).toEqual(new Date('2026-01-05T00:00:00Z'))
    expect(await readTable('check_days')).toHaveLength(3)
    await expectCorrect()
    clock.advance({ hours: 14 })
    const laterChecks = createTestChecks({ from: new Date('2026-01-05T23:50:00Z'), to: clock.now(), everyMs: 61_000 })
    for (const monitor of monitors) {
      await addChecks(server.services.db, monitor.id, laterChecks)
      monitor.checks.push(...laterChecks)
    }
    await expectCorrect()
    await createRollupJob().run()
    expect(await readDoneUntil('day')).toEqual(new Date('2026-01-06T00:00:00Z'))
    await expectCorrect()
  })

  it('catches up after weeks of downtime', async () => {
    const [monitor] = await createMonitors(1, { fromMs: 2 * HOUR_MS, everyMs: 60_000 })
    await createRollupJob().run()
    clock.advance({ days: 40 })
    const laterChecks = createTestChecks({ from: ago(HOUR_MS), to: clock.now(), everyMs: 60_000 })
    await addChecks(server.services.db, monitor?.id as number, laterChecks)
    await createRollupJob().run()
    expect(await readDoneUntil('hour')).toEqual(new Date('2026-02-14T10:00:00Z'))
    expect(await readDoneUntil('day')).toEqual(new Date('2026-02-14T00:00:00Z'))
    expectSeries(await readSeries(monitor?.id as number, '6mo'), [...(monitor?.checks ?? []), ...laterChecks])
    expect(await readTable('check_hours')).toHaveLength(1)
  })

  it('keeps hours for 3 days and days for 400 days', async () => {
    const { id } = await createMonitor(keyClient)
    await server.services.db.query(
      `insert into check_days (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
       select user_id, id, day, 1, 0, 10, '{10}', '{1}' from monitors,
         generate_series('2024-11-01T00:00:00Z'::timestamptz, '2026-01-04T00:00:00Z', interval '1 day') day where id = $1`,
      [id],
    )
    await server.services.db.query(`update rollups set done_until = '2026-01-05T00:00:00Z'`)
    for (let day = 0; day < 5; day++) {
      await addChecks(
        server.services.db,
        id,
        createTestChecks({ from: clock.now(), to: fromNow(DAY_MS), everyMs: HOUR_MS }),
      )
      clock.advance({ days: 1 })
      await createRollupJob().run()
    }
    expect(await readDoneUntil('day')).toEqual(new Date('2026-01-10T00:00:00Z'))
    expect((await readTable('check_hours'))[0]?.['starts_at']).toEqual(new Date('2026-01-07T00:00:00Z'))
    const days = await readTable('check_days')
    expect(days[0]?.['starts_at']).toEqual(new Date('2024-12-06T00:00:00Z'))
    expect(days).toHaveLength(400)
  })

  it('logs a database error and continues with the next run', async () => {
    const [monitor] = await createMonitors(1, { fromMs: HOUR_MS, everyMs: 60_000 })
    await server.services.db.query('alter table rollups rename to elsewhere')
    const job = createRollupJob()
    await job.run()
    expect(server.logLines.join()).toContain('job failed, retrying later: roll up checks')
    await server.services.db.query('alter table elsewhere rename to rollups')
    await job.run()
    expect(await readDoneUntil('hour')).toEqual(new Date('2026-01-05T10:00:00Z'))
    expectSeries(await readSeries(monitor?.id as number), monitor?.checks ?? [])
  })

  it('stops after the current slice, and does nothing after that', async () => {
    await createMonitors(5, { fromMs: 5 * HOUR_MS, everyMs: 300_000 })
    const job = createRollupJob()
    const pendingRun = job.run()
    await job.stop()
    await pendingRun
    expect(await readDoneUntil('hour')).not.toEqual(new Date('2026-01-05T10:00:00Z'))
    await job.run()
    expect(await readDoneUntil('hour')).not.toEqual(new Date('2026-01-05T10:00:00Z'))
  })

  it('includes checks in the default partition', async () => {
    await createPartitionJob().run()
    const { id } = await createMonitor(keyClient)
    const checks = createTestChecks({ from: ago(2 * HOUR_MS), to: fromNow(2 * HOUR_MS), everyMs: 60_000 })
    await addChecks(server.services.db, id, checks)
    clock.advance({ hours: 3 })
    expectSeries(await readSeries(id), checks)
    await createRollupJob().run()
    expectSeries(await readSeries(id), checks)
    expect(await readTable('check_hours')).toHaveLength(5)
  })
})

const fromNow = (ms: number) => ago(-ms)
