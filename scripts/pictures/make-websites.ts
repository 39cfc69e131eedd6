/** Registers the websites, and makes up who visited them in 100 days. */
import type { Services } from '../../src/app/services.ts'
import { addDays, localDay, localDayOf } from '../../src/lib/local-day.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { generateDemoEvents } from '../../src/traffic/demo/generate.ts'
import { importEvents } from '../../src/traffic/import-export/import-events.ts'
import type { Api } from './api.ts'
import { now, type Site, sites, timeZone } from './cast.ts'

const DAYS = 100
/** A visit does not stop at the end of a piece. */
const PIECE = 1_000
/** On the day of a link, and on the two after it. */
const PEAK = [2.4, 1.7, 1.25]

function visitorsOn({ visitorsPerDay, growth, peak }: Site, daysBack: number): number {
  const course = 1 + (growth - 1) * (1 - daysBack / DAYS)
  const linked = peak === undefined ? 1 : (PEAK[peak - daysBack] ?? 1)
  return Math.max(1, Math.round(visitorsPerDay * course * linked))
}

function* trafficOf(site: Site, websiteId: number, seed: number): Generator<TrafficEvent[]> {
  const to = now.getTime()
  const today = localDayOf(timeZone, to).day
  for (let back = DAYS - 1; back >= 0; back--) {
    const { startsAt, endsAt } = localDay(timeZone, addDays(today, -back))
    const visitorsPerDay = visitorsOn(site, back)
    const day = { websiteId, timeZone, from: startsAt, to: Math.min(endsAt, to), visitorsPerDay, seed }
    const events = [...generateDemoEvents(day)]
    for (let at = 0; at < events.length; at += PIECE) yield events.slice(at, at + PIECE)
  }
}

export async function makeWebsites(api: Api, services: Services, onSite: (text: string) => void): Promise<void> {
  for (const [index, site] of sites.entries()) {
    const { domain, favorite = false, privacy = 1 } = site
    const id = await api.post('/api/v1/websites', { domain, favorite, privacy, time_zone: timeZone })
    const open = () => trafficOf(site, id, index + 1)
    const count = await importEvents(services, { site: { id, domain }, open, mayAdd: false })
    await services.rollup.rollUpAll()
    onSite(`${domain}: ${count.toLocaleString('en')} events`)
  }
}
