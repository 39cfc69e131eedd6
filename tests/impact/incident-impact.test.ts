/** What an incident cost, and whether visitors confirm it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { measureIncident } from '../../src/impact/measure.ts'
import { claimDueIncidents, storeMeasurement } from '../../src/impact/measure-store.ts'
import { addMs } from '../../src/lib/clock.ts'
import { MINUTE_MS } from '../../src/shared/time.ts'
import { createMonitor, monitorsPath } from '../support/monitors.ts'
import { EIGHT_WEEKS_EARLIER, OutageFixture, onMarch2 } from '../support/outage.ts'
import type { TestServer, TestUser } from '../support/server.ts'
import { insertVisitsAt } from '../support/visits.ts'

let fixture: OutageFixture
let server: TestServer
let owner: TestUser

beforeAll(async () => {
  fixture = await OutageFixture.start()
  ;({ server, owner } = fixture)
})
afterAll(() => server?.close())
beforeEach(() => server.clock.reset())

const createOutage: OutageFixture['createOutage'] = (traffic) => fixture.createOutage(traffic)
const openIncident: OutageFixture['addIncident'] = (...incident) => fixture.addIncident(...incident)
const measure = () => fixture.measure()

const readIncident: OutageFixture['readIncident'] = (...ids) => fixture.readIncident(...ids)
const readMeasureAt = (id: number) => fixture.readMeasureAt(id)

describe('the impact of an incident', () => {
  it('is part of the incident, with its range', async () => {
    const { monitorId } = await createOutage()
    const incidentId = await openIncident(monitorId, '10:00:00', '11:00:00')
    expect(await readIncident(monitorId, incidentId)).toMatchObject({ impact: null, visitors: null, diagnosis: null })
    await measure()
    const { impact, visitors } = await readIncident(monitorId, incidentId)
    expect(impact).toMatchObject({ visits_seen: 0, confidence: 0.9, basis: 'profile' })
    // At this time of the day, there are 24 × (1 − 0.8 × 1.5/12) = 21.6 visits in an hour.
    expect(impact?.visits_low).toBeLessThan(21.6)
    expect(impact?.visits_high).toBeGreaterThan(21.6)
    expect(impact?.visits_expected).toBeGreaterThan(16)
    expect(impact?.visits_expected).toBeLessThan(27)
    expect(impact?.visits_missed).toBe(impact?.visits_expected)
    expect(impact?.visits_missed_low).toBe(impact?.visits_low)
    expect(impact?.visits_missed_high).toBe(impact?.visits_high)
    expect(visitors).toBe('gone')
  })

  it('is unknown on a quiet day', async () => {
    const { websiteId, monitorId } = await createOutage()
    const settings = { quiet_days: ['2026-03-02'] }
    await owner.session.call('PATCH', `/api/v1/websites/${websiteId}`, { json: settings })
    const incidentId = await openIncident(monitorId, '10:00:00', '11:00:00')
    await measure()
    const { impact, visitors } = await readIncident(monitorId, incidentId)
    expect(impact).toMatchObject({ basis: 'unusual_traffic', visits_expected: null, visits_missed: null })
    expect(visitors).toBe('unknown')
    const visitsPath = `${monitorsPath}/${monitorId}/incidents/${incidentId}/visits`
    expect((await owner.session.get(visitsPath)).body.data).toMatchObject({ basis: 'unusual_traffic', slots: [] })
    const outages = await owner.session.get(`/api/v1/websites/${websiteId}/outages`)
    expect(outages.body.data).toMatchObject({
      basis: 'unusual_traffic',
      outages: 1,
      outages_without_estimate: 1,
      visits_missed: null,
    })
  })

  it('counts exactly the visits that began during the incident', async () => {
    const { domain, websiteId, monitorId } = await createOutage()
    const incidentId = await openIncident(monitorId, '10:07:30', '10:41:10')
    const times = ['10:07:29.999', '10:07:30', '10:10:00', '10:24:59.999', '10:40:00', '10:41:09.999', '10:41:10']
    await insertVisitsAt(server, websiteId, times.map(onMarch2), domain)
    await measure()
    expect((await readIncident(monitorId, incidentId)).impact?.visits_seen).toBe(5)
  })

  it('says that visitors arrive as usual', async () => {
    const { monitorId } = await createOutage()
    const incidentId = await openIncident(monitorId, '11:00:00', '12:00:00')
    await measure()
    const { impact, visitors } = await readIncident(monitorId, incidentId)
    expect(visitors).toBe('normal')
    expect(impact?.visits_seen).toBeGreaterThan(10)
  })

  it('is measured again when late events arrive, and final after a day', async () => {
    const { domain, websiteId, monitorId } = await createOutage()
    const incidentId = await openIncident(monitorId, '10:00:00', '11:00:00')
    const readActualVisits = async () => (await readIncident(monitorId, incidentId)).impact?.visits_seen
    await measure()
    expect(await readActualVisits()).toBe(0)
    expect(await readMeasureAt(incidentId)).toEqual(new Date('2026-03-02T17:00:00Z'))

    await insertVisitsAt(server, websiteId, [onMarch2('10:20:00'), onMarch2('10:30:00')], domain)
    await measure()
    expect(await readActualVisits(), 'before it is due').toBe(0)
    server.clock.advance({ hours: 5 })
    await measure()
    expect(await readActualVisits()).toBe(2)
    expect(await readMeasureAt(incidentId)).toEqual(new Date('2026-03-03T11:00:00Z'))

    server.clock.advance({ hours: 18 })
    await insertVisitsAt(server, websiteId, [onMarch2('10:40:00')], domain)
    await measure()
    expect(await readActualVisits()).toBe(3)
    expect(await readMeasureAt(incidentId)).toBeNull()

    await insertVisitsAt(server, websiteId, [onMarch2('10:50:00')], domain)
    server.clock.advance({ days: 3 })
    await measure()
    expect(await readActualVisits(), 'after a day').toBe(3)
  })

  it('grows while the incident is ongoing', async () => {
    const { monitorId } = await createOutage()
    const incidentId = await openIncident(monitorId, '11:59:59')
    await measure()
    const earlyIncident = await readIncident(monitorId, incidentId)
    expect(await readMeasureAt(incidentId)).toEqual(addMs(server.clock.now(), 30_000))
    server.clock.advance({ hours: 2 })
    await measure()
    const lateIncident = await readIncident(monitorId, incidentId)
    expect(earlyIncident.visitors).toBe('unknown')
    expect(lateIncident.visitors).toBe('gone')
    expect(lateIncident.impact?.visits_missed).toBeGreaterThan(earlyIncident.impact?.visits_missed ?? 0)
    expect(await readMeasureAt(incidentId)).toEqual(addMs(server.clock.now(), 10 * MINUTE_MS))
  })

  it.each([
    ['too_little_traffic', { perHour: 1, since: EIGHT_WEEKS_EARLIER }],
    ['too_little_history', { perHour: 24, since: '2026-02-20T00:00:00Z' }],
  ])('has no numbers, but the basis %s', async (basis, options) => {
    const { monitorId } = await createOutage(options)
    const incidentId = await openIncident(monitorId, '10:00:00', '11:00:00')
    await measure()
    const { impact, visitors } = await readIncident(monitorId, incidentId)
    expect(impact).toMatchObject({ basis, visits_expected: null, visits_seen: null, visits_missed_high: null })
    expect(visitors).toBe('unknown')
  })

  it('leaves out time in which Belfry could not receive events', async () => {
    const { monitorId } = await createOutage()
    const incidentId = await openIncident(monitorId, '10:00:00', '11:00:00')
    const { db } = server.services
    await db.query(`insert into collection_gaps values ('2026-03-02T10:15Z', '2026-03-02T10:45Z')`)
    await measure()
    await db.query('delete from collection_gaps')
    const { impact } = await readIncident(monitorId, incidentId)
    expect(impact?.visits_expected).toBeGreaterThan(7)
    expect(impact?.visits_expected).toBeLessThan(15)
  })

  it('is not estimated from times of other incidents', async () => {
    const { monitorId, websiteId, domain } = await createOutage()
    const otherMonitor = await createMonitor(owner.session, { url: `https://www.${domain}/` })
    // If no incident explained the three hours without visits, Belfry would expect few visits in the hour of the
    // outage, too.
    await openIncident(otherMonitor.id, '06:00:00', '09:00:00')
    await server.services.db.query(
      `delete from visits where website_id = $1 and started_at >= '2026-03-02T06:00Z' and started_at < '2026-03-02T09:00Z'`,
      [websiteId],
    )
    await server.services.db.query(
      `delete from traffic_counts where website_id = $1 and dimension = 19 and day = '2026-03-02'
          and value % 1024 between (6 + 16) * 12 and (9 + 16) * 12 - 1`,
      [websiteId],
    )
    await server.services.db.query(
      `update traffic_days set visits = (select count(*) from visits v where v.website_id = $1 and v.day = '2026-03-02')
        where website_id = $1 and day = '2026-03-02'`,
      [websiteId],
    )
    const incidentId = await openIncident(monitorId, '10:00:00', '11:00:00')
    await measure()
    const { impact } = await readIncident(monitorId, incidentId)
    expect(impact?.visits_expected).toBeGreaterThan(16)
  })
})

describe('measuring the impact of an incident', () => {
  it('is repeated if the first node is killed', async () => {
    const { monitorId } = await createOutage()
    const incidentId = await openIncident(monitorId, '10:00:00', '11:00:00')
    const now = server.clock.now()
    // The node that claims the incident never measures it.
    const claimedIncidents = await claimDueIncidents(server.services.db, now, addMs(now, MINUTE_MS), 10)
    expect(claimedIncidents).toContainEqual({ teamId: owner.id, monitorId, incidentId })
    await measure()
    expect((await readIncident(monitorId, incidentId)).impact).toBeNull()
    server.clock.advance({ minutes: 1 })
    await measure()
    const { impact } = await readIncident(monitorId, incidentId)
    expect(impact?.basis).toBe('profile')
    // Two nodes that measure the same incident store the same impact.
    const key = { teamId: owner.id, monitorId, incidentId }
    await Promise.all([measureIncident(server.services, key), measureIncident(server.services, key)])
    expect((await readIncident(monitorId, incidentId)).impact).toEqual(impact)
  })

  it('stores nothing if the incident ends in the meantime', async () => {
    const { monitorId } = await createOutage()
    const incidentId = await openIncident(monitorId, '10:00:00', '11:00:00')
    const incident = {
      ...{ teamId: owner.id, monitorId, incidentId, startedAt: new Date(onMarch2('10:00:00')), resolvedAt: null },
      ...{ diagnosis: null, type: 'http' as const, url: '', websiteId: null },
    }
    const measurement = { impact: null, visitors: 'gone' as const, measureAt: null }
    await storeMeasurement(server.services.db, incident, measurement, server.clock.now())
    expect(await readMeasureAt(incidentId)).toEqual(server.clock.now())
    expect((await readIncident(monitorId, incidentId)).visitors).toBeNull()
  })

  it('happens immediately when a pause ends an incident', async () => {
    const { monitorId } = await createOutage()
    const incidentId = await openIncident(monitorId, '11:00:00')
    await measure()
    server.clock.advance({ minutes: 1 })
    await owner.session.call('PATCH', `${monitorsPath}/${monitorId}`, { json: { is_active: false } })
    expect(await readMeasureAt(incidentId)).toEqual(server.clock.now())
  })
})
