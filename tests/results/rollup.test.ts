import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepPartitions } from '../../src/results/partitions.ts'
import { keepRollups } from '../../src/results/rollup.ts'
import { claimSlice, completeSlice, rollUpHourSlice } from '../../src/results/rollup-store.ts'
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts'
import { type Answered, addChecks, expectSeries, type MadeCheck, makeChecks } from '../support/check-results.ts'
import type { Client } from '../support/client.ts'
import { TestClock } from '../support/clock.ts'
import { makeMonitor, path, startMonitoring } from '../support/monitors.ts'
import type { TestServer } from '../support/server.ts'

let server: TestServer
let key: Client
let clock: TestClock

beforeEach(async () => {
  clock = new TestClock(new Date('2026-01-05T10:20:30.400Z'))
  ;({ server, key } = await startMonitoring({ clock }))
})
afterEach(() => server.close())

/** Two monitors a slice, so that a few monitors make several. */
const rollups = () => keepRollups({ ...server.services, slices: { hour: 2, day: 2 } })
const partitions = () => keepPartitions(server.services)
const ask = async (id: number, window = '24h'): Promise<Answered> =>
  (await key.get(`${path}/${id}/checks?window=${window}`)).body
const rowsIn = async (table: string) =>
  server.services.db.query(`select * from ${table} order by user_id, monitor_id, starts_at`)
const doneUntil = async (period: string) =>
  (await server.services.db.query('select done_until from rollups where period = $1', [period]))[0]?.['done_until']
/** As if everything before were done. */
const beginAt = (hour: Date) =>
  server.services.db.query(`update rollups set done_until = date_trunc(period, $1::timestamptz)`, [hour])
const since = (ms: number) => new Date(clock.now().getTime() - ms)

/** Several monitors, each with checks of its own. */
async function watchMany(count: number, options: { fromMs: number; everyMs: number }) {
  const watched: { id: number; checks: MadeCheck[] }[] = []
  for (let n = 0; n < count; n++) {
    const { id } = await makeMonitor(key)
    const checks = makeChecks({ from: since(options.fromMs), to: clock.now(), everyMs: options.everyMs, seed: id })
    await addChecks(server.services.db, id, checks)
    watched.push({ id, checks })
  }
  return watched
}

