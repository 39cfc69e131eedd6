/** Alerts say what an outage costs. They are sent even if the cost can't be measured. */
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { measureIncident } from '../../src/impact/measure.ts'
import { claimDueIncidents } from '../../src/impact/measure-store.ts'
import { addMs } from '../../src/lib/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { type AlertFixture, createAlertFixtures } from '../support/alerts.ts'
import { expectWithin } from '../support/expect-within.ts'
import { addIncident } from '../support/monitors.ts'
import { insertPastVisits } from '../support/past-visits.ts'
import { sampleImpact } from '../support/sample-messages.ts'

const fixtures = createAlertFixtures()
let fixture: AlertFixture
beforeEach(async () => {
  fixture = await fixtures.start()
})
afterAll(() => fixtures.close())

const SLOT_MS = 5 * MINUTE_MS
const VISITS_PER_SLOT = 10

/** Adds the website of the monitor, with eight weeks of steady traffic until an hour ago, which was midnight. */
async function addWebsite(): Promise<void> {
  const { owner, server, clock } = fixture
  clock.advance({ hours: 15 })
  const { body } = await owner.session.post('/api/v1/websites', { domain: 'example.com' })
  await insertPastVisits(server.services.db, body.data.id, {
    days: 8 * 7,
    to: clock.now(),
    countAt: (at) => VISITS_PER_SLOT - 1 + ((at / SLOT_MS) % 3),
  })
}

type IncidentEvent = 'down' | 'recovered' | 'reminder'

/** Adds an outage that began an hour ago. */
async function addOutage(options: { to?: number } = {}): Promise<number> {
  const { server, clock, monitorId } = fixture
  const incidentId = await addIncident(server, monitorId, { from: 3600, ...options })
  await server.services.db.query('update incidents set measure_at = $2 where id = $1', [incidentId, clock.now()])
  return incidentId
}

/** Sends alerts about an outage, and returns the texts that the receiver gets. */
async function sendAlerts(incidentId: number, ...events: IncidentEvent[]): Promise<string[]> {
  const { receiver } = fixture
  const channelId = await fixture.createChannel()
  for (const event of events) await fixture.addAlert(channelId, { event, incidentId })
  receiver.received.length = 0
  await (await fixture.startNode()).outbox.runOnce()
  return receiver.received.map(({ body }) => JSON.parse(body).text)
}

/**
 * On a busy machine, the first alerts may be sent before the measurement has ended. So this function sends alerts until
 * the text matches, and returns the figures in it.
 */
async function sendUntil(pattern: RegExp, incidentId: number, event: IncidentEvent): Promise<number[]> {
  return vi.waitFor(async () => {
    const [text = ''] = await sendAlerts(incidentId, event)
    expect(text).toMatch(pattern)
    return (pattern.exec(text) ?? []).slice(1).map(Number)
  }, 40_000)
}

describe('an alert about a monitor of a website', () => {
  it.each(['down', 'reminder'] as const)('of the event %s says that visitors are gone', async (event) => {
    await addWebsite()
    const pattern = /\nTraffic: visitors are gone \(0 of (\d+) expected\)/
    const [expectedVisits = 0] = await sendUntil(pattern, await addOutage(), event)
    expectWithin(expectedVisits, 12 * VISITS_PER_SLOT, 29)
  })

  it('says how many visits were missed once the monitor is up again', async () => {
    await addWebsite()
    const pattern = /\nImpact: about (\d+) visits missed \((\d+) to (\d+)\)/
    const [missedVisits = 0, low = 0, high = 0] = await sendUntil(pattern, await addOutage({ to: 0 }), 'recovered')
    expectWithin(missedVisits, 12 * VISITS_PER_SLOT, 29)
    expect([low < missedVisits, missedVisits < high]).toEqual([true, true])
  })

  it('does not wait for a node that has begun to measure the incident', async () => {
    await addWebsite()
    const { server, clock } = fixture
    const { db } = server.services
    const incidentId = await addOutage()
    await measureIncident(server.services, { teamId: fixture.owner.id, monitorId: fixture.monitorId, incidentId })
    clock.advance({ minutes: 1 })
    const now = clock.now()
    await db.query(`update incidents set resolved_at = $2, resolution = 'recovered', measure_at = $2 where id = $1`, [
      incidentId,
      now,
    ])
    expect(await claimDueIncidents(db, now, addMs(now, HOUR_MS), 1)).toMatchObject([{ incidentId }])
    const [missedVisits = 0] = await sendUntil(/\nImpact: about (\d+) visits missed/, incidentId, 'recovered')
    const [incident] = await db.query('select measured_at, impact from incidents where id = $1', [incidentId])
    expect(incident).toMatchObject({ measured_at: now, impact: { visits_missed: missedVisits } })
  })

  it('says nothing about visitors if the monitor belongs to no website', async () => {
    const texts = await sendAlerts(await addOutage({ to: 0 }), 'down', 'recovered')
    expect(texts).toHaveLength(2)
    expect(texts.join('\n')).not.toMatch(/Traffic:|Impact/)
  })
})

