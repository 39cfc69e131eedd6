/**
 * Decides whether an incident is announced, to which channels and when, and which messages carry the alerts. This module is pure:
 * the stores read the facts and write what it decides.
 *
 * An incident is announced when a check opens it, except in three cases: its monitor is in maintenance, the monitor's parent (the
 * monitor that it depends on) is down or must be checked first, or visits seem to be missing only because Belfry doesn't receive
 * them. Then the incident is held: no channel gets an alert, and the job 'announce incidents' decides again every two seconds.
 */
import { addMs } from '../lib/clock.ts'
import type { Diagnosis } from '../shared/impact.ts'
import { DEFAULT_TIMEOUT_SECONDS, type MonitorStatus, type MonitorType } from '../shared/monitors.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../shared/time.ts'

/** What a decision needs to know about the monitor. */
export interface MonitorFacts {
  teamId: number
  monitorId: number
  /**
   * The time of the decision: the end of the check that opened or ended the incident, or made a warning due. If the job
   * 'announce incidents' decides, it is the current time.
   */
  at: Date
  friendlyName: string
  url: string
  type: MonitorType
  remindEveryMinutes: number
  lastCheckedAt: Date | null
  isInMaintenance: boolean
  /** The monitor that this monitor depends on. */
  parent: ParentFacts | null
  channels: readonly ChannelFacts[]
}

export interface ParentFacts {
  monitorId: number
  type: MonitorType
  status: MonitorStatus
  statusChangedAt: Date
  /** Consecutive failed checks. */
  failures: number
  lastCheckedAt: Date | null
  retries: number
  retryIntervalSeconds: number
  /** The timeout of the parent's check; null for the default. */
  timeoutSeconds: number | null
  /** The ongoing incident of the parent. */
  incidentId: number | null
}

/** A channel whose assignment to the monitor is enabled. */
export interface ChannelFacts {
  channelId: number
  delayMinutes: number
  /** Whether an alert or a reminder about the incident was created for this channel, and not skipped. */
  wasAlerted: boolean
}

export interface IncidentFacts extends MonitorFacts {
  incidentId: number
  detail: string
  startedAt: Date
  detectedAt: Date
  resolvedAt: Date | null
  announcedAt: Date | null
  /** When a person acknowledged the incident; null if nobody has. */
  acknowledgedAt: Date | null
  remindAt: Date | null
  /** Whether the incident opened during a maintenance. */
  isDuringMaintenance: boolean
  /** `collector` if visits seem to be missing only because Belfry doesn't receive them. */
  diagnosis: Diagnosis | null
  /** The parent whose incident explained this incident at the last decision. */
  linkedMonitorId: number | null
  linkedIncidentId: number | null
}

export interface DecidedAlert {
  event: 'down' | 'recovered' | 'certificate'
  channelId: number
  /** Until this time, the alert can still be skipped. null if it is sent now. */
  delayedUntil: Date | null
}

export type Announcement =
  | { action: 'announce'; announcedAt: Date; remindAt: Date | null; alerts: DecidedAlert[] }
  | { action: 'hold' }
  /** The parent is down, too. Its incident becomes the parent of this incident, which stays held. */
  | { action: 'link'; parentMonitorId: number; parentIncidentId: number | null }
  /**
   * The incident stays held until a check of the monitor `monitorId` shows whether to announce the incident. That check
   * is due now.
   */
  | { action: 'check'; monitorId: number }

/** A parent gets this long for its check. The retries that confirm its failure add to this, up to `MAX_WAIT_MS`. */
const MIN_WAIT_MS = 30 * SECOND_MS
const MAX_WAIT_MS = 5 * MINUTE_MS
/**
 * A warning that is due during a maintenance waits, and so does an alert whose delay ends during one. This module
 * decides about it again after this time.
 */
const MAINTENANCE_RETRY_MS = MINUTE_MS
/** Alerts are deleted after this time. Then it is unknown to which channels the incident was announced. */
const ALERTS_KEPT_MS = 365 * DAY_MS

