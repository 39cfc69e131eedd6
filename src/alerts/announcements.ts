/** Announces incidents that could not be announced when they opened: because of a maintenance, or because of a dependency. */

import { addMs, type Clock } from '../lib/clock.ts'
import { requestChecks } from '../monitors/due-store.ts'
import { MINUTE_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import {
  type Announcement,
  announceIncidents,
  type HeldIncident,
  linkParents,
  lockHeldIncidents,
} from './announcement-store.ts'
import { updateDelayedAlerts } from './delay-store.ts'
import { formatDownAlert } from './messages.ts'

const BATCH_SIZE = 500

export interface AnnouncementDeps {
  db: Database
  clock: Clock
  /** While our own network is down, nothing is announced, because the checks that would decide can't run. */
  isOffline(): boolean
  /** Called after new alerts have been stored. */
  onAlerts(): void
}

/**
 * One transaction inserts the alerts and marks their incidents, so a crash can neither lose nor repeat an announcement. The job also
 * skips delayed alerts whose incident is over.
 */
export async function announceHeldIncidents({ db, clock, isOffline, onAlerts }: AnnouncementDeps): Promise<void> {
  await db.batch(updateDelayedAlerts(clock.now()))
  while (!isOffline()) {
    const now = clock.now()
    const { announcedCount, alertCount } = await db.transaction(async (q) => {
      const held = await lockHeldIncidents(q, now, BATCH_SIZE)
      const select = (action: HeldIncident['action']) => held.filter((incident) => incident.action === action)
      const [announced, linked, unchecked] = [select('announce'), select('link'), select('check')]
      if (linked.length > 0) await linkParents(q, linked)
      if (unchecked.length > 0) await requestChecks(q, unchecked.map(toCheckedMonitor), now)
      const announcements = announced.map((incident) => createAnnouncement(incident, now))
      const alertCount = announcements.length === 0 ? 0 : await announceIncidents(q, announcements, now)
      return { announcedCount: announced.length, alertCount }
    })
    if (alertCount > 0) onAlerts()
    // Repeats only after a full batch of announcements: incidents that wait for a check are selected again each time.
    if (announcedCount < BATCH_SIZE) return
  }
}

function createAnnouncement(incident: HeldIncident, now: Date): Announcement {
  const { userId, monitorId, incidentId, remindEveryMinutes } = incident
  return {
    userId,
    monitorId,
    incidentId,
    remindAt: remindEveryMinutes > 0 ? addMs(now, remindEveryMinutes * MINUTE_MS) : null,
    ...formatDownAlert(incident),
  }
}

/** The monitor whose next check decides whether the incident is announced. */
const toCheckedMonitor = ({ userId, checkedMonitorId }: HeldIncident) => ({ userId, monitorId: checkedMonitorId })
