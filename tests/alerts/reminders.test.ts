import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sendDueReminders } from '../../src/alerts/reminders.ts'
import { type AlertFixture, startAlertFixture } from '../support/alerts.ts'
import { addIncident } from '../support/monitors.ts'

let fixture: AlertFixture
let monitorId: number
let channelId: number
let isOffline = false

beforeAll(async () => {
  fixture = await startAlertFixture()
})
afterAll(() => fixture.close())

/** The monitor went down just now and has a reminder every ten minutes. */
beforeEach(async () => {
  isOffline = false
  monitorId = await fixture.createMonitor({ remind_every: 10 })
  channelId = await fixture.createChannel()
  await assign(channelId)
  const incidentId = await addIncident(fixture.server, monitorId, { from: 0, detail: 'Status 503, expected 200–399' })
  await query(`update incidents set remind_at = $1::timestamptz + interval '10 minutes' where id = $2`, [
    fixture.clock.now(),
    incidentId,
  ])
})
// Without this, the monitor would stay down, and have reminders in later tests.
afterEach(() => query('delete from monitors where id = $1', [monitorId]))

const query = (text: string, values: unknown[]) => fixture.server.services.db.query(text, values)

async function assign(id: number, enabled = true): Promise<void> {
  await fixture.owner.session.post(`/api/monitors/${monitorId}/notifications`, { provider_id: id, enabled })
}

/** Advances the clock and sends due reminders. Returns how often `onAlerts` was called. */
async function remindAfter(minutes: number): Promise<number> {
  let calls = 0
  fixture.clock.advance({ minutes })
  const { db } = fixture.server.services
  await sendDueReminders({ db, clock: fixture.clock, isOffline: () => isOffline, onAlerts: () => calls++ })
  return calls
}

const readReminders = () =>
  query('select * from alerts where monitor_id = $1 order by id', [monitorId]) as Promise<Record<string, unknown>[]>

const markSent = () =>
  query(`update alerts set state = 'sent', next_attempt_at = null where monitor_id = $1`, [monitorId])

describe('a reminder', () => {
  it('is sent at the interval of the monitor while it is down', async () => {
    expect(await remindAfter(9)).toBe(0)
    expect(await readReminders()).toEqual([])
    expect(await remindAfter(1)).toBe(1)
    expect(await readReminders()).toMatchObject([
      {
        event: 'reminder',
        occurrence: '1',
        provider_id: channelId,
        state: 'waiting',
        title: 'Still down after 10 min: Shop',
        next_attempt_at: fixture.clock.now(),
      },
    ])
    expect((await readReminders())[0]?.['body']).toMatch(
      /^https:\/\/example.com\/\nCause: Status 503.*\nDown for 10 min, since /,
    )
    await markSent()
    await remindAfter(5)
    expect(await readReminders()).toHaveLength(1)
    await remindAfter(5)
    expect((await readReminders()).map(({ occurrence }) => occurrence)).toEqual(['1', '2'])
  })

  it('is not sent after the incident was acknowledged, also if the interval is changed', async () => {
    await remindAfter(10)
    await markSent()
    await remindAfter(10)
    const { session } = fixture.owner
    const [incident] = (await session.get(`/api/monitors/${monitorId}/incidents`)).body.data
    expect((await session.post(`/api/incidents/${incident.id}/acknowledge`)).status).toBe(200)
    await session.call('PATCH', `/api/monitors/${monitorId}`, { json: { remind_every: 5 } })
    expect(await remindAfter(60)).toBe(0)
    // A node of an earlier version doesn't know acknowledgements, and schedules a reminder.
    await query('update incidents set remind_at = $1 where id = $2', [fixture.clock.now(), incident.id])
    expect(await remindAfter(60)).toBe(0)
    expect((await readReminders()).map(({ state }) => state)).toEqual(['sent', 'skipped'])
  })

  it('is not skipped if a node may be sending it when the incident is acknowledged', async () => {
    await remindAfter(10)
    await query('update providers set claimed_by = 1 where id = $1', [channelId])
    const { session } = fixture.owner
    const [incident] = (await session.get(`/api/monitors/${monitorId}/incidents`)).body.data
    expect((await session.post(`/api/incidents/${incident.id}/acknowledge`)).status).toBe(200)
    expect(await readReminders()).toMatchObject([{ state: 'waiting' }])
  })

  it('is sent once, however many nodes there are', async () => {
    fixture.clock.advance({ minutes: 10 })
    await Promise.all(Array.from({ length: 5 }, () => remindAfter(0)))
    expect(await readReminders()).toHaveLength(1)
  })

  it('is sent to the channels that are enabled at that time', async () => {
    const otherChannelId = await fixture.createChannel()
    await assign(otherChannelId)
    await assign(channelId, false)
    await remindAfter(10)
    expect((await readReminders()).map(({ provider_id }) => provider_id)).toEqual([otherChannelId])
  })

  it('is not sent while an earlier alert is still waiting', async () => {
    await remindAfter(10)
    await remindAfter(10)
    expect(await readReminders()).toHaveLength(1)
  })

  it('waits while our own network is down', async () => {
    isOffline = true
    await remindAfter(30)
    expect(await readReminders()).toEqual([])
    isOffline = false
    await remindAfter(0)
    expect(await readReminders()).toHaveLength(1)
  })

  it('is not sent after the incident has ended', async () => {
    await fixture.owner.session.put(`/api/monitors/${monitorId}`, { is_active: false })
    await remindAfter(10)
    expect(await readReminders()).toEqual([])
  })

  it.each([
    [0, 60, 0],
    [5, 5, 1],
    [30, 29, 0],
    [30, 30, 1],
  ])(
    'follows a new remind_every of %i minutes: after %i minutes, %i reminders exist',
    async (every, minutes, count) => {
      await fixture.owner.session.put(`/api/monitors/${monitorId}`, { remind_every: every })
      await remindAfter(minutes)
      expect(await readReminders()).toHaveLength(count)
    },
  )

  it('can be turned on while the monitor is down', async () => {
    await fixture.owner.session.put(`/api/monitors/${monitorId}`, { remind_every: 0 })
    await fixture.owner.session.put(`/api/monitors/${monitorId}`, { remind_every: 20 })
    await remindAfter(20)
    expect(await readReminders()).toHaveLength(1)
  })
})
