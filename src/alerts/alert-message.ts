/** Composes the message of an alert at the time it is sent. */

import type { AlertSubject, ChannelMessage, MessageFact } from '../channels/common/channel.ts'
import { markers } from '../channels/common/markers.ts'
import { describeSpike } from '../impact/watch/spike-text.ts'
import { formatLocalTime } from '../lib/local-time.ts'
import type { MailLink } from '../mail/parts.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import type { MonitorType } from '../shared/monitors.ts'
import { listImpactFacts, listSilenceFacts, listVisitorFacts } from './impact-facts.ts'
import {
  countDaysLeft,
  describeDown,
  describeExpiry,
  describeRecovery,
  describeReminder,
  formatAge,
  parseCertificateOccurrence,
  shortenDetail,
  shortenUrl,
} from './messages.ts'
import type { AlertMessage } from './queue-store.ts'

export interface MessageContext {
  /** BELFRY_URL. The host name of an API request may be unreachable for the people who read the message. */
  baseUrl: string | undefined
  /** The time zone of the website that the monitor belongs to, or else of the server. */
  timeZone: string
}

export function composeAlertMessage(alert: AlertMessage, { baseUrl, timeZone }: MessageContext): ChannelMessage {
  const { messageId, event, title, monitor, details, createdAt } = alert
  return {
    id: messageId,
    inReplyTo: listDownMessages([alert]),
    kind: event,
    title,
    alert: { state: describeState(alert), monitorName: monitor.friendlyName },
    subject: toAlertSubject(alert),
    ...(details !== null && { text: describeSpike(details, createdAt) }),
    facts: [
      ...listTargetFacts(monitor),
      ...(event === 'certificate' ? listCertificateFacts(alert, timeZone) : listIncidentFacts(alert, timeZone)),
    ],
    links: baseUrl === undefined ? [] : listLinks(baseUrl, alert),
  }
}

/** A summary of hundreds of recoveries would otherwise get a header of many kilobytes. */
const MAX_DOWN_MESSAGES = 20

/** Returns the ids of the messages that told the channel about the incidents. */
export function listDownMessages(alerts: readonly Pick<AlertMessage, 'downMessageId'>[]): string[] {
  const ids = new Set(alerts.flatMap(({ downMessageId }) => downMessageId ?? []))
  return [...ids].slice(0, MAX_DOWN_MESSAGES)
}

export function toAlertSubject({ event, monitor, incident, occurrence, details }: AlertMessage): AlertSubject {
  const expiresAt = event === 'certificate' ? (parseCertificateOccurrence(occurrence) ?? null) : null
  return { event, monitor, incident, expiresAt, details }
}

/** Messages don't contain the URL of a heartbeat, because it contains a secret. */
const targetLabels: Partial<Record<MonitorType, string>> = {
  http: 'URL',
  ping: 'Host',
  tcp: 'Host',
  dns: 'Name',
  tls: 'Host',
  domain: 'Domain',
  traffic: 'Website',
}

function listTargetFacts({ type, url }: AlertMessage['monitor']): MessageFact[] {
  const label = targetLabels[type]
  return label === undefined ? [] : [{ label, value: shortenUrl(url), isLong: true }]
}

function describeState({ event, incident, monitor, occurrence, createdAt }: AlertMessage): string {
  const expiresAt = event === 'certificate' ? parseCertificateOccurrence(occurrence) : undefined
  if (expiresAt !== undefined) return describeExpiry({ type: monitor.type, expiresAt, now: createdAt })
  if (incident === null) return markers[event].word
  const outage = { type: monitor.type, since: incident.startedAt, now: createdAt }
  if (event === 'recovered') return describeRecovery({ ...outage, now: incident.resolvedAt ?? createdAt })
  return event === 'reminder' ? describeReminder(outage) : describeDown(monitor.type)
}

const outageLabels = { since: 'Down since', until: 'Up since', duration: 'Down for' }
const silenceLabels = { since: 'Visits missing since', until: 'Visits back since', duration: 'Visits missing for' }

function listIncidentFacts({ event, monitor, incident, createdAt }: AlertMessage, timeZone: string): MessageFact[] {
  if (incident === null) return []
  const { detail, startedAt, resolvedAt } = incident
  const isRecovered = event === 'recovered'
  const endedAt = isRecovered ? (resolvedAt ?? createdAt) : createdAt
  const isSilence = monitor.type === 'traffic'
  const labels = isSilence ? silenceLabels : outageLabels
  const listOpenFacts = isSilence ? listSilenceFacts : listVisitorFacts
  return [
    ...(detail === '' ? [] : [{ label: 'Cause', value: shortenDetail(detail), isLong: true }]),
    { label: labels.since, value: formatLocalTime(startedAt, timeZone) },
    ...(isRecovered ? [{ label: labels.until, value: formatLocalTime(endedAt, timeZone) }] : []),
    { label: labels.duration, value: formatAge(startedAt, endedAt) },
    ...(isRecovered ? listImpactFacts(incident) : listOpenFacts(incident)),
  ]
}

function listCertificateFacts({ occurrence, createdAt }: AlertMessage, timeZone: string): MessageFact[] {
  const expiresAt = parseCertificateOccurrence(occurrence)
  if (expiresAt === undefined) return []
  const daysLeft = countDaysLeft(expiresAt, createdAt)
  const time = formatLocalTime(expiresAt, timeZone)
  if (daysLeft < 1) return [{ label: 'Expired on', value: time }]
  return [
    { label: 'Expires on', value: time },
    { label: 'Time left', value: daysLeft === 1 ? 'less than a day' : `${daysLeft} days` },
  ]
}

function listLinks(baseUrl: string, { monitor, incident }: AlertMessage): MailLink[] {
  const monitorUrl = `${baseUrl}/monitors/${monitor.id}`
  const monitorLink = { label: 'View monitor', url: monitorUrl }
  const incidentLinks =
    incident === null ? [] : [{ label: 'View incident', url: `${monitorUrl}?incident=${incident.id}` }]
  if (monitor.type !== 'traffic') return [...incidentLinks, monitorLink]
  const statisticsLink = { label: 'View statistics', url: `${baseUrl}/${parseMonitorHost(monitor) ?? ''}` }
  return incident === null ? [statisticsLink, monitorLink] : [...incidentLinks, statisticsLink]
}
