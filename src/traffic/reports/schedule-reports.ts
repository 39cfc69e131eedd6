/** Decides which websites get a weekly report now: one per website and week, even if this process crashes. */
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Database } from '../../storage/database.ts'
import { insertDueReports, skipDueReports } from './schedule-store.ts'

const BATCH_SIZE = 500

export interface ScheduleReportsDeps {
  db: Database
  clock: Clock
  config: Pick<Config, 'mail'>
  /** Called after reports were added. */
  onReports(): void
}

/** Without a mail server, due reports are skipped: weeks later they would no longer be news. */
export async function scheduleReports(
  { db, clock, config, onReports }: ScheduleReportsDeps,
  signal: AbortSignal,
): Promise<void> {
  const hasMailServer = config.mail !== undefined
  const processDue = hasMailServer ? insertDueReports : skipDueReports
  while (!signal.aborted) {
    const websites = await processDue(db, clock.now(), BATCH_SIZE)
    if (websites > 0 && hasMailServer) onReports()
    if (websites < BATCH_SIZE) return
  }
}
