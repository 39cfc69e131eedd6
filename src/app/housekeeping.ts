/** What has to be done now and then, and whose delay nobody notices. */

import { deleteExpiredSessions } from '../accounts/store.ts'
import { deleteOldAlerts } from '../alerts/log-store.ts'
import { addMs } from '../lib/clock.ts'
import { toUtcDay } from '../providers/sms-allowance.ts'
import { deleteOldSmsCounts } from '../providers/sms-store.ts'
import { DAY_MS, HOUR_MS } from '../shared/time.ts'
import { deleteExpiredIdempotencyKeys } from '../storage/idempotency.ts'
import { deleteOldCounts } from '../storage/settle-counts.ts'
import { deleteOldSalts } from '../traffic/collect/visitor/salt-store.ts'
import { deleteOldDropCounts } from '../traffic/dropped/store.ts'
import { dropOldReports } from '../traffic/reports/schedule-store.ts'
import type { Services } from './services.ts'

const FLUSH_LAST_USED_MS = 30_000
const TIDY_MS = HOUR_MS

type Needs = Pick<Services, 'clock' | 'config' | 'db' | 'lastUsed' | 'log'>

export async function tidy({ clock, db }: Pick<Needs, 'clock' | 'db'>): Promise<void> {
  const now = clock.now()
  await deleteExpiredSessions(db, now)
  await deleteExpiredIdempotencyKeys(db, now)
  await deleteOldCounts(db, clock)
  await deleteOldSmsCounts(db, toUtcDay(now))
  await deleteOldAlerts(db, now)
  // Nowhere is it still the day before yesterday, by the clock of UTC.
  await deleteOldSalts(db, toUtcDay(addMs(now, -DAY_MS)))
  await dropOldReports(db, now)
  await deleteOldDropCounts(db, now)
}

/** A failure waits for the next turn: the database may be away. */
export function keepHouse(services: Needs): { stop(): void } {
  const { config, db, lastUsed, log } = services
  const every = (ms: number, name: string, work: () => Promise<void>) => {
    const attempt = () =>
      work().catch((error) => log.warn({ reason: error.message }, `${name} failed, trying again later`))
    return setInterval(attempt, ms).unref()
  }
  const timers = [every(FLUSH_LAST_USED_MS, 'noting when keys were used', () => lastUsed.flush(db))]
  if (config.roles.has('worker')) timers.push(every(TIDY_MS, 'tidying up', () => tidy(services)))
  return { stop: () => timers.forEach(clearInterval) }
}
