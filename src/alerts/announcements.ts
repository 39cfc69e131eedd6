/** Carries out what `decideAnnouncement` decides: when a check has opened or closed incidents, and later for incidents that are held. */
import type { IncidentKey } from '../impact/measure-store.ts'
import type { Clock } from '../lib/clock.ts'
import { requestChecks } from '../monitors/due-store.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'
import {
  type Announcement,
  type DecidedAlert,
  decideAnnouncement,
  decideDelayedAlert,
  decideExpiryAlerts,
  type IncidentFacts,
  type MonitorFacts,
} from './announcement.ts'
import {
  type AnnouncementSubject,
  type IncidentUpdate,
  listHeldIncidents,
  lockHeldIncidents,
  type NewAlert,
  readAnnouncementFacts,
  writeAnnouncements,
} from './announcement-store.ts'
import {
  type AlertText,
  formatDownAlert,
  formatExpiryAlert,
  formatExpiryOccurrence,
  formatRecoveryAlert,
} from './message.ts'
import { type DelayedAlert, findDelayedAlerts, writeDelayedAlerts } from './queue-store.ts'

const BATCH_SIZE = 500

/** An incident that has just opened or ended. */
export interface ChangedIncident extends IncidentKey {
  at: Date
}

/** A warning that is due about the expiry of a certificate or a domain. */
export interface ExpiryWarning {
  teamId: number
  monitorId: number
  at: Date
  expiresAt: Date
  /** How many days before the expiry the warning was due. */
  warningDays: number
}

/**
 * Must run in the transaction that has opened or closed the incidents, so that a crash can neither lose nor repeat an announcement.
 * Returns the number of new alerts.
 */
export async function announceChanges(
  q: Queries,
  { incidents, warnings }: { incidents: readonly ChangedIncident[]; warnings: readonly ExpiryWarning[] },
): Promise<number> {
  const subjects = [...incidents, ...warnings.map((warning): AnnouncementSubject => ({ ...warning, incidentId: null }))]
  if (subjects.length === 0) return 0
  const facts = await readAnnouncementFacts(q, subjects)
  const incidentFacts = facts.filter(isAboutIncident)
  const monitorFacts = new Map(facts.map((monitor) => [monitor.monitorId, monitor]))
  const expiryAlerts = warnings.flatMap((warning) => {
    const monitor = monitorFacts.get(warning.monitorId)
    return monitor === undefined ? [] : createExpiryAlerts(monitor, warning)
  })
  return carryOut(q, incidentFacts, expiryAlerts)
}

const isAboutIncident = (facts: MonitorFacts & { incidentId: number | null }): facts is IncidentFacts =>
  facts.incidentId !== null

function createExpiryAlerts(facts: MonitorFacts, { expiresAt, warningDays, at }: ExpiryWarning): NewAlert[] {
  const text = formatExpiryAlert({ ...facts, expiresAt, now: at })
  const occurrence = formatExpiryOccurrence(expiresAt, warningDays)
  return decideExpiryAlerts(facts).map((alert) => createAlert(facts, alert, { ...text, occurrence }))
}

function createAlert(
  { teamId, monitorId, at }: MonitorFacts,
  alert: DecidedAlert,
  { incidentId = null, occurrence = '', title, body }: AlertText & { incidentId?: number | null; occurrence?: string },
): NewAlert {
  return { teamId, monitorId, incidentId, occurrence, title, body, createdAt: at, ...alert }
}

/** Returns the number of new alerts. */
async function carryOut(
  q: Queries,
  incidents: readonly IncidentFacts[],
  expiryAlerts: readonly NewAlert[] = [],
): Promise<number> {
  const decisions = incidents.map((facts) => ({ facts, announcement: decideAnnouncement(facts) }))
  const alertCount = await writeAnnouncements(q, {
    incidents: decisions.flatMap(({ facts, announcement }) => createIncidentUpdate(facts, announcement) ?? []),
    alerts: [
      ...decisions.flatMap(({ facts, announcement }) =>
        announcement.action === 'announce' ? createIncidentAlerts(facts, announcement.alerts) : [],
      ),
      ...expiryAlerts,
    ],
  })
  const checkedMonitors = decisions.flatMap(({ facts: { teamId }, announcement }) =>
    announcement.action === 'check' ? [{ teamId, monitorId: announcement.monitorId }] : [],
  )
  if (checkedMonitors.length > 0) {
    const now = new Date(Math.max(...incidents.map(({ at }) => at.getTime())))
    await requestChecks(q, checkedMonitors, now)
  }
  return alertCount
}

