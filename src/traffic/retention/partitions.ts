/** Keeps the months of events and visits: made ahead of time, dropped when nobody is promised them any more. */
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

/** Clocks are up to this far ahead of UTC, or behind it, so a day may belong to the month next door. */
const SLACK_MS = DAY_MS

interface Needs {
  db: Database
  clock: Clock
  log: Logger
  config: Pick<Config, 'eventDays'>
}

export async function maintainTrafficPartitions(deps: Needs, signal: AbortSignal): Promise<void> {
  const now = deps.clock.now().getTime()
  await ensureMonthPartitions(deps.db, now - SLACK_MS, now + 31 * DAY_MS)
  await dropOld(deps, signal)
}

/** So that everything between two moments has a month to go to. What has none goes to a partition of its own. */
export async function ensureMonthPartitions(db: Database, fromMs: number, toMs: number): Promise<void> {
  const there = new Set(await listPartitionMonths(db))
  const last = monthOf(toMs + SLACK_MS)
  for (let month = monthOf(fromMs - SLACK_MS); month <= last; month = nextOf(month)) {
    if (!there.has(month)) await createMonthPartitions(db, month, nextOf(month))
  }
}

function monthOf(ms: number): Month {
  return `${new Date(ms).toISOString().slice(0, 7)}-01`
}

function nextOf(month: Month): Month {
  return Temporal.PlainDate.from(month).add({ months: 1 }).toString()
}

async function dropOld({ clock, config, db, log }: Needs, signal: AbortSignal): Promise<void> {
  const before = addMs(clock.now(), -config.eventDays * DAY_MS - SLACK_MS)
    .toISOString()
    .slice(0, 10)
  for (const month of await listPartitionMonths(db, { halfToo: true })) {
    if (signal.aborted || nextOf(month) > before) break
    if (await dropMonthPartitions(db, month)) log.info({ month }, 'the events of a month have been dropped')
  }
  while (!signal.aborted && (await clearPackedVisits(db, `${before.slice(0, 7)}-01`)));
  for (const table of partitionedTables) {
    let page: number | undefined = 0
    while (page !== undefined && !signal.aborted) page = await deleteFromDefaultPartition(db, table, before, page)
  }
}
