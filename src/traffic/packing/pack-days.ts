/**
 * Packs days that are over: the rows that held one count each become a few bytes in one row. Reading 30 days with 5,000
 * pages then takes a few milliseconds instead of 30 ms, and storing them takes a thirtieth of the space. The visits of the
 * day are packed, too; their rows stay.
 */
import { addMs, type Clock } from '../../lib/clock.ts'
import { addDays, findMonday } from '../../lib/local-day.ts'
import { HOUR_MS } from '../../shared/time.ts'
import { isDatabaseUnavailable } from '../../storage/connection-loss.ts'
import type { Database } from '../../storage/database.ts'
import type { Queries } from '../../storage/transaction.ts'
import { CountTable } from '../model/count-table.ts'
import { countColumnNumbers, countColumns, type Dimension, dimensionNames } from '../model/dimensions.ts'
import { lockTraffic } from '../rollup/store.ts'
import { addCount, addPackedCounts, type CountMap, packColumns, packCounts, unpackCounts } from './packed-counts.ts'
import { packVisits } from './packed-visits.ts'
import {
  countVisitSlots,
  findUnpackedDays,
  readDayVisits,
  readPackedDays,
  readUnpackedDay,
  type WebsiteDay,
  type WebsiteWeek,
  writePackedDay,
  writePackedWeek,
} from './store.ts'

const DAYS_PER_QUERY = 100
/** This long after midnight UTC, the previous day has ended in every time zone and its events have long been rolled up. */
const DAY_END_DELAY_MS = 13 * HOUR_MS
/**
 * If a day has more page views and custom events than this, its visits are not packed. Packing would load the whole day
 * into memory, while the other nodes wait for the traffic lock.
 */
const MAX_HITS_TO_PACK = 400_000

/** A day that cannot be packed does not stop the others, and is retried by the next run. */
export async function packDays({ db, clock }: { db: Database; clock: Clock }, signal?: AbortSignal): Promise<void> {
  const firstUnfinishedDay = addMs(clock.now(), -DAY_END_DELAY_MS).toISOString().slice(0, 10)
  const failures: Error[] = []
  let lastDay: WebsiteDay | undefined = { day: '-infinity', websiteId: 0 }
  while (lastDay !== undefined && !signal?.aborted) {
    const days: WebsiteDay[] = await findUnpackedDays(db, lastDay, firstUnfinishedDay, DAYS_PER_QUERY)
    for (const day of days) {
      if (signal?.aborted) return
      await db
        .transaction((q) => packDay(q, day, firstUnfinishedDay))
        .catch((error) => {
          if (isDatabaseUnavailable(error)) throw error
          failures.push(new Error(`${day.day} of website ${day.websiteId}: ${error.message}`, { cause: error }))
        })
    }
    lastDay = days.at(-1)
  }
  const [firstFailure] = failures
  if (firstFailure !== undefined)
    throw new Error(`Days that could not be packed: ${failures.length}. The first is ${firstFailure.message}`)
}

/** Counts that were added since the day was last packed are added to the packed ones. */
async function packDay(q: Queries, day: WebsiteDay, firstUnfinishedDay: string): Promise<void> {
  await lockTraffic(q)
  const { dayRow, counts } = await readUnpackedDay(q, day)
  if (dayRow === undefined) return
  const countsByDimensionNumber = new Map(
    countColumns.map((name): [number, CountMap] => [countColumnNumbers[name], unpackCounts(dayRow[name])]),
  )
  for (const { dimension, value, count } of counts)
    addCount(countsByDimensionNumber.get(dimension) as CountMap, value, count)
  const hasTooManyHits = dayRow.views + dayRow.events > MAX_HITS_TO_PACK
  const packedVisits = hasTooManyHits ? null : packVisits(await readDayVisits(q, day))
  if (!hasTooManyHits) await correctVisitSlots(q, day, countsByDimensionNumber)
  await writePackedDay(q, day, packColumns(countsByDimensionNumber), packedVisits)
  const week = findMonday(day.day)
  if (addDays(week, 6) < firstUnfinishedDay) await packWeek(q, { websiteId: day.websiteId, week })
}

/**
 * Belfry 0.2.0 didn't count visits by slot. So on days that it left unpacked, the counts may lack visits that are still
 * stored. On the other hand, the stored visits may lack visits that were counted and then deleted. Neither number is
 * ever too large, so the larger one is right. Version 0.4.0 removes this function.
 */
async function correctVisitSlots(q: Queries, day: WebsiteDay, countsByNumber: Map<number, CountMap>): Promise<void> {
  const [storedVisitCounts = new Map()] = await countVisitSlots(q, [day])
  const number = countColumnNumbers.visit_slots
  const counts = countsByNumber.get(number) as CountMap
  if (sumCounts(storedVisitCounts) >= sumCounts(counts)) countsByNumber.set(number, storedVisitCounts)
}

const sumCounts = (counts: CountMap) => counts.values().reduce((sum, count) => sum + count, 0)

/**
 * Packs a week as the sum of its packed days, so that statistics over months and years read one row for seven days. The caller holds
 * the traffic lock. Counts that are not packed yet stay in `traffic_counts`; statistics add them to the week.
 */
export async function packWeek(q: Queries, week: WebsiteWeek): Promise<void> {
  const days = await readPackedDays(q, week)
  const sumDays = (name: Dimension) => {
    const table = new CountTable()
    for (const { [name]: packed } of days) if (packed !== null) addPackedCounts(table, packed)
    return packCounts(table)
  }
  const columns = dimensionNames.map((name) => [name, sumDays(name)])
  await writePackedWeek(q, week, Object.fromEntries(columns))
}
