/** Composes the message of an alert at the time it is sent. */
import { formatLocalTime } from '../lib/local-time.ts'
import type { MailLink } from '../mail/parts.ts'
import { markers } from '../providers/markers.ts'
import type { AlertSubject, MessageFact, ProviderMessage } from '../providers/provider.ts'
import type { MonitorType } from '../shared/monitors.ts'
import {
  countDaysLeft,
  describeExpiry,
  describeRecovery,
  describeReminder,
  formatAge,
  parseCertificateOccurrence,
  shortenDetail,
  shortenUrl,
} from './messages.ts'
import type { AlertMessage } from './pick-store.ts'

export interface MessageContext {
  /** BELFRY_URL. The host name of an API request may be unreachable for the people who read the message. */
  baseUrl: string | undefined
  /** The time zone of the website that the monitor belongs to, or else of the server. */
  timeZone: string
}

export function composeAlertMessage(alert: AlertMessage, { baseUrl, timeZone }: MessageContext): ProviderMessage {
  const { messageId, event, title, monitor } = alert
  return {
    id: messageId,
    kind: event,
    title,
    alert: { state: describeState(alert), monitorName: monitor.friendlyName },
    subject: toAlertSubject(alert),
    facts: [
      ...listTargetFacts(monitor),
      ...(event === 'certificate' ? listCertificateFacts(alert, timeZone) : listIncidentFacts(alert, timeZone)),
    ],
    links: baseUrl === undefined ? [] : listLinks(baseUrl, alert),
  }
}

export function toAlertSubject({ event, monitor, incident, occurrence }: AlertMessage): AlertSubject {
  const expiresAt = event === 'certificate' ? (parseCertificateOccurrence(occurrence) ?? null) : null
  return { event, monitor, incident, expiresAt }
}

/** Messages don't contain the URL of a heartbeat, because it contains a secret. */
const targetLabels: Partial<Record<MonitorType, string>> = {
  http: 'URL',
  ping: 'Host',
  tcp: 'Host',
  dns: 'Name',
  tls: 'Host',
  domain: 'Domain',
}

function listTargetFacts({ type, url }: AlertMessage['monitor']): MessageFact[] {
  const label = targetLabels[type]
  return label === undefined ? [] : [{ label, value: shortenUrl(url), isLong: true }]
}

function describeState({ event, incident, monitor, occurrence, createdAt }: AlertMessage): string {
  const expiresAt = event === 'certificate' ? parseCertificateOccurrence(occurrence) : undefined
  if (expiresAt !== undefined) return describeExpiry({ type: monitor.type, expiresAt, now: createdAt })
  if (event === 'recovered' && incident !== null) {
    return describeRecovery(incident.startedAt, incident.resolvedAt ?? createdAt)
  }
  if (event === 'reminder' && incident !== null) return describeReminder(incident.startedAt, createdAt)
  return markers[event].word
}

function listIncidentFacts({ event, incident, createdAt }: AlertMessage, timeZone: string): MessageFact[] {
  if (incident === null) return []
  const { detail, startedAt, resolvedAt } = incident
  const endedAt = event === 'recovered' ? (resolvedAt ?? createdAt) : createdAt
  return [
    ...(detail === '' ? [] : [{ label: 'Cause', value: shortenDetail(detail), isLong: true }]),
    { label: 'Down since', value: formatLocalTime(startedAt, timeZone) },
    ...(event === 'recovered' ? [{ label: 'Up since', value: formatLocalTime(endedAt, timeZone) }] : []),
    { label: 'Down for', value: formatAge(startedAt, endedAt) },
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
  if (incident === null) return [monitorLink]
  return [{ label: 'View incident', url: `${monitorUrl}?incident=${incident.id}` }, monitorLink]
}
