/**
 * Puts events in, all or none: every batch goes to the inbox in one transaction, where nobody sees it before the end. They
 * are added up afterwards, by the same rollup that counts what trackers send.
 */
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'
import { insertBatch } from '../inbox/store.ts'
import type { TrafficEvent } from '../model/event.ts'
import { ensureMonthPartitions } from '../retention/partitions.ts'
import type { Rollup } from '../rollup/rollup.ts'
import { findExistingWebsites } from '../rollup/store.ts'
import { daysHaveTraffic, importInProgress, websiteDeleted } from './import-errors.ts'
import { listTrafficDays, lockImport } from './import-store.ts'

/** As many as the collector's largest. */
const BATCH = 1_000

export interface ImportDeps {
  db: Database
  rollup: Rollup
  clock: Clock
  config: Pick<Config, 'eventDays'>
}

export interface EventImportOptions {
  site: { id: number; domain: string }
  /** Oldest first. Called again where a transaction has to be. */
  open(): AsyncIterable<readonly TrafficEvent[]> | Iterable<readonly TrafficEvent[]>
  /** On top of days that have traffic. */
  mayAdd: boolean
  onEvents?(count: number): void
  /** Days that are counted, and whose events are older than any that are kept. */
  onTooOld?(days: number): void
  /** From here on it is in, as soon as the transaction ends. */
  onComplete?(): void
}

export async function importEvents(needs: ImportDeps, options: EventImportOptions): Promise<number> {
  const { db, rollup } = needs
  const { site, open, mayAdd, onEvents, onTooOld, onComplete } = options
  const oldest = oldestKept(needs)
  return db.transaction(async (q) => {
    if (!(await lockImport(q, site.id))) throw importInProgress(site.domain)
    // What still waits belongs to days that have traffic.
    await rollup.rollUpAll()
    const taken = mayAdd ? new Set<string>() : await listTrafficDays(q, site.id)
    const tooOld = new Set<string>()
    let count = 0
    let first = 0
    let last = 0
    for await (const events of open()) {
      const day = mayAdd ? undefined : events.find(({ day }) => taken.has(day))?.day
      if (day !== undefined) throw daysHaveTraffic(site.domain, [day])
      for (let at = 0; at < events.length; at += BATCH) await insertBatch(q, events.slice(at, at + BATCH))
      for (const { at, day } of events) if (at < oldest) tooOld.add(day)
      if (count === 0) first = events[0]?.at ?? 0
      last = events.at(-1)?.at ?? last
      count += events.length
      onEvents?.(events.length)
    }
    // Only for what will be kept: older events count, and are let go of like any others of their age.
    if (count > 0 && last >= oldest) await ensureMonthPartitions(db, Math.max(first, oldest), last)
    await ensureWebsiteExists(q, site)
    if (tooOld.size > 0) onTooOld?.(tooOld.size)
    onComplete?.()
    return count
  })
}

/** To be asked once more when all is added up: what waits for that counts for nothing once its website is gone. */
export async function ensureWebsiteExists(q: Queries, { id }: { id: number }): Promise<void> {
  if (!(await findExistingWebsites(q, [id])).has(id)) throw websiteDeleted()
}

function oldestKept({ clock, config }: ImportDeps): number {
  return clock.now().getTime() - config.eventDays * DAY_MS
}