describe('adding up', () => {
  it('changes no answer: before it, after each slice, and after it', async () => {
    const watched = await watchMany(5, { fromMs: 3 * HOUR_MS, everyMs: 37_000 })
    const check = async () => {
      for (const { id, checks } of watched)
        for (const window of ['24h', '30d']) expectSeries(await ask(id, window), checks)
    }
    await check()
    const startsAt = new Date('2026-01-05T07:00:00Z')
    const stretch = { period: 'hour', startsAt, endsAt: new Date('2026-01-05T08:00:00Z') } as const
    await beginAt(startsAt)
    for (const rows of [2, 4, 5]) {
      await server.services.db.transaction(async (q) => {
        const slice = (await claimSlice(q, stretch, 2)) ?? expect.fail('taken')
        await rollUpHourSlice(q, stretch, slice)
        expect(await completeSlice(q, stretch, slice)).toBe(rows === 5)
      })
      expect(await rowsIn('check_hours')).toHaveLength(rows)
      await check()
    }
    await rollups().run()
    expect(await rowsIn('check_hours')).toHaveLength(5 * 3)
    await check()
    // What is read is the rows now, and not the checks behind them.
    await server.services.db.query('delete from checks where checked_at >= $1 and checked_at < $2', [
      startsAt,
      new Date('2026-01-05T10:00:00Z'),
    ])
    await check()
  })

  it('goes on where a killed node stopped, and counts nothing twice', async () => {
    const watched = await watchMany(5, { fromMs: 90 * 60_000, everyMs: 60_000 })
    const startsAt = new Date('2026-01-05T08:00:00Z')
    const stretch = { period: 'hour', startsAt, endsAt: new Date('2026-01-05T09:00:00Z') } as const
    await beginAt(startsAt)
    await server.services.db.transaction(async (q) => {
      const slice = (await claimSlice(q, stretch, 2)) ?? expect.fail('taken')
      await rollUpHourSlice(q, stretch, slice)
      await completeSlice(q, stretch, slice)
    })
    const killed = server.services.db.transaction(async (q) => {
      const slice = (await claimSlice(q, stretch, 2)) ?? expect.fail('taken')
      await rollUpHourSlice(q, stretch, slice)
      throw new Error('killed')
    })
    await expect(killed).rejects.toThrow('killed')
    expect(await rowsIn('check_hours')).toHaveLength(2)
    await rollups().run()
    expect(await rowsIn('check_hours')).toHaveLength(10)
    for (const { id, checks } of watched) expectSeries(await ask(id), checks)
  })

  it('is done once by several nodes at once', async () => {
    const watched = await watchMany(7, { fromMs: 5 * HOUR_MS, everyMs: 300_000 })
    await Promise.all(Array.from({ length: 4 }, () => rollups().run()))
    // Whoever found another at it left it to that one, so somebody has done it all or the next round does.
    await rollups().run()
    expect(await doneUntil('hour')).toEqual(new Date('2026-01-05T10:00:00Z'))
    expect(await rowsIn('check_hours')).toHaveLength(7 * 5)
    for (const { id, checks } of watched) expectSeries(await ask(id), checks)
    expect(server.logged.filter((line) => line.includes('adding up'))).toEqual([])
  })

  it('waits until two minutes after the hour', async () => {
    await watchMany(1, { fromMs: 60 * 60_000, everyMs: 60_000 })
    clock.advance({ minutes: 41, seconds: 29 })
    await rollups().run()
    expect(await doneUntil('hour')).toEqual(new Date('2026-01-05T10:00:00Z'))
    clock.advance({ seconds: 1 })
    await rollups().run()
    expect(await doneUntil('hour')).toEqual(new Date('2026-01-05T11:00:00Z'))
    expect(await rowsIn('check_hours')).toHaveLength(2)
  })

  it('leaves out monitors that were deleted meanwhile', async () => {
    const [gone, kept] = await watchMany(2, { fromMs: HOUR_MS, everyMs: 60_000 })
    await key.call('DELETE', `${path}/${gone?.id}`)
    await rollups().run()
    expect((await rowsIn('check_hours')).map((row) => row['monitor_id'])).toEqual([kept?.id])
  })

  it('makes days of UTC out of hours, and answers the same across midnight', async () => {
    const watched = await watchMany(3, { fromMs: 25 * HOUR_MS, everyMs: 173_000 })
    const check = async () => {
      for (const { id, checks } of watched)
        for (const window of ['24h', '30d', '6mo', '1y']) expectSeries(await ask(id, window), checks)
    }
    await check()
    await rollups().run()
    expect(await doneUntil('day')).toEqual(new Date('2026-01-05T00:00:00Z'))
    expect(await rowsIn('check_days')).toHaveLength(3)
    await check()
    clock.advance({ hours: 14 })
    const more = makeChecks({ from: new Date('2026-01-05T23:50:00Z'), to: clock.now(), everyMs: 61_000 })
    for (const one of watched) {
      await addChecks(server.services.db, one.id, more)
      one.checks.push(...more)
    }
    await check()
    await rollups().run()
    expect(await doneUntil('day')).toEqual(new Date('2026-01-06T00:00:00Z'))
    await check()
  })

  it('catches up after weeks without a server', async () => {
    const [one] = await watchMany(1, { fromMs: 2 * HOUR_MS, everyMs: 60_000 })
    await rollups().run()
    clock.advance({ days: 40 })
    const later = makeChecks({ from: since(HOUR_MS), to: clock.now(), everyMs: 60_000 })
    await addChecks(server.services.db, one?.id as number, later)
    await rollups().run()
    expect(await doneUntil('hour')).toEqual(new Date('2026-02-14T10:00:00Z'))
    expect(await doneUntil('day')).toEqual(new Date('2026-02-14T00:00:00Z'))
    expectSeries(await ask(one?.id as number, '6mo'), [...(one?.checks ?? []), ...later])
    expect(await rowsIn('check_hours')).toHaveLength(1)
  })

  it('keeps hours for three days and days for 400', async () => {
    const { id } = await makeMonitor(key)
    await server.services.db.query(
      `insert into check_days (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
       select user_id, id, day, 1, 0, 10, '{10}', '{1}' from monitors,
         generate_series('2024-11-01T00:00:00Z'::timestamptz, '2026-01-04T00:00:00Z', interval '1 day') day where id = $1`,
      [id],
    )
    await server.services.db.query(`update rollups set done_until = '2026-01-05T00:00:00Z'`)
    for (let day = 0; day < 5; day++) {
      await addChecks(server.services.db, id, makeChecks({ from: clock.now(), to: comingUp(DAY_MS), everyMs: HOUR_MS }))
      clock.advance({ days: 1 })
      await rollups().run()
    }
    expect(await doneUntil('day')).toEqual(new Date('2026-01-10T00:00:00Z'))
    expect((await rowsIn('check_hours'))[0]?.['starts_at']).toEqual(new Date('2026-01-07T00:00:00Z'))
    const days = await rowsIn('check_days')
    expect(days[0]?.['starts_at']).toEqual(new Date('2024-12-06T00:00:00Z'))
    expect(days).toHaveLength(400)
  })

  it('outlives a database that fails, and says so', async () => {
    const [one] = await watchMany(1, { fromMs: HOUR_MS, everyMs: 60_000 })
    await server.services.db.query('alter table rollups rename to elsewhere')
    const rounds = rollups()
    await rounds.run()
    expect(server.logged.join()).toContain('adding up checks failed, trying again later')
    await server.services.db.query('alter table elsewhere rename to rollups')
    await rounds.run()
    expect(await doneUntil('hour')).toEqual(new Date('2026-01-05T10:00:00Z'))
    expectSeries(await ask(one?.id as number), one?.checks ?? [])
  })

  it('stops when it is told to, and does nothing after that', async () => {
    await watchMany(5, { fromMs: 5 * HOUR_MS, everyMs: 300_000 })
    const rounds = rollups()
    const round = rounds.run()
    await rounds.stop()
    await round
    expect(await doneUntil('hour')).not.toEqual(new Date('2026-01-05T10:00:00Z'))
    await rounds.run()
    expect(await doneUntil('hour')).not.toEqual(new Date('2026-01-05T10:00:00Z'))
  })

  it('takes rows from partitions and from outside of them alike', async () => {
    await partitions().run()
    const { id } = await makeMonitor(key)
    const checks = makeChecks({ from: since(2 * HOUR_MS), to: comingUp(2 * HOUR_MS), everyMs: 60_000 })
    await addChecks(server.services.db, id, checks)
    clock.advance({ hours: 3 })
    expectSeries(await ask(id), checks)
    await rollups().run()
    expectSeries(await ask(id), checks)
    expect(await rowsIn('check_hours')).toHaveLength(5)
  })
})

const comingUp = (ms: number) => since(-ms)
