/** Beats and their absence change the status of a heartbeat. The checker runs for real, with a clock that the tests set. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteExpired } from '../../src/app/delete-expired.ts'
import type { ReceivingOutage } from '../../src/heartbeats/evaluate.ts'
import { findLastOutage, recordReceiving } from '../../src/heartbeats/outage-store.ts'
import { channelsPath, getSample } from '../support/channels.ts'
import { expectWithin } from '../support/expect-within.ts'
import { readRows } from '../support/monitors.ts'
import { type Heartbeat, type HeartbeatFixture, startHeartbeatFixture } from './support.ts'

let fixture: HeartbeatFixture
beforeAll(async () => {
  fixture = await startHeartbeatFixture()
})
afterAll(() => fixture.close())

/** Creates a heartbeat that is up: its last beat arrived now. */
async function createBeatingHeartbeat(heartbeat?: object): Promise<Heartbeat> {
  const newHeartbeat = await fixture.create(heartbeat)
  await newHeartbeat.beat()
  await fixture.advance(0)
  return newHeartbeat
}

const now = () => fixture.server.clock.now().toISOString()
const readStatus = async (heartbeat: Heartbeat) => (await heartbeat.get()).status

describe('a heartbeat', () => {
  it('is pending until its first beat, without an incident', async () => {
    const heartbeat = await fixture.create()
    await fixture.advance(1)
    expect(await readStatus(heartbeat)).toBe('pending')
    await fixture.advance(7 * 86_400)
    expect(await heartbeat.get()).toMatchObject({ status: 'pending', last_error: null })
    expect((await heartbeat.list()).meta).toMatchObject({ last_beat_at: null, next_expected_at: null })
    await heartbeat.beat()
    await fixture.advance(0)
    expect(await heartbeat.get()).toMatchObject({ status: 'up', last_checked_at: now(), last_response_ms: null })
    expect(await heartbeat.listIncidents()).toEqual([])
  })

  it('stays up if beats arrive early, or several at the same time', async () => {
    const heartbeat = await createBeatingHeartbeat()
    await fixture.advance(600)
    await Promise.all([heartbeat.beat(), heartbeat.beat(), heartbeat.beat('/0')])
    await fixture.advance(0)
    expect((await heartbeat.list()).data).toHaveLength(4)
    await fixture.advance(3_600 + 300)
    expect(await readStatus(heartbeat)).toBe('up')
    await heartbeat.beat()
    await fixture.advance(3_600 + 300)
    expect([await readStatus(heartbeat), await heartbeat.listIncidents()]).toEqual(['up', []])
  })

  it('is down if a beat is late by more than its grace, and up with the next beat', async () => {
    const heartbeat = await createBeatingHeartbeat()
    await fixture.advance(3_600 + 300)
    expect(await readStatus(heartbeat)).toBe('up')
    await fixture.advance(1)
    expect(await heartbeat.get()).toMatchObject({
      status: 'down',
      down_since: now(),
      last_error: expect.stringMatching(/^No beat since .+ UTC, expected at .+ UTC$/),
    })
    expect(await heartbeat.listIncidents()).toMatchObject([{ status: 'open', cause: 'heartbeat_missed' }])
    await fixture.advance(3_600)
    await heartbeat.beat('/start')
    await fixture.advance(60)
    expect(await readStatus(heartbeat)).toBe('down')
    await heartbeat.beat()
    await fixture.advance(0)
    expect(await heartbeat.get()).toMatchObject({ status: 'up', last_error: null })
    expect(await heartbeat.listIncidents()).toMatchObject([{ status: 'resolved', resolution: 'recovered' }])
  })

  it('is down immediately if its job fails, and the failure is announced even if the job recovers at the same time', async () => {
    const heartbeat = await createBeatingHeartbeat()
    const { session } = fixture.owner
    const { body: channel } = await session.post(channelsPath, getSample('email'))
    await session.post(`/api/monitors/${heartbeat.id}/notifications`, { provider_id: channel.data.id })
    await fixture.advance(60)
    await heartbeat.beat('/start')
    await fixture.advance(30)
    await heartbeat.beat('/137', { method: 'POST', body: 'Killed' })
    await heartbeat.beat('/0', { method: 'POST', body: 'Done' })
    await fixture.advance(0)
    expect(await heartbeat.get()).toMatchObject({ status: 'down', last_error: 'Job failed with exit code 137' })
    await fixture.advance(0)
    expect(await readStatus(heartbeat)).toBe('up')
    expect(await heartbeat.listIncidents()).toMatchObject([
      { cause: 'heartbeat_failed', detail: 'Job failed with exit code 137', status: 'resolved' },
    ])
    const alerts = await readRows(fixture.server, 'alerts', heartbeat.id)
    expect(alerts.map(({ event, body }) => [event, body.includes('/beat/')]).sort()).toEqual([
      ['down', false],
      ['recovered', false],
    ])
    expect((await heartbeat.list()).meta).toMatchObject({ last_output: 'Done' })
  })

  it('whose run starts but never finishes goes down after its grace', async () => {
    const heartbeat = await createBeatingHeartbeat()
    await fixture.advance(3_600)
    await heartbeat.beat('/start')
    const startedAt = now()
    await fixture.advance(0)
    expect((await heartbeat.list()).meta).toMatchObject({ run_started_at: startedAt })
    await fixture.advance(300)
    expect(await readStatus(heartbeat)).toBe('up')
    await fixture.advance(1)
    expect((await heartbeat.get()).last_error).toContain('Started at')
    expect((await heartbeat.get()).last_error).toContain('not finished')
    expect(await readStatus(heartbeat)).toBe('down')
  })

  it('records the duration of each run once as a response time, even if several runs are processed together', async () => {
    const heartbeat = await createBeatingHeartbeat()
    await fixture.advance(60)
    for (const seconds of [1, 2, 3, 40]) {
      await heartbeat.beat('/start')
      fixture.server.clock.advance({ seconds })
      await heartbeat.beat('/0')
    }
    await fixture.advance(60)
    const { body } = await fixture.keyClient.get(`/api/monitors/${heartbeat.id}/checks?window=1h`)
    expect(body.meta).toMatchObject({ total: 5, failed: 0 })
    expectWithin(body.meta.p99_ms, 40_000, 499)
    expect(await heartbeat.get()).toMatchObject({ last_response_ms: 40_000 })
    const durations = (await heartbeat.list()).data.map(({ duration_ms }) => duration_ms)
    expect(durations).toEqual([40_000, null, 3_000, null, 2_000, null, 1_000, null, null])
    expect(await readRows(fixture.server, 'beat_inbox', heartbeat.id)).toEqual([])
  })

  it('keeps its schedule while it is paused, and starts again as pending', async () => {
    const heartbeat = await createBeatingHeartbeat()
    await fixture.keyClient.put(`/api/monitors/${heartbeat.id}`, { is_active: false })
    expect((await heartbeat.beat('/fail')).status).toBe(200)
    await fixture.advance(86_400)
    expect(await heartbeat.get()).toMatchObject({ status: 'paused' })
    expect((await heartbeat.list()).data).toHaveLength(1)
    await fixture.keyClient.put(`/api/monitors/${heartbeat.id}`, { is_active: true })
    await fixture.advance(86_400)
    expect(await readStatus(heartbeat)).toBe('pending')
  })

  it('is not down before the next expected time if no node ran', async () => {
    const heartbeat = await createBeatingHeartbeat()
    await fixture.advance(3_600 + 600)
    expect([await readStatus(heartbeat), await heartbeat.listIncidents()]).toEqual(['up', []])
    await fixture.advance(3_600 + 300)
    expect(await readStatus(heartbeat)).toBe('up')
    await fixture.advance(1)
    expect(await readStatus(heartbeat)).toBe('down')
  })

  it('is not down before the next expected time if no node could store the expected beat', async () => {
    const { db } = fixture.server.services
    const heartbeat = await createBeatingHeartbeat()
    await fixture.advance(3_600)
    await recordReceiving(db)
    // The server's own job also updates this row, but with PostgreSQL's time, which doesn't affect this test.
    await db.query(
      `update beat_reception set outage_from = $1::timestamptz - interval '8 seconds', outage_until = $1::timestamptz + interval '2 seconds'`,
      [fixture.server.clock.now()],
    )
    await fixture.advance(301)
    expect([await readStatus(heartbeat), await heartbeat.listIncidents()]).toEqual(['up', []])
    await fixture.advance(3_600 + 301)
    expect(await readStatus(heartbeat)).toBe('down')

    await db.query(`update beat_reception set receiving_until = now() - interval '1 minute'`)
    await recordReceiving(db)
    const { from, until } = (await findLastOutage(db)) as ReceivingOutage
    expect(until.getTime() - from.getTime()).toBeGreaterThanOrEqual(60_000)
    await recordReceiving(db)
    expect(await findLastOutage(db)).toEqual({ from, until })
  })

  it('is not down before the next expected time after its schedule has changed', async () => {
    const heartbeat = await createBeatingHeartbeat()
    await fixture.advance(1_800)
    await fixture.keyClient.put(`/api/monitors/${heartbeat.id}`, { heartbeat: { period: 60, grace: 0 } })
    await fixture.advance(0)
    expect(await readStatus(heartbeat)).toBe('up')
    await fixture.advance(61)
    expect(await readStatus(heartbeat)).toBe('down')
  })

  it('is evaluated immediately on request, and cannot be checked before it is saved', async () => {
    const heartbeat = await createBeatingHeartbeat()
    const check = async () => (await fixture.keyClient.post(`/api/monitors/${heartbeat.id}/check`)).body.data
    expect(await check()).toMatchObject({ ok: true, status: 'up', detail: expect.stringContaining('Next beat is') })
    await heartbeat.beat('/fail')
    expect(await check()).toMatchObject({ ok: false, status: 'down', cause: 'heartbeat_failed' })
    const pendingHeartbeat = await fixture.create()
    const { body } = await fixture.keyClient.post(`/api/monitors/${pendingHeartbeat.id}/check`)
    expect(body.data).toMatchObject({ ok: null, status: 'pending', detail: 'Waiting for the first beat' })

    for (const input of [{ type: 'heartbeat', heartbeat: { period: 60 } }, { monitor_id: heartbeat.id }]) {
      const response = await fixture.keyClient.post('/api/monitors/try', input)
      expect(response.status).toBe(422)
      expect(response.body.errors.type).toEqual([
        "A heartbeat can't be tried: save it, and send a beat to its URL instead.",
      ])
    }
  })

  it('processes a beat that arrives while its check is running', async () => {
    const heartbeat = await createBeatingHeartbeat()
    const { loop } = fixture.checker
    await heartbeat.beat('/start')
    await fixture.server.services.db.query(`update monitor_states set due_at = $2 where monitor_id = $1`, [
      heartbeat.id,
      fixture.server.clock.now(),
    ])
    await loop.claimDue()
    // The failure arrives after the check was claimed, and before the result of the check is recorded.
    await heartbeat.beat('/fail')
    await loop.runAllClaimed()
    await fixture.advance(0)
    expect(await readStatus(heartbeat)).toBe('down')
  })

  it('keeps a limited number of beats, even if its beats alternate with those of another heartbeat', async () => {
    const [heartbeat, otherHeartbeat] = [
      await createBeatingHeartbeat({ period: 10, grace: 300 }),
      await createBeatingHeartbeat({ period: 10 }),
    ]
    await fixture.server.services.db.query(
      `insert into beats (user_id, monitor_id, id, received_at, kind, is_failure)
       select user_id, id, -n, now(), 'alive', false from monitors, generate_series(1, 300) n where id = $1`,
      [heartbeat.id],
    )
    for (let round = 0; round < 16; round++) {
      await heartbeat.beat()
      await otherHeartbeat.beat()
      await fixture.advance(120)
    }
    expect((await readRows(fixture.server, 'beats', heartbeat.id)).length).toBeLessThanOrEqual(116)
  })

  it('keeps its latest 100 beats, and leaves nothing behind when it is deleted', async () => {
    const heartbeat = await createBeatingHeartbeat({ period: 10, grace: 300 })
    for (let round = 0; round < 4; round++) {
      await Promise.all(Array.from({ length: 48 }, () => heartbeat.beat()))
      await fixture.advance(120)
    }
    expect((await heartbeat.list()).data).toHaveLength(100)
    // Belfry deletes old beats before it adds new ones, so up to 48 new beats are stored beside the 100.
    expect((await readRows(fixture.server, 'beats', heartbeat.id)).length).toBeLessThanOrEqual(148)
    // A beat that is not processed before its monitor is deleted stays in the inbox for a day.
    await heartbeat.beat()
    await fixture.keyClient.delete(`/api/monitors/${heartbeat.id}`)
    expect((await heartbeat.beat()).status).toBe(404)
    fixture.server.clock.advance({ hours: 25 })
    await deleteExpired(fixture.server.services)
    for (const table of ['beat_inbox', 'beats', 'heartbeats']) {
      expect([table, await readRows(fixture.server, table, heartbeat.id)]).toEqual([table, []])
    }
  })
})