const hold = { action: 'hold' } as const

/** Decides about an incident that has just opened or ended, or that is held. */
export function decideAnnouncement(facts: IncidentFacts): Announcement {
  if (facts.resolvedAt !== null) return decideRecovery(facts)
  if (facts.announcedAt !== null || facts.isInMaintenance || facts.diagnosis === 'collector') return hold
  const { parent } = facts
  if (parent === null) return announce(facts)
  switch (parent.status) {
    case 'pending':
    case 'paused':
      return announce(facts)
    case 'down':
      return facts.linkedMonitorId === parent.monitorId && facts.linkedIncidentId === parent.incidentId
        ? hold
        : { action: 'link', parentMonitorId: parent.monitorId, parentIncidentId: parent.incidentId }
    case 'up':
      return decideWhileParentIsUp(facts, parent)
  }
}

/**
 * If the parent was down and is up again, the next check of the monitor shows whether the monitor has a problem of its own. Otherwise, a
 * check of the parent since the outage began shows whether the parent is the problem. Heartbeats can't be checked early. If the check
 * does not run in time, the incident is announced: an unnecessary alert is better than a missing one.
 */
function decideWhileParentIsUp(facts: IncidentFacts, parent: ParentFacts): Announcement {
  const wasParentDown = facts.linkedMonitorId === parent.monitorId
  if (computeWaitEnd(facts, parent, wasParentDown) <= facts.at.getTime()) return announce(facts)
  if (parent.failures > 0) return hold
  if (wasParentDown) {
    if (isAfter(facts.lastCheckedAt, parent.statusChangedAt)) return announce(facts)
    return facts.type === 'heartbeat' ? hold : { action: 'check', monitorId: facts.monitorId }
  }
  const wasCheckedSince = parent.lastCheckedAt !== null && parent.lastCheckedAt >= facts.startedAt
  if (parent.type === 'heartbeat' || wasCheckedSince) return announce(facts)
  return { action: 'check', monitorId: parent.monitorId }
}

function computeWaitEnd(facts: IncidentFacts, parent: ParentFacts, wasParentDown: boolean): number {
  const waitsFrom = Math.max(facts.detectedAt.getTime(), wasParentDown ? parent.statusChangedAt.getTime() : 0)
  const secondsPerRetry = parent.retryIntervalSeconds + (parent.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS)
  return waitsFrom + Math.min(MAX_WAIT_MS, MIN_WAIT_MS + parent.retries * secondsPerRetry * SECOND_MS)
}

const isAfter = (time: Date | null, other: Date) => time !== null && time > other

/**
 * A held incident may be acknowledged before it is announced. Then channels without a delay still get an alert, because they have not heard
 * of the incident, but delayed channels get none, and there are no reminders.
 */
function announce(facts: IncidentFacts): Announcement {
  const { at, remindEveryMinutes, acknowledgedAt } = facts
  const hasReminders = remindEveryMinutes > 0 && acknowledgedAt === null
  return {
    action: 'announce',
    announcedAt: at,
    remindAt: hasReminders ? addMs(at, remindEveryMinutes * MINUTE_MS) : null,
    alerts: listAnnouncedChannels(facts).map((channel) => createDownAlert(channel, at)),
  }
}

const listAnnouncedChannels = ({ channels, acknowledgedAt }: IncidentFacts) =>
  acknowledgedAt === null ? channels : channels.filter(({ delayMinutes }) => delayMinutes === 0)

function createDownAlert({ channelId, delayMinutes }: ChannelFacts, at: Date): DecidedAlert {
  return { event: 'down', channelId, delayedUntil: delayMinutes > 0 ? addMs(at, delayMinutes * MINUTE_MS) : null }
}

/**
 * A channel that got no alert about the incident, because it was assigned later, gets none about the recovery.
 *
 * An incident can open during a maintenance and end after it, before the job has announced the incident, for example
 * because no worker was running. Then the incident is announced together with its recovery. Any other incident that was
 * never announced gets no alert about its recovery.
 */
