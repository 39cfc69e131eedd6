/** Websites with eight weeks of visits, whose traffic monitor is checked step by step. */
import { createJob } from '../../src/app/jobs.ts'
import { recordReceiving } from '../../src/heartbeats/outage-store.ts'
import type { IncidentRecord } from '../../src/incidents/schema.ts'
import { addMs } from '../../src/lib/clock.ts'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { DAY_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { type AlertFixture, type AlertNode, startAlertFixture } from './alerts.ts'
import { startChecker, type TestChecker } from './checker.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'
import { createEventAt } from './inbox-events.ts'
import { getMonitor } from './monitors.ts'
import { insertPastVisits } from './past-visits.ts'
import { createHtmlPage } from './tracked-site.ts'
import { createSite } from './traffic.ts'

export const pageWithTracker = createHtmlPage(
  '<script defer data-domain="shop.example" src="https://stats.example/b.js"></script>',
)
export const pageWithoutTracker = createHtmlPage('')

export interface WatchedWebsite {
  id: number
  monitorId: number
  domain: string
  getMonitor(): Promise<MonitorRecord>
  listIncidents(): Promise<IncidentRecord[]>
}

export interface WatchFixture extends AlertFixture {
  checker: TestChecker
  node: AlertNode
  /** The home page of all websites. It contains the tracker until a test changes it. */
  page: HttpReceiver
  /**
   * Creates a website with two visits every five minutes, day and night. It has had visits for `days` days. `settings`
   * are fields of the API.
   */
  createWebsite(domain: string, options?: { days?: number; settings?: object }): Promise<WatchedWebsite>
  /** Advances the clock, lets visits arrive at these websites, and then does the same as `run`. */
  advance(minutes: number, ...visitedWebsites: WatchedWebsite[]): Promise<void>
  addVisits(website: WatchedWebsite, from: Date, count: number, overrides?: Partial<TrafficEvent>): Promise<void>
  /** Looks for websites whose visits have stopped or spiked, runs due checks and sends due messages. */
  run(): Promise<void>
  runJob(name: string): Promise<void>
  startNewTest(): Promise<WatchFixture>
}

const VISIT_INTERVAL_MS = 2.5 * MINUTE_MS

export async function startWatchFixture(): Promise<WatchFixture> {
  const page = await startHttpReceiver()
  return createWatchFixture(await startAlertFixture(), page)
}

async function createWatchFixture(alerts: AlertFixture, page: HttpReceiver): Promise<WatchFixture> {
  const { server, clock, owner } = alerts
  const { db, rollup } = server.services
  const checker = await startChecker(server)
  const node = await alerts.startNode()
  await alerts.createChannel({ assign_by_default: true })
  page.respondWith(200, pageWithTracker, { 'content-type': 'text/html' })
  let visitorCount = 0
  const runJob = async (name: string) => void (await createJob(name, server.services).run())
  const close = async () => {
    await checker.stop()
    await page.close()
    await alerts.close()
  }
  const fixture: WatchFixture = {
    ...alerts,
    checker,
    node,
    page,
    runJob,
    async createWebsite(domain, { days = 56, settings = { watch_traffic: true } } = {}) {
      // Turns the traffic alerts on before the website has visits. Otherwise Belfry would replay the visits first, and the
      // replay takes longer than most tests.
      const id = await createSite(owner, domain, { time_zone: 'UTC', ...settings })
      const midnight = new Date(Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS)
      await insertPastVisits(db, id, { days, to: midnight, countAt: () => 2 })
      const visitCount = Math.floor((clock.now().getTime() - midnight.getTime()) / VISIT_INTERVAL_MS)
      const website = { id, domain } as WatchedWebsite
      await fixture.addVisits(website, midnight, visitCount)
      // The monitor checks the receiver instead of the domain, because tests have no website with a certificate.
      const [monitor] = await db.query<{ id: number }>(
        'update monitors set url = $2 where website_id = $1 returning id',
        [id, page.address],
      )
      const monitorId = monitor?.id as number
      return {
        id,
        monitorId,
        domain,
        getMonitor: () => getMonitor(owner.session, monitorId),
        listIncidents: async () =>
          (await owner.session.get(`/api/monitors/${monitorId}/incidents?window=1y`)).body.data,
      }
    },
    async addVisits(website, from, count, overrides = {}) {
      const events = Array.from({ length: count }, (_, n) => {
        const time = addMs(from, n * VISIT_INTERVAL_MS).toISOString()
        return createEventAt(website.id, time, { visitor: ++visitorCount, ...overrides })
      })
      if (events.length === 0) return
      await insertBatch(db, events)
      await rollup.rollUpAll()
    },
    async advance(minutes, ...visitedWebsites) {
      const from = clock.now()
      clock.advance({ minutes })
      for (const website of visitedWebsites)
        await fixture.addVisits(website, from, Math.floor((minutes * MINUTE_MS) / VISIT_INTERVAL_MS))
      await fixture.run()
    },
    async run() {
      // On a machine under load, the server's own job may not run in time, so do what it does here.
      await recordReceiving(db)
      await runJob('watch for silence and spikes')
      await checker.run()
      // A result is recorded when its check has ended, a little later than the clock of the test shows.
      clock.advance({ seconds: 1 })
      await runJob('announce incidents')
      await node.outbox.runOnce()
    },
    async startNewTest() {
      await checker.stop()
      await db.batch({ text: 'delete from collection_gaps' }, { text: 'delete from event_inbox' })
      return createWatchFixture(await alerts.renew(), page)
    },
    close,
  }
  return fixture
}
