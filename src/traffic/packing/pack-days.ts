/**
 * Packs days that are over. The rows that held one count each become a few bytes in one row, so reading 30 days with 5,000
 * pages takes a few milliseconds instead of 30 ms. The rows of visits and events become blocks, which take a twentieth of the
 * space.
 *
 * Two columns of `traffic_days` say what is where. Packed counts are in `traffic_days` itself, the others in `traffic_counts`.
 *
 * | `is_packed` | `block_set` | Counts              | Visits and events                         | When                                    |
 * |-------------|-------------|---------------------|-------------------------------------------|-----------------------------------------|
 * | false       | null        | not packed, or both | rows                                      | The day is new.                         |
 * | true        | null        | packed              | rows                                      | Packed while a node knew no blocks.     |
 * | true        | positive    | packed              | blocks                                    | The day is packed.                      |
 * | false       | positive    | both                | blocks, and rows of visitors that changed | Late events have arrived.               |
 * | true        | 0           | packed              | none                                      | They were deleted, or totals imported.  |
 * | false       | 0           | both                | rows of late events                       | Late events have arrived after that.    |
 */
import { setTimeout as delay } from 'node:timers/promises'
import { addMs, type Clock } from '../../lib/clock.ts'
import { addDays, findMonday } from '../../lib/local-day.ts'
import type { Cluster } from '../../nodes/cluster.ts'
import { HOUR_MS } from '../../shared/time.ts'
import { isDatabaseUnavailable } from '../../storage/connection-loss.ts'
import type { Database } from '../../storage/database.ts'
import type { Queries, TransactionQueries } from '../../storage/transaction.ts'
import type { WebsiteDay } from '../blocks/row-store.ts'
import { CountTable } from '../model/count-table.ts'
import { countColumnNumbers, countColumns, type Dimension, dimensionNames } from '../model/dimensions.ts'
import { lockTraffic } from '../rollup/store.ts'
import { type BlockDeps, packRows } from './pack-blocks.ts'
import {
  addCount,
  addPackedCounts,
  type CountMap,
  packColumns,
  packCounts,
  packVisitSlots,
  unpackCounts,
} from './packed-counts.ts'
import {
  countVisitSlots,
  type DayToPack,
  type FindDays,
  findUnpackedDays,
  lockDayToPack,
  readPackedDays,
  tryLockPacking,
  type WebsiteWeek,
  writeMovedDay,
  writePackedDay,
  writePackedWeek,
} from './store.ts'

const DAYS_PER_QUERY = 100
/** This long after midnight UTC, the previous day has ended in every time zone and its events have long been rolled up. */
const DAY_END_DELAY_MS = 13 * HOUR_MS
/** How soon to try again if another node is packing days of the same website. */
const LOCKED_RETRY_MS = 200
/** Nodes that know only earlier versions of the schema can't read blocks. */
export const FIRST_BLOCK_SCHEMA_VERSION = 15

export interface PackingDeps extends BlockDeps {
  db: Database
  clock: Clock
  cluster: Pick<Cluster, 'areAllUpgraded'>
}

export async function packDays(deps: PackingDeps, signal?: AbortSignal): Promise<void> {
  await packEach(deps, findUnpackedDays, signal)
}

/**
 * Packs the days that `findDays` returns. A day that cannot be packed does not stop the others, and is retried by the next
 * run. `onPacked` can delay the next day.
 */
export async function packEach(
  deps: PackingDeps,
  findDays: FindDays,
  signal: AbortSignal | undefined,
  onPacked: () => Promise<void> = async () => {},
): Promise<void> {
  const firstUnfinishedDay = addMs(deps.clock.now(), -DAY_END_DELAY_MS).toISOString().slice(0, 10)
  const failures: Error[] = []
  let lastDay: WebsiteDay | undefined = { day: '-infinity', websiteId: 0 }
  while (lastDay !== undefined && !signal?.aborted) {
    const days: WebsiteDay[] = await findDays(deps.db, lastDay, firstUnfinishedDay, DAYS_PER_QUERY)
    for (const day of days) {
      if (signal?.aborted) return
      await packInTurn(deps, day, firstUnfinishedDay, signal).catch((error) => {
        if (isDatabaseUnavailable(error)) throw error
        failures.push(new Error(`${day.day} of website ${day.websiteId}: ${error.message}`, { cause: error }))
      })
      await onPacked()
    }
    lastDay = days.at(-1)
  }
  const [firstFailure] = failures
  if (firstFailure !== undefined)
    throw new Error(`Days that could not be packed: ${failures.length}. The first is ${firstFailure.message}`)
}

