/** Creates the websites, with 100 days of generated traffic. */
import type { Services } from '../../src/app/services.ts'
import { addDays, localDay, localDayAt } from '../../src/lib/local-day.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import type { Database } from '../../src/storage/database.ts'
import { generateDemoEvents } from '../../src/traffic/demo/generate.ts'
import { importEvents } from '../../src/traffic/import-export/import-events.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { VISIT_SLOT_MS } from '../../src/traffic/model/visit-slots.ts'
import { addCount } from '../../src/traffic/packing/packed-counts.ts'
import { insertPastVisits } from '../../tests/support/past-visits.ts'
import type { Api } from './api.ts'
import { listOutages } from './monitor-history.ts'
import { daysAgo, now, type SampleWebsite, timeZone, websites } from './sample-data.ts'

const DAYS = 100
const EARLIER_DAYS = 300
/** Events are imported in chunks of this size. The rollup joins the events of a visit even if they are in two chunks. */
const CHUNK_SIZE = 1_000
/** A popular link multiplies the visitors by these factors, on its day and on the two days after it. */
const LINK_FACTORS = [2.4, 1.7, 1.25]

function computeVisitors({ visitorsPerDay, growth, linkDaysAgo }: SampleWebsite, daysBack: number): number {
  const trend = 1 + (growth - 1) * (1 - daysBack / DAYS)
  const linkEffect = linkDaysAgo === undefined ? 1 : (LINK_FACTORS[linkDaysAgo - daysBack] ?? 1)
  return Math.max(1, Math.round(visitorsPerDay * trend * linkEffect))
}

function* generateTraffic(site: SampleWebsite, websiteId: number, seed: number): Generator<TrafficEvent[]> {
  const to = now.getTime()
  const today = localDayAt(timeZone, to).day
  const outages = listOutages(site.domain).map(({ startedAt, resolvedAt }) => [startedAt, resolvedAt ?? now] as const)
  const isUp = ({ at }: TrafficEvent) => !outages.some(([from, until]) => at >= from.getTime() && at < until.getTime())
  for (let daysBack = DAYS - 1; daysBack >= 0; daysBack--) {
    const { startsAt, endsAt } = localDay(timeZone, addDays(today, -daysBack))
    const visitorsPerDay = computeVisitors(site, daysBack)
    const { domain } = site
    const options = { websiteId, domain, timeZone, from: startsAt, to: Math.min(endsAt, to), visitorsPerDay, seed }
    const events = generateDemoEvents(options).filter(isUp).toArray()
    for (let at = 0; at < events.length; at += CHUNK_SIZE) yield events.slice(at, at + CHUNK_SIZE)
  }
}

/**
 * Adds the visit counts of the `EARLIER_DAYS` days before the imported ones. Importing all events of these days would
 * take minutes.
 */
async function addEarlierVisits(db: Database, websiteId: number, site: SampleWebsite, seed: number): Promise<void> {
  const { visitorsPerDay, silentDaysAgo = [] } = site
  const today = localDayAt(timeZone, now.getTime()).day
  const to = localDay(timeZone, addDays(today, 1 - DAYS)).startsAt
  const from = daysAgo(EARLIER_DAYS + 1, new Date(to)).getTime()
  const silentDays = new Set(silentDaysAgo.map((days) => addDays(today, -days)))
  const counts = new Map<number, number>()
  const visitors = new Set<number>()
  for (const { at, day, hour, visitor } of generateDemoEvents({
    websiteId,
    timeZone,
    from,
    to,
    visitorsPerDay,
    seed,
  })) {
    if (visitors.has(visitor) || (silentDays.has(day) && hour >= 9 && hour < 15)) continue
    visitors.add(visitor)
    addCount(counts, at - (at % VISIT_SLOT_MS), 1)
  }
  await insertPastVisits(db, websiteId, {
    days: EARLIER_DAYS,
    to: new Date(to + DAY_MS),
    countAt: (at) => counts.get(at) ?? 0,
  })
}

export async function createWebsites(
  api: Api,
  services: Services,
  reportProgress: (text: string) => void,
): Promise<void> {
  for (const [index, site] of websites.entries()) {
    const { domain, favorite = false, privacy = 1 } = site
    const id = await api.post('/api/v1/websites', { domain, favorite, privacy, time_zone: timeZone })
    const readEvents = () => generateTraffic(site, id, index + 1)
    const count = await importEvents(services, { site: { id, domain }, readEvents, mayAddToExistingDays: false })
    await services.rollup.rollUpAll()
    if (site.silentDaysAgo !== undefined) await addEarlierVisits(services.db, id, site, index + 1)
    reportProgress(`${domain}: ${count.toLocaleString('en')} events`)
  }
}
