/** Channels with a delay get alerts only about incidents that last longer than the delay. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeDelayedAlerts } from '../../src/alerts/queue-store.ts'
import { sendDueReminders } from '../../src/alerts/reminders.ts'
import { type AnnouncementFixture, startAnnouncementFixture } from '../support/announcements.ts'

let fixture: AnnouncementFixture
let monitorId: number
beforeAll(async () => {
  fixture = await startAnnouncementFixture()
})
afterAll(() => fixture.close())

/** The only channel of the monitor has a delay of 10 minutes. */
beforeEach(async () => {
  await fixture.renew()
  monitorId = await fixture.addMonitor('shop')
  await assign({ delay_minutes: 10 })
  await fixture.step()
})

const assign = (fields: object) =>
  fixture.alerts.owner.session.post(`/api/monitors/${monitorId}/notifications`, {
    provider_id: fixture.channelId,
    ...fields,
  })

async function acknowledge(): Promise<void> {
  const [incident] = await fixture.readIncidents(monitorId)
  const { status } = await fixture.alerts.owner.session.post(`/api/incidents/${incident?.id}/acknowledge`)
  expect(status).toBe(200)
}

async function readLog() {
  const { body } = await fixture.alerts.owner.session.get(`/api/monitors/${monitorId}/notifications/log`)
  return body.data.map(({ event, state }: { event: string; state: string }) => `${event} ${state}`)
}

/**
 * Advances the clock by this time. Then runs checks, announces incidents and sends messages once. This also sends
 * everything that became due in the meantime.
 */
const runMinutes = (minutes: number) => fixture.step(60 * minutes)