describe('an alert is sent without the impact', () => {
  it('if the measurement takes too long, and the next alerts do not wait', async () => {
    await addWebsite()
    const incidentId = await addOutage({ to: 0 })
    const { db } = fixture.server.services
    const tableLock = Promise.withResolvers<void>()
    const lockRelease = Promise.withResolvers<void>()
    const lock = db.transaction(async (q) => {
      await q.query('lock table traffic_days in access exclusive mode')
      tableLock.resolve()
      await lockRelease.promise
    })
    await tableLock.promise
    const texts = await sendAlerts(incidentId, 'down', 'reminder', 'recovered').finally(() => lockRelease.resolve())
    await lock
    expect(texts).toHaveLength(3)
    expect(texts.join('\n')).not.toMatch(/Traffic:|Impact/)
    expect(fixture.server.logLines.filter((line) => line.includes('is slow'))).toHaveLength(1)
  })

  it('if the measurement fails', async () => {
    await addWebsite()
    const incidentId = await addOutage({ to: 0 })
    const { db } = fixture.server.services
    await db.query('alter table traffic_days rename column visit_slots to other_name')
    onTestFinished(async () => {
      await db.query('alter table traffic_days rename column other_name to visit_slots')
    })
    const texts = await sendAlerts(incidentId, 'down', 'recovered')
    expect(texts).toHaveLength(2)
    expect(texts.join('\n')).not.toMatch(/Traffic:|Impact/)
    await vi.waitFor(() => expect(fixture.server.logLines.join('\n')).toContain('could not be measured'), 20_000)
  })
})

it('an alert has the stored figures if they are up to date', async () => {
  const { server, monitorId } = fixture
  const incidentId = await addIncident(server, monitorId, { from: 3600 })
  await server.services.db.query(
    `update incidents set measure_at = null, visitors = 'normal', diagnosis = 'site_silent', impact = $2 where id = $1`,
    [incidentId, JSON.stringify(sampleImpact)],
  )
  const channelId = await fixture.createChannel({
    provider_type: 'webhook',
    webhook_url: undefined,
    url: `${fixture.receiver.address}/webhook`,
  })
  await fixture.addAlert(channelId, { incidentId })
  await (await fixture.startNode()).outbox.runOnce()
  const message = JSON.parse(fixture.receiver.received[0]?.body ?? '')
  expect(message).toMatchObject({
    event: 'down',
    incident: { id: incidentId, impact: sampleImpact, visitors: 'normal', diagnosis: 'site_silent' },
  })
  expect(message.text).toContain('\nTraffic: visitors are still arriving as usual (11 of 151 expected)')
})

it('an alert about a traffic spike has its figures, and is listed in the log', async () => {
  const { owner, monitorId, clock } = fixture
  const details = {
    visits: 312,
    expected: 40.2,
    factor: 7.8,
    source: 'news.ycombinator.com',
    source_visits: 250,
    since: addMs(clock.now(), -HOUR_MS).toISOString(),
  }
  const channelId = await fixture.createChannel()
  await fixture.addAlert(channelId, { event: 'spike', title: 'Traffic spike: Shop', incidentId: null, details })
  await (await fixture.startNode()).outbox.runOnce()
  expect(
    JSON.parse(fixture.receiver.received[0]?.body ?? '')
      .text.split('\n')
      .slice(0, 2),
  ).toEqual([
    '📈 Traffic spike: Shop',
    '312 visits in the last hour, 40 expected. Most came from news.ycombinator.com (250).',
  ])
  const { body } = await owner.session.get(`/api/monitors/${monitorId}/notifications/log`)
  expect(body.data).toMatchObject([{ event: 'spike', incident_id: null, state: 'sent', details }])
})
