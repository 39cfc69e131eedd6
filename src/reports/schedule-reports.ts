/** Decides which websites get a weekly report now: one per website and week, even if this process crashes. */
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Database } from '../storage/database.ts'
import { insertDueReports, skipDueReports } from './schedule-store.ts'

const BATCH_SIZE = 500

export interface ScheduleReportsDeps {
  db: Database
  clock: Clock
  config: Pick<Config, 'mail'>
  /** Called after reports were added. */
  onReports(): void
}

/** Without a mail server, skips due reports. Otherwise old reports would be sent when a mail server is configured later. */
export async function scheduleReports(
  { db, clock, config, onReports }: ScheduleReportsDeps,
  signal: AbortSignal,
): Promise<void> {
  const hasMailServer = config.mail !== undefined
  const processDue = hasMailServer ? insertDueReports : skipDueReports
  while (!signal.aborted) {
    const websiteCount = await processDue(db, clock.now(), BATCH_SIZE)
    if (websiteCount > 0 && hasMailServer) onReports()
    if (websiteCount < BATCH_SIZE) return
  }
}