describe('a channel with a delay', () => {
  beforeEach(async () => {
    fixture.down.add('shop')
    await fixture.step(60)
  })

  it('gets the alert after the delay, and the recovery immediately', async () => {
    await runMinutes(9)
    expect([fixture.takeTitles(), await readLog()]).toEqual([[], ['down waiting']])
    await runMinutes(1)
    expect([fixture.takeTitles(), await readLog()]).toEqual([['Down: shop'], ['down sent']])
    fixture.down.clear()
    await runMinutes(1)
    expect(fixture.takeTitles()).toEqual([expect.stringMatching(/^Recovered after 11 min/)])
  })

  it('gets nothing if the incident ends before the delay does', async () => {
    await runMinutes(8)
    fixture.down.clear()
    await runMinutes(1)
    expect([fixture.takeTitles(), await readLog()]).toEqual([[], ['recovered skipped', 'down skipped']])
    await runMinutes(5)
    expect(fixture.takeTitles()).toEqual([])
  })

  it('gets neither the alert nor the recovery if the incident is acknowledged before the delay ends', async () => {
    await acknowledge()
    expect(await readLog()).toEqual(['down skipped'])
    await runMinutes(10)
    fixture.down.clear()
    await runMinutes(1)
    expect([fixture.takeTitles(), await readLog()]).toEqual([[], ['down skipped']])
  })

  it('gets the alert and the recovery if the incident is acknowledged after the delay ended', async () => {
    fixture.alerts.receiver.respondWith(503, 'busy')
    await runMinutes(10)
    await acknowledge()
    fixture.alerts.receiver.respondWith(200, 'ok')
    fixture.takeTitles()
    await runMinutes(1)
    fixture.down.clear()
    await runMinutes(1)
    expect(fixture.takeTitles()).toEqual(['Down: shop', expect.stringMatching(/^Recovered/)])
  })

  it('gets the alert or not, but never twice, if the incident is acknowledged when the delay ends', async () => {
    fixture.alerts.clock.advance({ minutes: 10 })
    await Promise.all([acknowledge(), fixture.announceOnly(), fixture.announceOnly()])
    await fixture.announce()
    const isSent = (await readLog())[0] === 'down sent'
    expect([fixture.takeTitles(), await readLog()]).toEqual(
      isSent ? [['Down: shop'], ['down sent']] : [[], ['down skipped']],
    )
  })

  it('gets nothing if the incident is acknowledged and ends at the same time', async () => {
    const [incident] = await fixture.readIncidents(monitorId)
    fixture.down.clear()
    const [response] = await Promise.all([
      fixture.alerts.owner.session.post(`/api/incidents/${incident?.id}/acknowledge`),
      fixture.check(monitorId, 0),
    ])
    expect([200, 409]).toContain(response.status)
    await runMinutes(20)
    expect(fixture.takeTitles()).toEqual([])
    const { body } = await fixture.alerts.owner.session.get(`/api/incidents/${incident?.id}`)
    expect(body.data).toMatchObject({ status: 'resolved', notified: [{ state: 'skipped' }] })
    expect(body.data.acknowledged_at !== null).toBe(response.status === 200)
  })

  it('gets nothing if the monitor is paused before the delay ends', async () => {
    await fixture.alerts.owner.session.put(`/api/monitors/${monitorId}`, { is_active: false })
    await fixture.announce()
    expect([fixture.takeTitles(), await readLog()]).toEqual([[], ['down skipped']])
  })

  it.each(['disabled', 'removed'])('gets nothing if it is %s before the delay ends', async (change) => {
    if (change === 'disabled') await assign({ enabled: false })
    else {
      const path = `/api/monitors/${monitorId}/notifications?provider_id=${fixture.channelId}`
      expect((await fixture.alerts.owner.session.delete(path)).status).toBe(200)
    }
    await runMinutes(10)
    expect([fixture.takeTitles(), await readLog()]).toEqual([[], ['down skipped']])
  })

  it('gets the alert even if the incident ended while the channel could not be reached', async () => {
    fixture.alerts.receiver.respondWith(503, 'busy')
    await runMinutes(10)
    fixture.alerts.receiver.respondWith(200, 'ok')
    fixture.takeTitles()
    fixture.down.clear()
    await runMinutes(1)
    await runMinutes(1)
    expect(fixture.takeTitles()).toEqual(['Down: shop', expect.stringMatching(/^Recovered/)])
  })

  it('keeps its delay if it works again after a failure', async () => {
    const otherMonitorId = await fixture.addMonitor('blog')
    await fixture.step()
    fixture.down.add('blog')
    fixture.alerts.receiver.respondWith(503, 'busy')
    await runMinutes(1)
    fixture.alerts.receiver.respondWith(200, 'ok')
    fixture.takeTitles()
    await runMinutes(2)
    expect(fixture.takeTitles()).toEqual(['Down: blog'])
    expect(otherMonitorId).toBeGreaterThan(monitorId)
    await runMinutes(7)
    expect(fixture.takeTitles()).toEqual(['Down: shop'])
  })

  it('waits for the end of a maintenance that begins during the delay', async () => {
    const maintenance = { title: 'Upgrade', monitor_ids: [monitorId], duration_seconds: 1_200 }
    expect((await fixture.alerts.owner.session.post('/api/maintenances', maintenance)).status).toBe(201)
    await runMinutes(19)
    expect(fixture.takeTitles()).toEqual([])
    await runMinutes(2)
    expect(fixture.takeTitles()).toEqual(['Down: shop'])
  })

  it("doesn't wait for the planned end of a maintenance that is ended early", async () => {
    const { session } = fixture.alerts.owner
    const maintenance = { title: 'Upgrade', monitor_ids: [monitorId], duration_seconds: 14_400 }
    const { id } = (await session.post('/api/maintenances', maintenance)).body.data
    await fixture.step(660)
    expect(fixture.takeTitles()).toEqual([])
    expect((await session.post(`/api/maintenances/${id}/end`)).status).toBe(200)
    await runMinutes(1)
    expect(fixture.takeTitles()).toEqual(['Down: shop'])
  })
})

it('a delay begins with the announcement, if a maintenance has held the announcement back', async () => {
  const maintenance = { title: 'Upgrade', monitor_ids: [monitorId], duration_seconds: 600 }
  await fixture.alerts.owner.session.post('/api/maintenances', maintenance)
  fixture.down.add('shop')
  await runMinutes(1)
  await runMinutes(9)
  await runMinutes(9)
  expect(fixture.takeTitles()).toEqual([])
  await runMinutes(1)
  expect(fixture.takeTitles()).toEqual(['Down: shop'])
})

it('a delayed channel gets nothing about an incident that was acknowledged while a maintenance held it back', async () => {
  const maintenance = { title: 'Upgrade', monitor_ids: [monitorId], duration_seconds: 600 }
  await fixture.alerts.owner.session.post('/api/maintenances', maintenance)
  const promptChannelId = await fixture.alerts.createChannel()
  await assign({ provider_id: promptChannelId })
  fixture.down.add('shop')
  await runMinutes(1)
  await acknowledge()
  await runMinutes(10)
  await runMinutes(10)
  expect([fixture.takeTitles(), await readLog()]).toEqual([['Down: shop'], ['down sent']])
})