function decideRecovery(facts: IncidentFacts): Announcement {
  const { announcedAt, at, channels } = facts
  const createRecoveryAlert = ({ channelId }: ChannelFacts) =>
    ({ event: 'recovered', channelId, delayedUntil: null }) as const
  if (announcedAt === null) {
    if (!shouldHaveBeenAnnounced(facts)) return hold
    const announced = listAnnouncedChannels(facts)
    const alerts = [...announced.map((channel) => createDownAlert(channel, at)), ...announced.map(createRecoveryAlert)]
    return { action: 'announce', announcedAt: at, remindAt: null, alerts }
  }
  const areAlertsDeleted = announcedAt.getTime() < at.getTime() - ALERTS_KEPT_MS
  const alertedChannels = channels.filter(({ wasAlerted }) => wasAlerted || areAlertsDeleted)
  return { action: 'announce', announcedAt, remindAt: null, alerts: alertedChannels.map(createRecoveryAlert) }
}

const shouldHaveBeenAnnounced = (facts: IncidentFacts) =>
  facts.isDuringMaintenance &&
  !facts.isInMaintenance &&
  facts.diagnosis !== 'collector' &&
  facts.linkedMonitorId === null &&
  facts.parent?.status !== 'down'

/** Decides about a warning that a certificate or a domain expires. */
export function decideExpiryAlerts({ at, isInMaintenance, channels }: MonitorFacts): DecidedAlert[] {
  const delayedUntil = isInMaintenance ? addMs(at, MAINTENANCE_RETRY_MS) : null
  return channels.map(({ channelId }) => ({ event: 'certificate', channelId, delayedUntil }))
}

/** An alert whose delay has ended, or whose incident has ended or was acknowledged. */
export interface DelayedAlertFacts {
  delayedUntil: Date
  /** null while the incident is ongoing, and for alerts that are not about an incident. */
  resolvedAt: Date | null
  /** When a person acknowledged the incident; null for alerts that are not about an incident. */
  acknowledgedAt: Date | null
  isAssigned: boolean
  isInMaintenance: boolean
  /** The planned end of the maintenance. */
  maintenanceUntil: Date | null
}

export type DelayedAlertDecision = { action: 'skip' } | { action: 'delay'; until: Date } | { action: 'send' }

/**
 * Decides about an alert whose delay or incident has ended, or whose incident was acknowledged:
 * - If the incident was acknowledged, the alert is skipped: a person already takes care of it.
 * - If the incident ended within the delay, or the assignment was removed or disabled, the alert is skipped, and so is the alert about
 *   the recovery.
 * - If the delay ends during a maintenance, the alert waits for the end of the maintenance. The decision is repeated every minute,
 *   because the maintenance can be ended early.
 * - Otherwise the alert is sent, even if the incident ended after the delay.
 */
export function decideDelayedAlert(facts: DelayedAlertFacts, now: Date): DelayedAlertDecision {
  const { delayedUntil, resolvedAt, acknowledgedAt, isAssigned, isInMaintenance, maintenanceUntil } = facts
  if (!isAssigned || acknowledgedAt !== null || (resolvedAt !== null && resolvedAt < delayedUntil))
    return { action: 'skip' }
  if (!isInMaintenance) return { action: 'send' }
  const retryAt = addMs(now, MAINTENANCE_RETRY_MS)
  const endsBefore = maintenanceUntil !== null && maintenanceUntil > now && maintenanceUntil < retryAt
  return { action: 'delay', until: endsBefore ? maintenanceUntil : retryAt }
}

export type AcknowledgementDecision = 'acknowledge' | 'already acknowledged' | 'resolved'

/**
 * Decides about a request to acknowledge an incident. The first acknowledgement counts: it stops the reminders and the delayed alerts
 * (`decideDelayedAlert`). Alerts whose delay has ended and reminders that a node is sending are not cancelled, because the receiver may
 * already have them. A resolved incident has nothing left to stop.
 */
