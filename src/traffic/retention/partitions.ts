/**
 * Creates the monthly partitions of events and visits ahead of time, and drops them when all their rows are in blocks. Deletes rows and
 * blocks after BELFRY_EVENT_DAYS.
 */
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { Database } from '../../storage/database.ts'
import { countInboxEvents } from '../inbox/store.ts'
import {
  clearPackedVisits,
  createMonthPartitions,
  deleteFromDefaultPartition,
  deleteOldBlocks,
  dropEmptyPartition,
  dropMonthPartitions,
  hasDaysWithRows,
  listPartitionMonths,
  type Month,
  partitionedTables,
  shrinkEmptyPartition,
} from './partitions-store.ts'

/**
 * Events are partitioned by UTC time, but visits by their day in the website's time zone. That day can be one day before
 * or after the UTC date, and so in another month.
 */
const TIME_ZONE_MARGIN_MS = DAY_MS
const CREATE_AHEAD_MS = 31 * DAY_MS
/** PostgreSQL plans statements more slowly with many partitions. */
const MAX_IMPORT_MONTHS = 120
/**
 * An import creates partitions for its months, and fills them when its events are rolled up. If this many events wait, it may be an
 * import, so empty partitions stay.
 */
const MAX_WAITING_EVENTS = 10_000

interface Deps {
  db: Database
  clock: Clock
  log: Logger
  config: Pick<Config, 'eventDays'>
}

export async function maintainTrafficPartitions(deps: Deps, signal: AbortSignal): Promise<void> {
  const now = deps.clock.now().getTime()
  await ensureMonthPartitions(deps.db, now - TIME_ZONE_MARGIN_MS, now + CREATE_AHEAD_MS)
  if (Number.isFinite(deps.config.eventDays)) await deleteOldEvents(deps, signal)
  await dropEmptyPartitions(deps, signal)
}

/** Creates the missing partitions between two times. Events of a month without a partition go to the default partition. */
export async function ensureMonthPartitions(db: Database, fromMs: number, toMs: number): Promise<void> {
  const months: Month[] = []
  const lastMonth = startOfMonth(toMs + TIME_ZONE_MARGIN_MS)
  for (let month = startOfMonth(fromMs - TIME_ZONE_MARGIN_MS); month <= lastMonth; month = nextMonth(month))
    months.push(month)
  await createMissingMonths(db, months)
}

/** Creates the missing partitions for events of these times, except for the oldest months if there are many. */
export async function ensurePartitionsFor(db: Database, times: Iterable<number>): Promise<void> {
  const months = new Set<Month>()
  for (const time of times) {
    months.add(startOfMonth(time - TIME_ZONE_MARGIN_MS))
    months.add(startOfMonth(time + TIME_ZONE_MARGIN_MS))
  }
  await createMissingMonths(db, [...months].sort().slice(-MAX_IMPORT_MONTHS))
}

async function createMissingMonths(db: Database, months: readonly Month[]): Promise<void> {
  const existingMonths = new Set(await listPartitionMonths(db))
  for (const month of months) {
    if (!existingMonths.has(month)) await createMonthPartitions(db, month, nextMonth(month))
  }
}

function startOfMonth(ms: number): Month {
  return `${new Date(ms).toISOString().slice(0, 7)}-01`
}

function nextMonth(month: Month): Month {
  return Temporal.PlainDate.from(month).add({ months: 1 }).toString()
}

async function deleteOldEvents({ clock, config, db, log }: Deps, signal: AbortSignal): Promise<void> {
  const deleteBefore = addMs(clock.now(), -config.eventDays * DAY_MS - TIME_ZONE_MARGIN_MS)
    .toISOString()
    .slice(0, 10)
  for (const month of await listPartitionMonths(db, { includePartial: true })) {
    if (signal.aborted || nextMonth(month) > deleteBefore) break
    if (await dropMonthPartitions(db, month)) log.info({ month }, 'dropped the events of a month')
  }
  while (!signal.aborted && (await clearPackedVisits(db, `${deleteBefore.slice(0, 7)}-01`)));
  while (!signal.aborted && (await deleteOldBlocks(db, deleteBefore)));
  for (const table of partitionedTables) {
    let tablePage: number | undefined = 0
    while (tablePage !== undefined && !signal.aborted)
      tablePage = await deleteFromDefaultPartition(db, table, deleteBefore, tablePage)
  }
}

/** Packing moves the rows of past days into blocks. Dropping the partitions that it emptied frees their disk space. */
async function dropEmptyPartitions({ clock, db, log }: Deps, signal: AbortSignal): Promise<void> {
  if ((await countInboxEvents(db)) > MAX_WAITING_EVENTS) return
  // The months that `ensureMonthPartitions` would create again stay.
  const firstNeededMonth = startOfMonth(clock.now().getTime() - 2 * TIME_ZONE_MARGIN_MS)
  for (const month of await listPartitionMonths(db, { includePartial: true })) {
    if (await hasDaysWithRows(db, month, nextMonth(month))) continue
    for (const table of partitionedTables) {
      if (signal.aborted) return
      if (month >= firstNeededMonth) await shrinkEmptyPartition(db, table, month)
      else if (await dropEmptyPartition(db, table, month)) log.info({ table, month }, 'dropped an empty partition')
    }
  }
}
