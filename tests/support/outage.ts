/** Websites with 8 weeks of traffic that stops for an hour, and incidents of their monitors. */
import { measureDueIncidents } from '../../src/impact/measure.ts'
import type { Impact } from '../../src/shared/impact.ts'
import { TestClock } from './clock.ts'
import { addIncident, createMonitor, monitorsPath } from './monitors.ts'
import { startTestServer, type TestServer, type TestUser } from './server.ts'
import { createSite } from './traffic.ts'
import { copyVisits, insertVisits } from './visits.ts'

export const EIGHT_WEEKS_EARLIER = '2026-01-04T00:00:00Z'

/** By default, only the counts of the visits before this day are stored. */
export const YESTERDAY = '2026-03-01'

interface OutageTraffic {
  perHour: number
  since: string
  eventsSince?: string
}

export interface OutageSite {
  domain: string
  websiteId: number
}

/** Returns a time on Monday, 2 March 2026. At the start, the server's clock shows 12:00 of that day. */
export const onMarch2 = (time: string) => Date.parse(`2026-03-02T${time}Z`)

export class OutageFixture {
  readonly server: TestServer
  readonly owner: TestUser
  #siteCount = 0
  #usualSite: OutageSite | undefined

  constructor(server: TestServer, owner: TestUser) {
    this.server = server
    this.owner = owner
  }

  static async start(): Promise<OutageFixture> {
    const server = await startTestServer({ clock: new TestClock(new Date('2026-03-02T12:00:00Z')) })
    return new OutageFixture(server, await server.createUser('owner'))
  }

  /**
   * Creates a website whose traffic stops from 10:00 to 11:00, and a monitor of its domain. By default, the website has
   * 24 visits an hour at noon.
   */
  async createOutage(traffic?: OutageTraffic): Promise<OutageSite & { monitorId: number }> {
    const site = traffic === undefined ? await this.#copyUsualSite() : await this.#createTraffic(traffic)
    const monitor = await createMonitor(this.owner.session, { url: `https://${site.domain}/health` })
    return { ...site, monitorId: monitor.id }
  }

  /** `from` and `to` are times on 2 March. Without `to`, the incident is ongoing. The measurement of its impact is due. */
  async addIncident(monitorId: number, from: string, to?: string, options: { cause?: string } = {}): Promise<number> {
    const secondsAgo = (time: string) => (this.server.clock.now().getTime() - onMarch2(time)) / 1000
    const id = await addIncident(this.server, monitorId, {
      ...options,
      from: secondsAgo(from),
      ...(to !== undefined && { to: secondsAgo(to) }),
    })
    const now = this.server.clock.now()
    await this.server.services.db.query('update incidents set measure_at = $2 where id = $1', [id, now])
    return id
  }

  measure(): Promise<void> {
    return measureDueIncidents(this.server.services)
  }

  async readIncident(monitorId: number, id: number): Promise<{ impact: Impact | null; visitors: string | null }> {
    const { body } = await this.owner.session.get(`${monitorsPath}/${monitorId}/incidents?window=1y`)
    return body.data.find((incident: { id: number }) => incident.id === id)
  }

  /** Returns when the incident's impact is measured next, or null if the impact is final. */
  async readMeasureAt(id: number): Promise<Date | null | undefined> {
    const sql = 'select measure_at as at from incidents where id = $1'
    return (await this.server.services.db.query<{ at: Date | null }>(sql, [id]))[0]?.at
  }

  async createSite(): Promise<OutageSite> {
    const domain = `site-${++this.#siteCount}.example.com`
    return { domain, websiteId: await createSite(this.owner, domain, { time_zone: 'UTC' }) }
  }

  async #createTraffic({ perHour, since, eventsSince = YESTERDAY }: OutageTraffic): Promise<OutageSite> {
    const site = await this.createSite()
    const traffic = { websiteId: site.websiteId, perHour, hostname: site.domain, eventsSince }
    await insertVisits(this.server, { ...traffic, from: since, to: onMarch2('10:00:00') })
    await insertVisits(this.server, { ...traffic, from: onMarch2('11:00:00'), to: onMarch2('12:00:00') })
    return site
  }

  async #copyUsualSite(): Promise<OutageSite> {
    this.#usualSite ??= await this.#createTraffic({ perHour: 24, since: EIGHT_WEEKS_EARLIER })
    const site = await this.createSite()
    await copyVisits(this.server, this.#usualSite, site, YESTERDAY)
    return site
  }
}