describe('a heartbeat with a cron expression', () => {
  // In Berlin, 2:30 does not exist on 29 March 2026, and exists twice on 25 October. These tests come last, because the
  // clock only goes forward.
  it.each([
    // These are the times in UTC of 3:30 in Berlin: on the day before the clock change, on the day of the change, and
    // on the day after it.
    ['spring', ['2026-03-28T02:30:00Z', '2026-03-29T01:30:00Z', '2026-03-30T01:30:00Z']],
    ['autumn', ['2026-10-24T01:30:00Z', '2026-10-25T02:30:00Z', '2026-10-26T02:30:00Z']],
  ])('expects its beats at the local time before and after the clock change in %s', async (_season, days) => {
    const [dayBefore = '', changeDay = '', dayAfter = ''] = days
    await fixture.goTo(new Date(Date.parse(dayBefore) - 60_000).toISOString())
    const schedule = { cron: '30 3 * * *', time_zone: 'Europe/Berlin', grace: 300 }
    const punctualHeartbeat = await createBeatingHeartbeat(schedule)
    const stoppingHeartbeat = await createBeatingHeartbeat(schedule)
    const goToDeadline = (time: string) => fixture.goTo(new Date(Date.parse(time) + 301_000).toISOString())
    await fixture.goTo(dayBefore)
    await Promise.all([punctualHeartbeat.beat(), stoppingHeartbeat.beat()])
    await fixture.advance(0)
    expect((await punctualHeartbeat.list()).meta['next_expected_at']).toBe(new Date(changeDay).toISOString())
    await fixture.goTo(changeDay)
    await punctualHeartbeat.beat()
    await goToDeadline(changeDay)
    expect([await readStatus(punctualHeartbeat), await readStatus(stoppingHeartbeat)]).toEqual(['up', 'down'])
    expect((await punctualHeartbeat.list()).meta['next_expected_at']).toBe(new Date(dayAfter).toISOString())
    await fixture.goTo(dayAfter)
    await punctualHeartbeat.beat()
    await goToDeadline(dayAfter)
    expect([await readStatus(punctualHeartbeat), (await punctualHeartbeat.listIncidents()).length]).toEqual(['up', 0])
  })
})
