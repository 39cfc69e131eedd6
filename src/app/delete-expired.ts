/** Deletes rows that have expired. */
import { deleteExpiredAccountLinks } from '../account-links/store.ts'
import { deleteExpiredSessions } from '../accounts/store.ts'
import { deleteOldAlerts } from '../alerts/log-store.ts'
import { deleteOldAuditEntries } from '../audit/store.ts'
import { deleteOldSmsCounts } from '../channels/sms-store.ts'
import { deleteAbandonedBeats } from '../heartbeats/list-store.ts'
import { deleteOldCollectionGaps } from '../heartbeats/outage-store.ts'
import { addMs } from '../lib/clock.ts'
import { toUtcDay } from '../lib/local-day.ts'
import { deleteOldMaintenances } from '../maintenances/store.ts'
import { deleteOldTestEmailCounts } from '../recipients/store.ts'
import { deleteOldReports } from '../reports/schedule-store.ts'
import { DAY_MS } from '../shared/time.ts'
import { deleteExpiredAttempts } from '../sign-in/attempt-store.ts'
import { deleteOldStatusMessages } from '../status-pages/subscribers/message-store.ts'
import { deleteExpiredSubscriptions } from '../status-pages/subscribers/subscription-store.ts'
import { deleteExpiredIdempotencyKeys } from '../storage/idempotency.ts'
import { deleteOldRateCounts } from '../storage/rate-counts.ts'
import { deleteExpiredInvitations } from '../teams/invitation-store.ts'
import { deleteOldSalts } from '../traffic/collect/store.ts'
import { deleteOldArrivals } from '../traffic/dropped/arrival-store.ts'
import { deleteOldDropCounts } from '../traffic/dropped/store.ts'
import type { Services } from './services.ts'

export async function deleteExpired({ clock, db }: Pick<Services, 'clock' | 'db'>): Promise<void> {
  const now = clock.now()
  await deleteExpiredSessions(db, now)
  await deleteExpiredAttempts(db, now)
  await deleteExpiredAccountLinks(db, now)
  await deleteExpiredInvitations(db, now)
  await deleteExpiredIdempotencyKeys(db, now)
  await deleteOldRateCounts(db, clock)
  await deleteOldSmsCounts(db, toUtcDay(now))
  await deleteOldTestEmailCounts(db, toUtcDay(now))
  await deleteOldAlerts(db, now)
  await deleteOldAuditEntries(db, now)
  // In every time zone today's date is yesterday's UTC date or later, so older salts are no longer used.
  await deleteOldSalts(db, toUtcDay(addMs(now, -DAY_MS)))
  await deleteOldMaintenances(db, now)
  await deleteOldReports(db, now)
  await deleteOldDropCounts(db, now)
  await deleteOldArrivals(db, now)
  await deleteExpiredSubscriptions(db, now)
  await deleteOldStatusMessages(db, now)
  await deleteAbandonedBeats(db, addMs(now, -DAY_MS))
  await deleteOldCollectionGaps(db, now)
}
