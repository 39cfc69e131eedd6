/** The page views and custom events of a part, and what follows from them about its visits. */
import { CUSTOM, ENGAGEMENT, type TrafficPart } from './traffic-part.ts'

export interface Hits {
  /** One element for each visit. */
  counts: Int32Array
  /** One element for each hit. */
  hours: Int32Array
  pages: Int32Array
  /** The positions of the custom events, in ascending order, and the ids of their names. */
  customHits: Int32Array
  customNames: Int32Array
}

export function collectHits({ visits, events }: TrafficPart): Hits {
  let [hitCount, customCount] = [0, 0]
  for (const kind of events.kinds) {
    if (kind !== ENGAGEMENT) hitCount++
    if (kind === CUSTOM) customCount++
  }
  const hits: Hits = {
    counts: new Int32Array(visits.ids.length),
    hours: new Int32Array(hitCount),
    pages: new Int32Array(hitCount),
    customHits: new Int32Array(customCount),
    customNames: new Int32Array(customCount),
  }
  let [event, hit, custom] = [0, 0, 0]
  for (let visit = 0; visit < visits.ids.length; visit++) {
    const end = event + (visits.eventCounts[visit] as number)
    const firstHit = hit
    for (; event < end; event++) {
      const kind = events.kinds[event]
      if (kind === ENGAGEMENT) continue
      hits.hours[hit] = events.hours[event] as number
      hits.pages[hit] = events.pages[event] as number
      if (kind === CUSTOM) {
        hits.customHits[custom] = hit
        hits.customNames[custom] = events.names[event] as number
        custom++
      }
      hit++
    }
    hits.counts[visit] = hit - firstHit
  }
  return hits
}

/**
 * Derives the views and actions of each visit from its hits. This is right for nearly all visits, so blocks seldom store them. It is
 * wrong for a visit with passive events (`interactive: false`), which are not actions.
 */
export function deriveCounts(
  hitCounts: Int32Array,
  customHits: Int32Array,
): { views: Int32Array; actions: Int32Array } {
  const views = hitCounts.slice()
  const actions = new Int32Array(hitCounts.length)
  for (const visit of findVisitsOfHits(customHits, hitCounts)) {
    views[visit] = (views[visit] as number) - 1
    actions[visit] = (actions[visit] as number) + 1
  }
  return { views, actions }
}

/** Finds the visit of each hit. The hits ascend, and `hitCounts` has the number of hits of each visit. */
export function findVisitsOfHits(hits: Int32Array, hitCounts: Int32Array): Int32Array {
  const visits = new Int32Array(hits.length)
  let [visit, end] = [0, hitCounts[0] ?? 0]
  for (let index = 0; index < hits.length; index++) {
    while ((hits[index] as number) >= end) end += hitCounts[++visit] as number
    visits[index] = visit
  }
  return visits
}

/** Bit n is set if the visit has a hit in hour n. */
export function deriveHourBits(hitCounts: Int32Array, hours: Int32Array): Int32Array {
  const hourBits = new Int32Array(hitCounts.length)
  let hit = 0
  for (let visit = 0; visit < hitCounts.length; visit++) {
    const end = hit + (hitCounts[visit] as number)
    let bits = 0
    for (; hit < end; hit++) bits |= 1 << (hours[hit] as number)
    hourBits[visit] = bits
  }
  return hourBits
}
