/** Stores the visits of past days, as packing their events would have stored them. The website's time zone must be UTC. */
import type { Queries } from '../../src/storage/transaction.ts'
import { encodeVisitSlot, findFirstSlotAt, VISIT_SLOT_MS } from '../../src/traffic/model/visit-slots.ts'
import { packVisitSlots } from '../../src/traffic/packing/packed-counts.ts'

const DAY_MS = 86_400_000

/**
 * Stores the visits of whole days. The last of them ends at the midnight before `to`. `countAt` returns how many visits
 * began in the 5 minutes that start at its argument.
 */
export async function insertPastVisits(
  q: Queries,
  websiteId: number,
  { days, to, countAt }: { days: number; to: Date; countAt: (at: number) => number },
): Promise<void> {
  const end = Math.floor(to.getTime() / DAY_MS) * DAY_MS
  const rows: { day: string; visits: number; slots: string }[] = []
  for (let dayStart = end - days * DAY_MS; dayStart < end; dayStart += DAY_MS) {
    const day = new Date(dayStart).toISOString().slice(0, 10)
    const counts = new Map<number, number>()
    let visits = 0
    for (let at = dayStart; at < dayStart + DAY_MS; at += VISIT_SLOT_MS) {
      const count = countAt(at)
      visits += count
      counts.set(encodeVisitSlot(0, at, findFirstSlotAt(day)), count)
    }
    rows.push({ day, visits, slots: packVisitSlots(counts) })
  }
  // A statement for each day would take most of the time of tests that need a year of visits.
  await q.query(
    `insert into traffic_days (website_id, day, visitors, views, visits, bounces, duration_ms, events, is_packed, visit_slots)
     select $1, day, visits, visits, visits, visits, 0, 0, true, slots
       from jsonb_to_recordset($2) as r (day date, visits integer, slots text)`,
    [websiteId, JSON.stringify(rows)],
  )
}

/** Returns a function that generates the same numbers between 0 and 1 in every run. */
export function createSeededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** Returns a random number of visits. Its mean is `mean`. */
export function drawVisits(mean: number, random: () => number): number {
  let visits = 0
  for (let product = random(), limit = Math.exp(-mean); product > limit; product *= random()) visits++
  return visits
}
