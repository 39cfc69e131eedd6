/** Which hosts' visitors an incident affects. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addMs } from '../../src/lib/clock.ts'
import { MINUTE_MS } from '../../src/shared/time.ts'
import { countEarlierVisits } from '../../src/traffic/packing/count-earlier-visits.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { createMonitor } from '../support/monitors.ts'
import { EIGHT_WEEKS_EARLIER, OutageFixture, onMarch2, YESTERDAY } from '../support/outage.ts'
import type { TestServer, TestUser } from '../support/server.ts'
import { insertVisits, insertVisitsAt } from '../support/visits.ts'

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
  it.each(['https://www.{domain}/', '{domain}:443'])(
    'of a monitor of %s counts the visitors of the domain',
    async (url) => {
      const { domain, monitorId: _ } = await createOutage()
      const type = url.startsWith('https') ? 'http' : 'tls'
      const monitor = await createMonitor(owner.session, { type, url: url.replace('{domain}', domain) })
      const incidentId = await openIncident(monitor.id, '10:00:00', '11:00:00')
      await measure()
      expect((await readIncident(monitor.id, incidentId)).impact?.basis).toBe('profile')
    },
  )

  it('counts only visitors of the monitored host if events name that host', async () => {
    const { domain, websiteId } = await createOutage()
    const api = `api.${domain}`
    await insertVisitsAt(server, websiteId, [Date.parse('2026-01-20T10:00:00Z'), onMarch2('10:30:00')], api)
    const monitor = await createMonitor(owner.session, { url: `https://${api}/` })
    const incidentId = await openIncident(monitor.id, '10:00:00', '11:00:00')
    await measure()
    expect((await readIncident(monitor.id, incidentId)).impact).toMatchObject({ basis: 'too_little_traffic' })
  })

  it('counts the visitors of the whole website if no event names the host', async () => {
    const { domain } = await createOutage()
    const monitor = await createMonitor(owner.session, { url: `https://api.${domain}/` })
    const incidentId = await openIncident(monitor.id, '10:00:00', '11:00:00')
    await measure()
    const { impact } = await readIncident(monitor.id, incidentId)
    expect(impact?.visits_expected).toBeGreaterThan(16)
  })

  it('does not count visitors of other hosts of the website', async () => {
    const { domain, websiteId, monitorId } = await createOutage()
    await insertVisits(server, {
      websiteId,
      hostname: `shop.${domain}`,
      perHour: 40,
      from: EIGHT_WEEKS_EARLIER,
      to: onMarch2('12:00:00'),
      eventsSince: YESTERDAY,
    })
    const incidentId = await openIncident(monitorId, '10:00:00', '11:00:00')
    await measure()
    const { impact, visitors } = await readIncident(monitorId, incidentId)
    expect(impact).toMatchObject({ visits_seen: 0 })
    expect(impact?.visits_expected).toBeLessThan(27)
    expect(visitors).toBe('gone')
  })

  it('counts visits from before hosts were stored', async () => {
    const { websiteId, monitorId } = await createOutage({
      perHour: 24,
      since: '2026-02-09T00:00:00Z',
      eventsSince: '2026-02-09',
    })
    // Belfry 0.2.0 left the rows of packed days.
    await packDays({ ...server.services, cluster: { areAllUpgraded: () => false } })
    await server.services.db.query('update visits set hostname = null where website_id = $1 and day < $2', [
      websiteId,
      '2026-02-25',
    ])
    await server.services.db.query('update traffic_days set visit_slots = null where website_id = $1 and day < $2', [
      websiteId,
      '2026-02-25',
    ])
    const incidentId = await openIncident(monitorId, '10:00:00', '11:00:00')
    await measure()
    expect((await readIncident(monitorId, incidentId)).impact, 'days are not counted yet').toMatchObject({
      basis: 'too_little_history',
    })
    expect(await readMeasureAt(incidentId)).toEqual(addMs(server.clock.now(), 10 * MINUTE_MS))

    await countEarlierVisits(server.services)
    server.clock.advance({ minutes: 10 })
    await measure()
    const { impact } = await readIncident(monitorId, incidentId)
    expect(impact?.visits_expected).toBeGreaterThan(16)
    expect(impact?.visits_expected).toBeLessThan(27)
  })

  it('does not exist if the host belongs to no website', async () => {
    const monitor = await createMonitor(owner.session, { url: 'https://unregistered.example.org/' })
    const incidentId = await openIncident(monitor.id, '10:00:00', '11:00:00')
    await measure()
    expect(await readIncident(monitor.id, incidentId)).toMatchObject({ impact: null, visitors: null })
    expect(await readMeasureAt(incidentId)).toBeNull()
  })
})
