import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectWithin } from '../support/expect-within.ts'
import { createMonitor } from '../support/monitors.ts'
import { EIGHT_WEEKS_EARLIER, OutageFixture, type OutageSite, YESTERDAY } from '../support/outage.ts'
import type { TestServer, TestUser } from '../support/server.ts'
import { insertVisits } from '../support/visits.ts'

let fixture: OutageFixture
let server: TestServer
let owner: TestUser

beforeAll(async () => {
  fixture = await OutageFixture.start()
  ;({ server, owner } = fixture)
})
afterAll(() => server?.close())

async function readOutages({ websiteId }: Pick<OutageSite, 'websiteId'>, query = '') {
  const { status, body, text } = await owner.session.get(`/api/v1/websites/${websiteId}/outages${query}`)
  expect(status, text).toBe(200)
  return body.data
}

const outagesPath = (site: OutageSite) => `/api/v1/websites/${site.websiteId}/outages`

describe('GET /api/v1/websites/{id}/outages', () => {
  it('has zeros if there were no outages', async () => {
    const site = await fixture.createOutage()
    expect(await readOutages(site)).toEqual({
      website_id: site.websiteId,
      from: '2026-01-31T12:00:00.000Z',
      to: '2026-03-02T12:00:00.000Z',
      outages: 0,
      downtime_seconds: 0,
      visits_expected: 0,
      visits_seen: 0,
      visits_missed: 0,
      visits_missed_low: 0,
      visits_missed_high: 0,
      confidence: 0.9,
      basis: 'profile',
      outages_without_estimate: 0,
      incidents: [],
    })
  })

  it('has the impact of an incident', async () => {
    const site = await fixture.createOutage()
    const incidentId = await fixture.addIncident(site.monitorId, '10:00:00', '11:00:00')
    await fixture.measure()
    const { body } = await owner.session.get(`/api/monitors/${site.monitorId}/incidents`)
    const { visits_low, visits_high, ...impact } = body.data[0].impact
    expect(visits_low).toBeLessThan(visits_high)
    expect(await readOutages(site)).toMatchObject({
      outages: 1,
      downtime_seconds: 3_600,
      ...impact,
      incidents: [incidentId],
    })
  })

  it('counts overlapping incidents of several monitors once', async () => {
    const site = await fixture.createOutage()
    const otherMonitor = await createMonitor(owner.session, { type: 'ping', url: site.domain })
    const firstId = await fixture.addIncident(site.monitorId, '10:00:00', '10:40:00')
    const secondId = await fixture.addIncident(otherMonitor.id, '10:20:00', '11:00:00')
    const thirdId = await fixture.addIncident(site.monitorId, '11:30:00', '11:31:00')
    const outages = await readOutages(site)
    expect(outages).toMatchObject({ outages: 2, downtime_seconds: 3_660, incidents: [firstId, secondId, thirdId] })
    const siteWithOneIncident = await fixture.createOutage()
    await fixture.addIncident(siteWithOneIncident.monitorId, '10:00:00', '11:00:00')
    const { visits_expected } = await readOutages(siteWithOneIncident)
    // The minute of the third incident adds less than a visit.
    expectWithin(outages.visits_expected, visits_expected, 1)
  })

  it('adds up the visitors of different hosts', async () => {
    const site = await fixture.createOutage()
    const hostname = `shop.${site.domain}`
    const shopVisits = { websiteId: site.websiteId, hostname, perHour: 24, eventsSince: YESTERDAY }
    await insertVisits(server, { ...shopVisits, from: EIGHT_WEEKS_EARLIER, to: '2026-03-02T10:00:00Z' })
    const shop = await createMonitor(owner.session, { url: `https://${hostname}/` })
    await fixture.addIncident(site.monitorId, '10:00:00', '11:00:00')
    const { visits_expected: visitsOfOneHost } = await readOutages(site)
    await fixture.addIncident(shop.id, '10:00:00', '11:00:00')
    const outages = await readOutages(site)
    expect(outages).toMatchObject({ outages: 1, downtime_seconds: 3_600, visits_seen: 0 })
    expect(outages.visits_expected).toBeGreaterThan(1.7 * visitsOfOneHost)
    // The predictions for the two hosts have independent errors, so the range of the sum is narrower than the sum of
    // the ranges.
    expect(outages.visits_missed_high).toBeLessThan(2.3 * outages.visits_expected)
  })

  it('leaves out incidents in maintenance and silences that Belfry caused, but not incidents that a pause ended', async () => {
    const site = await fixture.createOutage()
    const plannedId = await fixture.addIncident(site.monitorId, '10:00:00', '10:10:00')
    const pausedId = await fixture.addIncident(site.monitorId, '10:20:00', '10:30:00')
    const collectorId = await fixture.addIncident(site.monitorId, '10:40:00', '10:50:00', { cause: 'silence' })
    const { db } = server.services
    await db.query('update incidents set during_maintenance = true where id = $1', [plannedId])
    await db.query(`update incidents set resolution = 'paused' where id = $1`, [pausedId])
    await db.query(`update incidents set diagnosis = 'collector' where id = $1`, [collectorId])
    expect(await readOutages(site)).toMatchObject({ outages: 1, downtime_seconds: 600, incidents: [pausedId] })
  })

  it('counts an incident for the website with the longest matching domain', async () => {
    const site = await fixture.createOutage()
    const subdomain = `blog.${site.domain}`
    const response = await owner.session.post('/api/v1/websites', { domain: subdomain })
    const blog = await createMonitor(owner.session, { url: `https://${subdomain}/` })
    const incidentId = await fixture.addIncident(blog.id, '10:00:00', '11:00:00')
    expect(await readOutages(site)).toMatchObject({ outages: 0 })
    expect(await readOutages({ websiteId: response.body.data.id })).toMatchObject({
      outages: 1,
      basis: 'too_little_history',
      visits_missed: null,
      outages_without_estimate: 1,
      incidents: [incidentId],
    })
  })

  it('has only the part of an incident in the range', async () => {
    const site = await fixture.createOutage()
    await fixture.addIncident(site.monitorId, '10:00:00', '11:00:00')
    const query = '?from=2026-03-02T10:15:00%2B00:00&to=2026-03-02T10:45:00.000Z'
    const halfOutage = await readOutages(site, query)
    const wholeOutage = await readOutages(site, '?from=2026-03-02&to=2026-03-02')
    expect(halfOutage).toMatchObject({ downtime_seconds: 1_800, from: '2026-03-02T10:15:00.000Z' })
    expect(wholeOutage).toMatchObject({ downtime_seconds: 3_600, from: '2026-03-02T00:00:00.000Z' })
    expect(halfOutage.visits_expected / wholeOutage.visits_expected).toBeCloseTo(0.5, 0)
  })

  it('counts an ongoing incident until now', async () => {
    const site = await fixture.createOutage()
    await fixture.addIncident(site.monitorId, '11:00:00')
    expect(await readOutages(site)).toMatchObject({ outages: 1, downtime_seconds: 3_600 })
  })

  it.each([
    ['from=yesterday', 'from', '`from` must be a day such as 2026-01-05 or a time such as 2026-01-05T10:00:00Z.'],
    ['to=2026-02-30', 'to', '`to` must be a day such as 2026-01-05 or a time such as 2026-01-05T10:00:00Z.'],
    ['from=2026-01-05&to=2026-01-04', 'from', '`from` must be before `to`.'],
    ['from=2026-03-04&to=2026-03-05', 'from', '`from` must not be in the future.'],
    ['from=2025-02-01', 'from', 'The range from `from` to `to` must be at most one year long.'],
  ])('rejects %s', async (query, field, message) => {
    const site = await fixture.createSite()
    const { status, body } = await owner.session.get(`${outagesPath(site)}?${query}`)
    expect(status).toBe(422)
    expect(body.errors).toEqual({ [field]: [message] })
  })

  it('is only for the owner, and for keys of the owner with the scope websites:read', async () => {
    const site = await fixture.createSite()
    const stranger = await server.createUser('stranger')
    expect((await stranger.session.get(outagesPath(site))).status).toBe(404)
    expect((await server.anyone.get(outagesPath(site))).status).toBe(401)
    expect((await (await owner.withKey('monitors:read')).get(outagesPath(site))).status).toBe(403)
    expect((await (await owner.withKey('websites:read')).get(outagesPath(site))).status).toBe(200)
  })
})
