/** Creates the monthly partitions of events and visits ahead of time, and drops them after BELFRY_EVENT_DAYS. */
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { Database } from '../../storage/database.ts'
import {
  clearPackedVisits,
  createMonthPartitions,
  deleteFromDefaultPartition,
  dropMonthPartitions,
  listPartitionMonths,
  type Month,
  partitionedTables,
} from './partitions-store.ts'

/**
 * Events are partitioned by UTC time, but visits by their day in the website's time zone. That day can be one day before
 * or after the UTC date, and so in another month.
 */
const TIME_ZONE_MARGIN_MS = DAY_MS
const CREATE_AHEAD_MS = 31 * DAY_MS

interface Deps {
  db: Database
  clock: Clock
  log: Logger
  config: Pick<Config, 'eventDays'>
}

export async function maintainTrafficPartitions(deps: Deps, signal: AbortSignal): Promise<void> {
  const now = deps.clock.now().getTime()
  await ensureMonthPartitions(deps.db, now - TIME_ZONE_MARGIN_MS, now + CREATE_AHEAD_MS)
  await deleteOldEvents(deps, signal)
}

/** Creates the missing partitions between two times. Events of a month without a partition go to the default partition. */
export async function ensureMonthPartitions(db: Database, fromMs: number, toMs: number): Promise<void> {
  const existingMonths = new Set(await listPartitionMonths(db))
  const lastMonth = startOfMonth(toMs + TIME_ZONE_MARGIN_MS)
  for (let month = startOfMonth(fromMs - TIME_ZONE_MARGIN_MS); month <= lastMonth; month = nextMonth(month)) {
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
  for (const table of partitionedTables) {
    let tablePage: number | undefined = 0
    while (tablePage !== undefined && !signal.aborted)
      tablePage = await deleteFromDefaultPartition(db, table, deleteBefore, tablePage)
  }
}
