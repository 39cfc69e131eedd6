/** Keeps the months of events and visits: made ahead of time, dropped when nobody is promised them any more. */
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { after, type Clock } from '../../lib/clock.ts'
import { Rounds } from '../../lib/rounds.ts'
import type { Database } from '../../storage/database.ts'
import {
  deleteStrays,
  dropMonth,
  forgetPackedVisits,
  listMonths,
  type Month,
  makeMonth,
  tableNames,
} from './partitions-store.ts'

const ROUND_MS = 3_600_000
const DAY_MS = 86_400_000
/** Clocks are up to this far ahead of UTC, or behind it, so a day may belong to the month next door. */
const SLACK_MS = DAY_MS

interface Needs {
  db: Database
  clock: Clock
  log: Logger
  config: Pick<Config, 'eventDays'>
}

export function keepMonths(needs: Needs): Rounds {
  const work = async (signal: AbortSignal) => {
    const now = needs.clock.now().getTime()
    await ensureMonths(needs.db, now - SLACK_MS, now + 31 * DAY_MS)
    await dropOld(needs, signal)
  }
  return new Rounds({ name: 'keeping the months of events', everyMs: ROUND_MS, log: needs.log, work })
}

/** So that everything between two moments has a month to go to. What has none goes to a partition of its own. */
export async function ensureMonths(db: Database, fromMs: number, toMs: number): Promise<void> {
  const there = new Set(await listMonths(db))
  const last = monthOf(toMs + SLACK_MS)
  for (let month = monthOf(fromMs - SLACK_MS); month <= last; month = nextOf(month)) {
    if (!there.has(month)) await makeMonth(db, month, nextOf(month))
  }
}

function monthOf(ms: number): Month {
  return `${new Date(ms).toISOString().slice(0, 7)}-01`
}

function nextOf(month: Month): Month {
  return Temporal.PlainDate.from(month).add({ months: 1 }).toString()
}

async function dropOld({ clock, config, db, log }: Needs, signal: AbortSignal): Promise<void> {
  const before = after(clock.now(), -config.eventDays * DAY_MS - SLACK_MS)
    .toISOString()
    .slice(0, 10)
  for (const month of await listMonths(db, { halfToo: true })) {
    if (signal.aborted || nextOf(month) > before) break
    if (await dropMonth(db, month)) log.info({ month }, 'the events of a month have been dropped')
  }
  while (!signal.aborted && (await forgetPackedVisits(db, `${before.slice(0, 7)}-01`)));
  for (const table of tableNames) {
    let page: number | undefined = 0
    while (page !== undefined && !signal.aborted) page = await deleteStrays(db, table, before, page)
  }
}