export function decideAcknowledgement(
  incident: Pick<IncidentFacts, 'resolvedAt' | 'acknowledgedAt'>,
): AcknowledgementDecision {
  if (incident.acknowledgedAt !== null) return 'already acknowledged'
  return incident.resolvedAt === null ? 'acknowledge' : 'resolved'
}

/**
 * A storm lasts this long after a channel's last message about an incident. During a storm, alerts about other monitors
 * are combined.
 */
export const STORM_WINDOW_MS = 60 * SECOND_MS
/** The time between two summaries. */
export const SUMMARY_INTERVAL_MS = 30 * SECOND_MS
/** A summary that is too long for one message becomes several, but never more than this. */
const MAX_MESSAGES_PER_SUMMARY = 4

/**
 * What `decideGrouping` needs to know about the queue of a channel. Only alerts about incidents can be combined, and
 * only before their first attempt: a retry must have the same content, because the message may have arrived.
 */
export interface QueueFacts {
  /** Whether the user has turned on combined alerts. */
  groupsAlerts: boolean
  /** When the channel got its last message about an incident. */
  lastSentAt: Date | null
  /** The monitor which that message was about. null if it was about several. */
  lastSentMonitorId: number | null
  /** The alerts that are due and can be combined, in the order of their ids. */
  dueAlerts: readonly { id: number; monitorId: number }[]
  /**
   * Whether one of the combinable alerts, due now or at the next summary, is about another monitor than the last
   * message.
   */
  isAboutOtherMonitors: boolean
}

export interface Grouping {
  /** Alerts that become due at the time of the next summary. */
  postponed: { alertIds: number[]; until: Date } | null
  /** The ids of the alerts that each message combines. */
  messages: number[][]
  /**
   * undefined if there is no storm. During a storm, this is the monitor of the channel's last message, or null if that
   * message was about several monitors. Alerts about this monitor are sent one by one. All other alerts about incidents
   * wait for the next decision, so that they can be combined. That includes alerts that are stored after the facts were
   * read.
   */
  singleMonitorId: number | null | undefined
}

/** Every alert is sent alone, as for channels that need one message per alert. */
export const noGrouping: Grouping = { postponed: null, messages: [], singleMonitorId: undefined }

/**
 * The first alert is sent alone. If alerts about other monitors follow within a minute, they wait, and are then sent as one summary.
 * Alerts about the same monitor as the channel's last message are sent one by one, unless alerts about other monitors wait.
 */
export function decideGrouping(facts: QueueFacts, now: Date, maxMonitors: number): Grouping {
  const { groupsAlerts, lastSentAt, lastSentMonitorId, dueAlerts, isAboutOtherMonitors } = facts
  const isStorm = groupsAlerts && lastSentAt !== null && lastSentAt > addMs(now, -STORM_WINDOW_MS)
  if (!isStorm) return noGrouping
  const singleMonitorId = lastSentMonitorId
  if (!isAboutOtherMonitors || dueAlerts.length === 0) return { postponed: null, messages: [], singleMonitorId }
  const until = addMs(lastSentAt, SUMMARY_INTERVAL_MS)
  if (until <= now) return { postponed: null, messages: divideIntoMessages(dueAlerts, maxMonitors), singleMonitorId }
  return { postponed: { alertIds: dueAlerts.map(({ id }) => id), until }, messages: [], singleMonitorId }
}

/** Puts all alerts about a monitor into the same message, which keeps them in order. */
function divideIntoMessages(alerts: QueueFacts['dueAlerts'], maxMonitors: number): number[][] {
  const alertsByMonitor = [...Map.groupBy(alerts, ({ monitorId }) => monitorId).values()]
  const monitorCount = alertsByMonitor.length
  const messageCount = Math.min(MAX_MESSAGES_PER_SUMMARY, Math.ceil(monitorCount / maxMonitors))
  const messages = Map.groupBy(alertsByMonitor, (_, index) => Math.floor((index * messageCount) / monitorCount))
  return Array.from(messages.values(), (message) => message.flat().map(({ id }) => id))
}
