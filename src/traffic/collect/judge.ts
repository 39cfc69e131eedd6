/** What becomes of a batch of events, by what is known of the websites. */
import type { Problem } from '../../lib/problem.ts'
import type { DropReason, SiteDropReason } from '../model/drop-reasons.ts'
import type { TrafficEvent } from '../model/event.ts'
import { candidatesOf, findSite } from './find-site.ts'
import type { TrackedSite } from './site-store.ts'
import type { Sites } from './sites.ts'
import { type Arrival, passSteps, type Tools } from './steps.ts'

/** undefined: it is kept. A Problem: it may come again later. */
export type Judgement = DropReason | Problem | undefined

export interface Drop {
  site: TrackedSite
  at: number
  reason: SiteDropReason
}

export function judge(
  arrivals: readonly Arrival[],
  { byDomain }: Sites,
  tools: Tools,
  refusalOf: (websiteId: number) => Problem | undefined,
) {
  // Most batches name one domain again and again.
  const found = new Map<string, TrackedSite | undefined>()
  const find = (domain: string) => findSite(candidatesOf(domain), byDomain)
  const events: TrafficEvent[] = []
  const drops: Drop[] = []
  const reasons = arrivals.map((arrival) => {
    const own = new Set(arrival.sent.domains.map((domain) => found.getOrInsertComputed(domain, find)))
    return passAll(arrival, own, tools, { events, drops, refusalOf })
  })
  return { events, reasons, drops }
}

/** For each of its websites; dropped where none of them takes it. */
function passAll(
  arrival: Arrival,
  sites: Iterable<TrackedSite | undefined>,
  tools: Tools,
  made: { events: TrafficEvent[]; drops: Drop[]; refusalOf: (websiteId: number) => Problem | undefined },
): Judgement {
  let dropped: DropReason | Problem = 'unknown_site'
  const { events, drops, refusalOf } = made
  const before = events.length
  for (const site of sites) {
    if (site === undefined) continue
    const passed = passSteps(arrival, site, tools)
    if (typeof passed === 'string') {
      drops.push({ site, at: arrival.at, reason: passed })
      dropped = passed
      continue
    }
    const refused = refusalOf(site.id)
    if (refused === undefined) events.push(passed)
    else dropped = refused
  }
  return events.length > before ? undefined : dropped
}