/** Waits outside of a transaction while another node packs days of the website. That can take longer than a statement may. */
async function packInTurn(
  deps: PackingDeps,
  day: WebsiteDay,
  firstUnfinishedDay: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  while (!signal?.aborted) {
    const isDone = await deps.db.transaction(async (q) => {
      if (!(await tryLockPacking(q, day.websiteId))) return false
      await packDay(q, deps, day, firstUnfinishedDay)
      return true
    })
    if (isDone) return
    await delay(LOCKED_RETRY_MS)
  }
}

/** Packs the counts of a day, adds the counts of late events, and moves its rows into blocks if all nodes can read them. */
async function packDay(
  q: TransactionQueries,
  deps: PackingDeps,
  day: WebsiteDay,
  firstUnfinishedDay: string,
): Promise<void> {
  const canWriteBlocks = deps.cluster.areAllUpgraded(FIRST_BLOCK_SCHEMA_VERSION)
  // Earlier versions hold this lock when they pack a day, and don't lock the day itself.
  if (!canWriteBlocks) await lockTraffic(q)
  const dayToPack = await lockDayToPack(q, day)
  if (dayToPack === undefined) return
  const { isPacked, blockSet } = dayToPack
  if (isPacked && (blockSet !== null || !canWriteBlocks)) return
  // Without a `block_set`, readers and rollups would ignore the blocks. So the late events of this day wait in rows.
  if (!canWriteBlocks && blockSet !== null && blockSet > 0) return
  const countsByNumber = mergeCounts(dayToPack)
  // The visit slots of a day with blocks were corrected when its rows were first moved.
  const slots = blockSet === null ? await correctVisitSlots(q, day, countsByNumber) : undefined
  const visitStorage = canWriteBlocks ? await packRows(q, day, deps) : 'rows'
  if (isPacked && visitStorage !== 'rows') {
    await writeMovedDay(q, day, slots === undefined ? null : packVisitSlots(slots), visitStorage)
    return
  }
  await writePackedDay(q, day, packColumns(countsByNumber), visitStorage)
  const week = findMonday(day.day)
  if (addDays(week, 6) < firstUnfinishedDay) await packWeek(q, { websiteId: day.websiteId, week })
}

function mergeCounts({ packedCounts, counts }: DayToPack): Map<number, CountMap> {
  const countsByNumber = new Map(
    countColumns.map((name): [number, CountMap] => [countColumnNumbers[name], unpackCounts(packedCounts[name])]),
  )
  for (const { dimension, value, count } of counts) addCount(countsByNumber.get(dimension) as CountMap, value, count)
  return countsByNumber
}

/**
 * Belfry 0.2.0 didn't count visits by slot. So on days that it left unpacked, the counts may lack visits that are still
 * stored. On the other hand, the stored visits may lack visits that were counted and then deleted. Neither number is
 * ever too large, so the larger one is right. Version 0.4.0 removes this function.
 */
async function correctVisitSlots(
  q: Queries,
  day: WebsiteDay,
  countsByNumber: Map<number, CountMap>,
): Promise<CountMap> {
  const [storedVisitCounts = new Map()] = await countVisitSlots(q, [day])
  const number = countColumnNumbers.visit_slots
  const counts = countsByNumber.get(number) as CountMap
  if (sumCounts(storedVisitCounts) >= sumCounts(counts)) countsByNumber.set(number, storedVisitCounts)
  return countsByNumber.get(number) as CountMap
}

const sumCounts = (counts: CountMap) => counts.values().reduce((sum, count) => sum + count, 0)

/**
 * Packs a week as the sum of its packed days, so that statistics over months and years read one row for seven days. The caller holds
 * the packing lock. Counts that are not packed yet stay in `traffic_counts`; statistics add them to the week.
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