it('reminders go only to channels that got the alert', async () => {
  await fixture.alerts.owner.session.put(`/api/monitors/${monitorId}`, { remind_every: 5 })
  const promptChannelId = await fixture.alerts.createChannel()
  await assign({ provider_id: promptChannelId })
  fixture.down.add('shop')
  await fixture.step(60)
  await runMinutes(5)
  const { db } = fixture.alerts.server.services
  await sendDueReminders({ db, clock: fixture.alerts.clock, isOffline: () => false, onAlerts: () => {} })
  const reminders = await db.query(`select provider_id from alerts where event = 'reminder'`)
  expect(reminders).toEqual([{ provider_id: promptChannelId }])
})

it("a warning that waits for the end of a maintenance doesn't hold back alerts about incidents", async () => {
  await assign({ delay_minutes: 0 })
  const { clock, server } = fixture.alerts
  await server.services.db.query(
    `insert into alerts (user_id, monitor_id, provider_id, event, occurrence, title, body, created_at, delayed_until, next_attempt_at)
     select user_id, id, $2, 'certificate', '14', 'Certificate expires in 14 days: shop', '', $3, $4, $4 from monitors where id = $1`,
    [monitorId, fixture.channelId, clock.now(), new Date(clock.now().getTime() + 60 * 60_000)],
  )
  fixture.down.add('shop')
  await runMinutes(1)
  expect(fixture.takeTitles()).toEqual(['Down: shop'])
})

it('a channel that is assigned during an incident gets no recovery, because it got no alert', async () => {
  const lateChannelId = await fixture.alerts.createChannel({ webhook_url: `${fixture.alerts.receiver.address}/late` })
  fixture.down.add('shop')
  await fixture.step(60)
  await assign({ provider_id: lateChannelId })
  await runMinutes(10)
  expect(fixture.takeTitles()).toEqual(['Down: shop'])
  fixture.down.clear()
  await runMinutes(1)
  expect(fixture.alerts.receiver.received.map(({ path }) => path)).toEqual(['/hook'])
})

it('a channel that is assigned during an incident gets the recovery after a reminder', async () => {
  await fixture.alerts.owner.session.put(`/api/monitors/${monitorId}`, { remind_every: 30 })
  const lateChannelId = await fixture.alerts.createChannel({ webhook_url: `${fixture.alerts.receiver.address}/late` })
  fixture.down.add('shop')
  await fixture.step(60)
  await assign({ provider_id: lateChannelId })
  fixture.alerts.clock.advance({ minutes: 30 })
  await sendDueReminders({ ...fixture.alerts.server.services, isOffline: () => false, onAlerts() {} })
  await fixture.announce()
  fixture.takeTitles()
  fixture.down.clear()
  await runMinutes(1)
  expect(fixture.alerts.receiver.received.map(({ path }) => path).sort()).toEqual(['/hook', '/late'])
})

describe('two nodes that decide about a delayed alert at the same time', () => {
  it.each(['skip', 'send'] as const)('carry out only the first decision: %s', async (first) => {
    fixture.down.add('shop')
    await fixture.step(60)
    const { db } = fixture.alerts.server.services
    const [alert] = await db.query<{ teamId: number; alertId: number }>(
      'select user_id as "teamId", id as "alertId" from alerts where delayed_until is not null',
    )
    if (alert === undefined) throw new Error('No alert is delayed.')
    const decide = (action: 'skip' | 'send') => writeDelayedAlerts(db, [{ ...alert, action }])
    expect(await decide(first)).toBe(1)
    expect(await decide(first === 'skip' ? 'send' : 'skip')).toBe(0)
    expect(await readLog()).toEqual([first === 'skip' ? 'down skipped' : 'down waiting'])
  })

  it.each(['acknowledge', 'send'] as const)(
    'carry out only the first of acknowledging and sending: %s',
    async (first) => {
      fixture.down.add('shop')
      await fixture.step(60)
      const { db } = fixture.alerts.server.services
      const delayedAlerts = await db.query<{ teamId: number; alertId: number }>(
        'select user_id as "teamId", id as "alertId" from alerts where delayed_until is not null',
      )
      const send = () =>
        writeDelayedAlerts(
          db,
          delayedAlerts.map((alert) => ({ ...alert, action: 'send' })),
        )
      if (first === 'send') {
        expect(await send()).toBe(1)
        await acknowledge()
        expect(await readLog()).toEqual(['down waiting'])
        return
      }
      await acknowledge()
      expect(await send()).toBe(0)
      expect(await readLog()).toEqual(['down skipped'])
      // A node of an earlier version doesn't know acknowledgements, and stores a delayed alert after one.
      await db.query(`update alerts set state = 'waiting', next_attempt_at = delayed_until`)
      await fixture.announceOnly()
      expect(await readLog()).toEqual(['down skipped'])
    },
  )
})
