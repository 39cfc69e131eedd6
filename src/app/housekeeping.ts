/** What has to be done now and then, and whose delay nobody notices. */

import { deleteExpiredSessions } from '../accounts/store.ts'
import { dropOldAlerts } from '../alerts/log-store.ts'
import { after } from '../lib/clock.ts'
import { dayOf } from '../providers/sms-allowance.ts'
import { dropOldSmsDays } from '../providers/sms-store.ts'
import { dropOldIdempotencyKeys } from '../storage/idempotency.ts'
import { dropOldCounts } from '../storage/settle-counts.ts'
import { dropOldSalts } from '../traffic/collect/site-store.ts'
import { dropOldDropped } from '../traffic/dropped/store.ts'
import { dropOldReports } from '../traffic/reports/decide-store.ts'
import type { Services } from './services.ts'

const FLUSH_LAST_USED_MS = 30_000
const TIDY_MS = 3_600_000
const DAY_MS = 86_400_000

type Needs = Pick<Services, 'clock' | 'config' | 'db' | 'lastUsed' | 'log'>

export async function tidy({ clock, db }: Pick<Needs, 'clock' | 'db'>): Promise<void> {
  const now = clock.now()
  await deleteExpiredSessions(db, now)
  await dropOldIdempotencyKeys(db, now)
  await dropOldCounts(db, clock)
  await dropOldSmsDays(db, dayOf(now))
  await dropOldAlerts(db, now)
  // Nowhere is it still the day before yesterday, by the clock of UTC.
  await dropOldSalts(db, dayOf(after(now, -DAY_MS)))
  await dropOldReports(db, now)
  await dropOldDropped(db, now)
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
