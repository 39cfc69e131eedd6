/**
 * Imports events, all or none: one transaction adds them to the inbox. Afterwards the rollup counts them like events that
 * were collected.
 */
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { Database } from '../../storage/database.ts'
import type { Queries } from '../../storage/transaction.ts'
import { insertBatch } from '../inbox/store.ts'
import type { TrafficEvent } from '../model/event.ts'
import { ensurePartitionsFor } from '../retention/partitions.ts'
import type { Rollup } from '../rollup/rollup.ts'
import { findExistingWebsiteIds } from '../rollup/store.ts'
import { daysHaveTrafficProblem, importInProgressProblem, websiteDeletedProblem } from './import-errors.ts'
import { listTrafficDays, lockImport } from './store.ts'

/** The same number as in the largest batches of the collector. */
const EVENTS_PER_BATCH = 1_000

export interface ImportDeps {
  db: Database
  rollup: Rollup
  clock: Clock
  config: Pick<Config, 'eventDays'>
}

export interface EventImportOptions {
  site: { id: number; domain: string }
  /** Returns the events, oldest first. Called again if the transaction is retried. */
  readEvents(): AsyncIterable<readonly TrafficEvent[]> | Iterable<readonly TrafficEvent[]>
  /** Whether events may be added to days that already have traffic. */
  mayAddToExistingDays: boolean
  onEvents?(count: number): void
  /** Called with the number of days older than BELFRY_EVENT_DAYS. Their events count in the statistics, but are not kept. */
  onTooOldDays?(count: number): void
  /** Called when only the commit is left, which cannot be interrupted any more. */
  onReadyToCommit?(): void
}

/** Returns the number of events. */
export async function importEvents(deps: ImportDeps, options: EventImportOptions): Promise<number> {
  const { db, rollup } = deps
  const { site, readEvents, mayAddToExistingDays, onEvents, onTooOldDays, onReadyToCommit } = options
  const keptSince = computeKeptSince(deps)
  return db.transaction(async (q) => {
    if (!(await lockImport(q, site.id))) throw importInProgressProblem(site.domain)
    // `listTrafficDays` finds only days with rolled-up events, so roll up the events that are still in the inbox.
    await rollup.rollUpAll()
    const daysWithTraffic = mayAddToExistingDays ? new Set<string>() : await listTrafficDays(q, site.id)
    const tooOldDays = new Set<string>()
    /** A time in each day whose events are kept. */
    const keptTimes: number[] = []
    let lastKeptDay = ''
    let eventCount = 0
    for await (const events of readEvents()) {
      const conflict = events.find(({ day }) => daysWithTraffic.has(day))
      if (conflict !== undefined) throw daysHaveTrafficProblem(site.domain, [conflict.day])
      for (let start = 0; start < events.length; start += EVENTS_PER_BATCH) {
        await insertBatch(q, events.slice(start, start + EVENTS_PER_BATCH))
      }
      for (const { at, day } of events) {
        if (at < keptSince) tooOldDays.add(day)
        else if (day !== lastKeptDay) {
          keptTimes.push(at)
          lastKeptDay = day
        }
      }
      eventCount += events.length
      onEvents?.(events.length)
    }
    // Events before `keptSince` need no partition of their month: they are counted and then deleted.
    await ensurePartitionsFor(db, keptTimes)
    await ensureWebsiteExists(q, site)
    if (tooOldDays.size > 0) onTooOldDays?.(tooOldDays.size)
    onReadyToCommit?.()
    return eventCount
  })
}

/**
 * Throws if the website was deleted. `importEvents` calls this before the commit. The commands that import call this once
 * more after they have rolled up the events, because the rollup ignores the events of a website that was deleted in the meantime.
 */
export async function ensureWebsiteExists(q: Queries, { id }: { id: number }): Promise<void> {
  if (!(await findExistingWebsiteIds(q, [id])).has(id)) throw websiteDeletedProblem()
}

function computeKeptSince({ clock, config }: ImportDeps): number {
  return clock.now().getTime() - config.eventDays * DAY_MS
}
