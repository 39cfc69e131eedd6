/**
 * Packs days that are over: a row for each value becomes a few letters of one row. 30 days with 5,000 pages are read in a few
 * milliseconds then, not in 30, and take a thirtieth of the space. Their visits are packed as well, beside the rows.
 */
import { after, type Clock } from '../../lib/clock.ts'
import { addDays } from '../../lib/local-day.ts'
import type { Queries } from '../../storage/client.ts'
import { isUnavailable } from '../../storage/connection-loss.ts'
import type { Database } from '../../storage/database.ts'
import { type Dimension, dimensions } from '../model/dimensions.ts'
import { lockTraffic } from '../rollup/store.ts'
import { packWeek, startOfWeek } from './pack-week.ts'
import { addCount, type CountMap, packCounts, unpackCounts } from './packed-counts.ts'
import { packVisits } from './packed-visits.ts'
import { findUnpackedDays, readDayVisits, readUnpackedDay, type WebsiteDay, writePackedDay } from './store.ts'

const names = Object.keys(dimensions) as Dimension[]
const AT_A_TIME = 100
/** Then nowhere is it still the day before, by UTC's clock, and what waited in the inbox has long been added up. */
const OVER_MS = 13 * 3_600_000
/** Of a day with more the visits are not packed: all of them would be in memory at once, while everybody waits for the lock. */
const HITS_MOST = 400_000

/** A day that cannot be packed is left for the next time, and keeps no other from being packed. */
export async function packDays({ db, clock }: { db: Database; clock: Clock }, signal?: AbortSignal): Promise<void> {
  const before = after(clock.now(), -OVER_MS).toISOString().slice(0, 10)
  const failures: Error[] = []
  let last: WebsiteDay | undefined = { day: '-infinity', websiteId: 0 }
  while (last !== undefined && !signal?.aborted) {
    const days: WebsiteDay[] = await findUnpackedDays(db, last, before, AT_A_TIME)
    for (const day of days) {
      if (signal?.aborted) return
      await db
        .transaction((q) => packDay(q, day, before))
        .catch((error) => {
          if (isUnavailable(error)) throw error
          failures.push(new Error(`${day.day} of the website ${day.websiteId}: ${error.message}`, { cause: error }))
        })
    }
    last = days.at(-1)
  }
  if (failures[0] !== undefined)
    throw new Error(`${failures.length} could not be packed, the first ${failures[0].message}`)
}

/** Whatever came later is added to what is packed already. */
async function packDay(q: Queries, day: WebsiteDay, before: string): Promise<void> {
  await lockTraffic(q)
  const { packed, counts } = await readUnpackedDay(q, day)
  if (packed === undefined) return
  const sums = new Map(names.map((name): [number, CountMap] => [dimensions[name], unpackCounts(packed[name])]))
  for (const { dimension, value, count } of counts) addCount(sums.get(dimension) as CountMap, value, count)
  const entries = names.map((name) => [name, packCounts(sums.get(dimensions[name]) as CountMap)])
  const isLarge = packed.views + packed.events > HITS_MOST
  const packedVisits = isLarge ? null : packVisits(await readDayVisits(q, day))
  await writePackedDay(q, day, { ...Object.fromEntries(entries), packed_visits: packedVisits })
  const week = startOfWeek(day.day)
  if (addDays(week, 6) < before) await packWeek(q, { websiteId: day.websiteId, week })
}