function createIncidentUpdate(facts: IncidentFacts, announcement: Announcement): IncidentUpdate | undefined {
  const { teamId, monitorId, incidentId, announcedAt, remindAt, linkedMonitorId, linkedIncidentId } = facts
  const unchanged = {
    ...{ teamId, monitorId, incidentId, announcedAt, remindAt },
    parentMonitorId: linkedMonitorId,
    parentIncidentId: linkedIncidentId,
  }
  switch (announcement.action) {
    case 'announce':
      return { ...unchanged, announcedAt: announcement.announcedAt, remindAt: announcement.remindAt }
    case 'link':
      return {
        ...unchanged,
        parentMonitorId: announcement.parentMonitorId,
        parentIncidentId: announcement.parentIncidentId,
      }
    default:
      return undefined
  }
}

function createIncidentAlerts(facts: IncidentFacts, alerts: readonly DecidedAlert[]): NewAlert[] {
  const { incidentId, startedAt: since, at: now } = facts
  return alerts.map((alert) => {
    const incident = { ...facts, since, now }
    const text = alert.event === 'down' ? formatDownAlert(incident) : formatRecoveryAlert(incident)
    return createAlert(facts, alert, { ...text, incidentId })
  })
}

export interface AnnouncementDeps {
  db: Database
  clock: Clock
  /** While our own network is down, no held incident is announced, because the checks that would decide can't run. */
  isOffline(): boolean
  /** Called after new alerts have been stored. */
  onAlerts(): void
}

/**
 * Decides again about held incidents. Most of them stay held, so only those that don't are locked. Then the decision is repeated, because
 * another node or a check may have changed the incident before it was locked. The job also decides about delayed alerts.
 */
export async function announceHeldIncidents({ db, clock, isOffline, onAlerts }: AnnouncementDeps): Promise<void> {
  const now = clock.now()
  while ((await decideAboutDelayedAlerts(db, await findDelayedAlerts(db, now), now)) > 0);
  let after = { teamId: 0, monitorId: 0 }
  while (!isOffline()) {
    const at = clock.now()
    const heldIncidents = await listHeldIncidents(db, after, BATCH_SIZE)
    const readyIncidents = (await readFacts(db, heldIncidents, at)).filter(
      (facts) => decideAnnouncement(facts).action !== 'hold',
    )
    if (readyIncidents.length > 0) {
      const alertCount = await db.transaction(async (q) =>
        carryOut(q, await readFacts(q, await lockHeldIncidents(q, readyIncidents), at)),
      )
      if (alertCount > 0) onAlerts()
    }
    const last = heldIncidents.at(-1)
    if (last === undefined || heldIncidents.length < BATCH_SIZE) return
    after = last
  }
}

async function readFacts(q: Queries, incidents: readonly IncidentKey[], at: Date): Promise<IncidentFacts[]> {
  if (incidents.length === 0) return []
  const subjects = incidents.map(({ teamId, monitorId, incidentId }) => ({ teamId, monitorId, incidentId, at }))
  return (await readAnnouncementFacts(q, subjects)).filter(isAboutIncident)
}

/** Returns the number of alerts that were skipped, delayed again, or are no longer delayed. */
export async function decideAboutDelayedAlerts(
  q: Queries,
  alerts: readonly DelayedAlert[],
  now: Date,
): Promise<number> {
  if (alerts.length === 0) return 0
  return writeDelayedAlerts(
    q,
    alerts.map(({ teamId, alertId, ...facts }) => ({ teamId, alertId, ...decideDelayedAlert(facts, now) })),
  )
}
