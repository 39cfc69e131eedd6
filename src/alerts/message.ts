/** What alerts say: the texts that are stored with an alert, and the message, which is composed when the alert is sent. */
import type {
  AlertedIncident,
  AlertSubject,
  ChannelMessage,
  MessageFact,
  MessageSummary,
  SummaryEntry,
  SummaryLimits,
} from '../channels/common/channel.ts'
import { markers, silenceWords } from '../channels/common/markers.ts'
import { shortenToBytes } from '../channels/common/message-text.ts'
import { describeSpike } from '../impact/watch/spike-text.ts'
import { formatCount, formatDuration } from '../lib/format.ts'
import { formatLocalTime } from '../lib/local-time.ts'
import type { Secret } from '../lib/secret.ts'
import { toVisibleLine } from '../lib/text.ts'
import type { MailLink } from '../mail/parts.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import { compareWithExpected, describeMissedVisits, silenceAdvice } from '../shared/impact-text.ts'
import type { MonitorType } from '../shared/monitors.ts'
import { DAY_MS } from '../shared/time.ts'
import { createAcknowledgeUrl } from './acknowledge-link.ts'
import type { AlertDelivery, AlertMessage } from './queue-store.ts'

export interface MessageContext {
  /** The public URL. Messages don't use the host name of an API request, which may be unreachable for their readers. */
  baseUrl: string | undefined
  /** Signs the links that acknowledge incidents. */
  secret: Secret
  /** The time zone of the website that the monitor belongs to, or else of the server. */
  timeZone: string
}

export function composeAlertMessage(alert: AlertMessage, context: MessageContext): ChannelMessage {
  const { messageId, event, title, monitor, details, createdAt } = alert
  const { baseUrl, timeZone } = context
  const subject = toAlertSubject(alert, context)
  return {
    id: messageId,
    inReplyTo: listDownMessages([alert]),
    ...(alert.downResponse !== null && { announcementResponse: alert.downResponse }),
    kind: event,
    title,
    alert: { state: describeState(alert), monitorName: monitor.friendlyName },
    subject,
    ...(details !== null && { text: describeSpike(details, createdAt) }),
    facts: [
      ...listTargetFacts(monitor),
      ...(event === 'certificate' ? listExpiryFacts(alert, timeZone) : listIncidentFacts(alert, timeZone)),
    ],
    links: baseUrl === undefined ? [] : listLinks(baseUrl, subject),
  }
}

/**
 * The ids of earlier messages become a header. Without this limit, the header of a summary of hundreds of recoveries
 * would have many kilobytes.
 */
const MAX_DOWN_MESSAGES = 20

/** Returns the ids of the messages that announced the incidents to the channel. */
function listDownMessages(alerts: readonly Pick<AlertMessage, 'downMessageId'>[]): string[] {
  const ids = new Set(alerts.flatMap(({ downMessageId }) => downMessageId ?? []))
  return [...ids].slice(0, MAX_DOWN_MESSAGES)
}

type LinkContext = Pick<MessageContext, 'baseUrl' | 'secret'>

function toAlertSubject(alert: AlertMessage, context: LinkContext): AlertSubject {
  const { event, monitor, incident, occurrence, details } = alert
  const expiresAt = event === 'certificate' ? (parseExpiryOccurrence(occurrence) ?? null) : null
  return { event, monitor, incident, expiresAt, details, acknowledgeUrl: findAcknowledgeUrl(alert, context) ?? null }
}

/** Only an ongoing incident that nobody has acknowledged can be acknowledged. */
function findAcknowledgeUrl(
  { event, incident, channel }: AlertMessage,
  { baseUrl, secret }: LinkContext,
): string | undefined {
  const isAboutOutage = event === 'down' || event === 'reminder'
  if (!isAboutOutage || baseUrl === undefined || incident === null) return undefined
  if (incident.resolvedAt !== null || incident.acknowledgedBy !== null) return undefined
  return createAcknowledgeUrl(secret, baseUrl, {
    teamId: channel.user_id,
    incidentId: incident.id,
    channelId: channel.id,
  })
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
  const expiresAt = event === 'certificate' ? parseExpiryOccurrence(occurrence) : undefined
  if (expiresAt !== undefined) return describeExpiry({ type: monitor.type, expiresAt, now: createdAt })
  if (incident === null) return markers[event].word
  const outage = { type: monitor.type, since: incident.startedAt, now: createdAt }
  if (event === 'recovered') return describeRecovery({ ...outage, now: incident.resolvedAt ?? createdAt })
  return event === 'reminder' ? describeReminder(outage) : describeDown(monitor.type)
}

const outageLabels = { since: 'Down since', until: 'Up since', duration: 'Down for' }
const silenceLabels = { since: 'Visits missing since', until: 'Visits resumed at', duration: 'Visits missing for' }

function listIncidentFacts({ event, monitor, incident, createdAt }: AlertMessage, timeZone: string): MessageFact[] {
  if (incident === null) return []
  const { detail, startedAt, resolvedAt, acknowledgedBy } = incident
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
    ...(acknowledgedBy === null ? [] : [{ label: 'Acknowledged by', value: acknowledgedBy, isOptional: true }]),
  ]
}

function listExpiryFacts({ occurrence, createdAt }: AlertMessage, timeZone: string): MessageFact[] {
  const expiresAt = parseExpiryOccurrence(occurrence)
  if (expiresAt === undefined) return []
  const daysLeft = countDaysLeft(expiresAt, createdAt)
  const time = formatLocalTime(expiresAt, timeZone)
  if (daysLeft < 1) return [{ label: 'Expired on', value: time }]
  return [
    { label: 'Expires on', value: time },
    { label: 'Time left', value: daysLeft === 1 ? 'less than a day' : `${daysLeft} days` },
  ]
}

function listLinks(baseUrl: string, { monitor, incident, acknowledgeUrl }: AlertSubject): MailLink[] {
  const monitorLink = { label: 'View monitor', url: `${baseUrl}/monitors/${monitor.id}` }
  const incidentLinks = [
    ...(incident === null ? [] : [{ label: 'View incident', url: createIncidentUrl(baseUrl, incident) }]),
    ...(acknowledgeUrl === null ? [] : [{ label: 'Acknowledge', url: acknowledgeUrl }]),
  ]
  if (monitor.type !== 'traffic') return [...incidentLinks, monitorLink]
  const statisticsLink = { label: 'View statistics', url: `${baseUrl}/${parseMonitorHost(monitor) ?? ''}` }
  return incident === null ? [statisticsLink, monitorLink] : [...incidentLinks, statisticsLink]
}

const createIncidentUrl = (baseUrl: string, { id }: Pick<AlertedIncident, 'id'>) => `${baseUrl}/incidents/${id}`

type SummaryState = MessageSummary['sections'][number]['state']

/** Longer lines are hard to read in a list. */
const MAX_LINE_BYTES = 200
/** A line needs this many bytes, so that readers recognize the monitor by its name. */
const MIN_LINE_BYTES = 20
/** A cause needs this many bytes to be understood. If fewer are left, only the name is shown. */
const MIN_DETAIL_BYTES = 12
/** A summary of more incidents has no links to acknowledge them one by one, because people take care of such an outage as a whole. */
const MAX_ACKNOWLEDGE_LINKS = 10
/** Bytes for the headings of sections, and for the line that counts the incidents that are not listed. */
const RESERVED_BYTES = 50

/** Composes the message about several alerts. */
export function composeSummary(
  { messageId, alerts }: AlertDelivery,
  context: LinkContext,
  limits: SummaryLimits,
): ChannelMessage {
  const { baseUrl } = context
  const latestAlerts = listLatestAlerts(alerts)
  const listedCount = Math.min(
    latestAlerts.length,
    Math.floor((limits.maxBytes - RESERVED_BYTES) / (MIN_LINE_BYTES + 1)),
  )
  const lineBytes = Math.floor((limits.maxBytes - RESERVED_BYTES) / Math.max(1, listedCount)) - 1
  const hasAcknowledgeLinks = latestAlerts.length <= MAX_ACKNOWLEDGE_LINKS
  const toEntry = (alert: AlertMessage): SummaryEntry => {
    const acknowledgeUrl = hasAcknowledgeLinks ? findAcknowledgeUrl(alert, context) : undefined
    const entry = createEntry(alert, Math.min(lineBytes, MAX_LINE_BYTES), baseUrl)
    return acknowledgeUrl === undefined ? entry : { ...entry, acknowledgeUrl }
  }
  const listedAlerts = latestAlerts.slice(0, listedCount)
  const sections = (['down', 'recovered'] as const)
    .map((state) => ({ state, entries: listedAlerts.filter(({ event }) => event === state).map(toEntry) }))
    .filter(({ entries }) => entries.length > 0)
  const subjects = alerts.map((alert) => toAlertSubject(alert, context))
  const summary = { sections, moreCount: latestAlerts.length - listedCount, subjects }
  const isAnyDown = latestAlerts.some(({ event }) => event === 'down')
  return {
    id: messageId,
    inReplyTo: listDownMessages(alerts),
    kind: isAnyDown ? 'down' : 'recovered',
    title: formatTitle(latestAlerts),
    text: formatSummaryText(summary),
    summary,
    links: baseUrl === undefined ? [] : listSummaryLinks(baseUrl, isAnyDown),
  }
}

function listSummaryLinks(baseUrl: string, isAnyDown: boolean): MailLink[] {
  const monitorsLink = { label: 'View monitors', url: `${baseUrl}/monitors` }
  return isAnyDown
    ? [{ label: 'View ongoing incidents', url: `${baseUrl}/incidents?state=open` }, monitorsLink]
    : [monitorsLink]
}

/**
 * Returns the latest alert about each incident. Ongoing incidents come before resolved ones, and older incidents before
 * newer ones.
 */
function listLatestAlerts(alerts: readonly AlertMessage[]): AlertMessage[] {
  const alertsByIncident = new Map(alerts.map((alert) => [`${alert.monitor.id} ${alert.incident?.id}`, alert]))
  return [...alertsByIncident.values()].sort((a, b) => (a.event === b.event ? 0 : a.event === 'down' ? -1 : 1))
}

function formatTitle(latestAlerts: readonly AlertMessage[]): string {
  const count = (state: SummaryState) =>
    new Set(latestAlerts.filter(({ event }) => event === state).map(({ monitor }) => monitor.id)).size
  const [down, recovered] = [count('down'), count('recovered')]
  const isSilence = latestAlerts.every(({ monitor }) => monitor.type === 'traffic')
  const [downWord, recoveredWord] = isSilence
    ? [silenceWords.down, silenceWords.recovered]
    : [markers.down.word, markers.recovered.word]
  const noun = isSilence ? 'website' : 'monitor'
  const formatCount = (number: number) => `${number} ${number === 1 ? noun : `${noun}s`}`
  if (down === 0) return `${recoveredWord}: ${formatCount(recovered)}`
  const title = `${downWord}: ${formatCount(down)}`
  return recovered === 0 ? title : `${title}, ${recoveredWord.toLowerCase()}: ${recovered}`
}

function createEntry(alert: AlertMessage, maxBytes: number, baseUrl: string | undefined): SummaryEntry {
  const name = shortenToBytes(toVisibleLine(alert.monitor.friendlyName, maxBytes), maxBytes)
  const detailBytes = maxBytes - Buffer.byteLength(`${name}: `)
  const detail = detailBytes < MIN_DETAIL_BYTES ? '' : shortenToBytes(describeIncident(alert), detailBytes)
  return { name, detail, url: baseUrl && alert.incident ? createIncidentUrl(baseUrl, alert.incident) : undefined }
}

function describeIncident({ event, monitor, incident, createdAt }: AlertMessage): string {
  if (incident === null) return ''
  const { detail, startedAt, resolvedAt } = incident
  if (event === 'down') {
    const visitors = describeVisitors(incident)
    return [shortenDetail(detail), visitors && `Traffic: ${visitors}`].filter(Boolean).join('. ')
  }
  const recovery = describeRecovery({ type: monitor.type, since: startedAt, now: resolvedAt ?? createdAt })
  return [recovery, describeImpact(incident)].filter(Boolean).join(', ')
}

const formatEntry = ({ name, detail }: SummaryEntry) => (detail === '' ? name : `${name}: ${detail}`)

function formatSummaryText({ sections, moreCount }: MessageSummary): string {
  const lines = sections.flatMap(({ state, entries }) => [
    ...(sections.length > 1 ? [markers[state].word] : []),
    ...entries.map(formatEntry),
  ])
  return [...lines, ...(moreCount > 0 ? [`and ${moreCount} more`] : [])].join('\n')
}

// The functions below describe what the visits show: whether they confirm the outage, and how many visits the outage
// cost.

const visitorsWords = { normal: 'visitors are still arriving as usual', gone: 'visitors are gone' } as const

/** Returns, for example, "visitors are gone (0 of 12 expected)", or undefined if there are too few visits to tell. */
function describeVisitors({ visitors, impact }: AlertedIncident): string | undefined {
  if (visitors === null || visitors === 'unknown') return undefined
  const comparison = compareWithExpected(impact, formatCount)
  return comparison === undefined ? visitorsWords[visitors] : `${visitorsWords[visitors]} (${comparison})`
}

/** Returns, for example, "about 140 visits missed (95 to 190)", or undefined if the number is unknown. */
const describeImpact = ({ impact }: AlertedIncident) => describeMissedVisits(impact, formatCount)

function listVisitorFacts(incident: AlertedIncident): MessageFact[] {
  const value = describeVisitors(incident)
  return value === undefined ? [] : [{ label: 'Traffic', value }]
}

function listImpactFacts(incident: AlertedIncident): MessageFact[] {
  const value = describeImpact(incident)
  return value === undefined ? [] : [{ label: 'Impact', value }]
}

/** Lists the facts about a website without visits. */
function listSilenceFacts({ diagnosis, impact }: AlertedIncident): MessageFact[] {
  const comparison = compareWithExpected(impact, formatCount)
  const advice = diagnosis === null || diagnosis === 'collector' ? undefined : silenceAdvice[diagnosis]
  return [
    ...(comparison === undefined ? [] : [{ label: 'Visits', value: comparison }]),
    ...(advice ? [{ label: 'What to do', value: advice, isLong: true, isOptional: true }] : []),
  ]
}

/**
 * The text that Belfry stores with an alert. The list of sent notifications shows the title. Only nodes of earlier
 * versions, which may still run during an upgrade, send the body.
 */
export interface AlertText {
  title: string
  body: string
}

interface AlertMonitor {
  friendlyName: string
  url: string
}

interface AnnouncedOutage extends AlertMonitor {
  type: MonitorType
  /** What the check reported, without a full stop. */
  detail: string
  since: Date
}

/**
 * A URL can have 2,048 characters, but a text message is limited to 1,600 characters and must also contain the cause.
 */
const MAX_URL_LENGTH = 300
const MAX_DETAIL_LENGTH = 500

export function formatDownAlert({ friendlyName, url, type, detail, since }: AnnouncedOutage): AlertText {
  const state = describeDown(type)
  return {
    title: `${state}: ${friendlyName}`,
    body: joinLines(shortenUrl(url), formatCause(detail), `${state} since ${formatTime(since)}.`),
  }
}

export function formatRecoveryAlert(incident: AnnouncedOutage & { now: Date }): AlertText {
  const { friendlyName, url, type, detail, since, now } = incident
  return {
    title: `${describeRecovery(incident)}: ${friendlyName}`,
    body: joinLines(
      shortenUrl(url),
      formatCause(detail, 'Cause of the outage'),
      `${describeDown(type)} from ${formatTime(since)} to ${formatTime(now)}.`,
    ),
  }
}

export function formatReminder(incident: AnnouncedOutage & { now: Date }): AlertText {
  const { friendlyName, url, type, detail, since, now } = incident
  return {
    title: `${describeReminder(incident)}: ${friendlyName}`,
    body: joinLines(
      shortenUrl(url),
      formatCause(detail),
      `${describeDown(type)} for ${formatAge(since, now)}, since ${formatTime(since)}.`,
    ),
  }
}

interface Expiry {
  /** What expires: the registration of a domain for type domain, a certificate for all other types. */
  type: MonitorType
  expiresAt: Date
  now: Date
}

export function formatExpiryAlert(monitor: AlertMonitor & Expiry): AlertText {
  const { friendlyName, url, expiresAt, now } = monitor
  const verb = countDaysLeft(expiresAt, now) < 1 ? 'Expired' : 'Expires'
  return {
    title: `${describeExpiry(monitor)}: ${friendlyName}`,
    body: joinLines(shortenUrl(url), `${verb} on ${formatTime(expiresAt)}.`),
  }
}

const countDaysLeft = (expiresAt: Date, now: Date) => Math.ceil((expiresAt.getTime() - now.getTime()) / DAY_MS)

interface Outage {
  type: MonitorType
  since: Date
  now: Date
}

// The title of an alert begins with its state, and the state begins with the word for the event in `markers` or
// `silenceWords`.
const getWord = (type: MonitorType, event: keyof typeof silenceWords) =>
  type === 'traffic' ? silenceWords[event] : markers[event].word
const describeDown = (type: MonitorType) => getWord(type, 'down')
const describeRecovery = ({ type, since, now }: Outage) =>
  `${getWord(type, 'recovered')} after ${formatAge(since, now)}`
const describeReminder = ({ type, since, now }: Outage) => `${getWord(type, 'reminder')} after ${formatAge(since, now)}`

function describeExpiry({ type, expiresAt, now }: Expiry): string {
  const daysLeft = countDaysLeft(expiresAt, now)
  const expiry = daysLeft < 1 ? 'has expired' : daysLeft === 1 ? 'expires within a day' : `expires in ${daysLeft} days`
  return `${type === 'domain' ? 'Domain' : markers.certificate.word} ${expiry}`
}

/** Identifies an expiry warning among all expiry warnings about the same monitor. */
export const formatExpiryOccurrence = (expiresAt: Date, warningDays: number) =>
  `${expiresAt.toISOString()} ${warningDays}`

/** Returns the time of the expiry, or undefined if the occurrence is not that of an expiry warning. */
export function parseExpiryOccurrence(occurrence: string): Date | undefined {
  const [expiresAt = ''] = occurrence.split(' ')
  return /^\d{4}-\d\d-\d\dT/.test(expiresAt) ? new Date(expiresAt) : undefined
}

const joinLines = (...lines: string[]) => lines.filter(Boolean).join('\n')

/** URLs and causes come from users and from the servers they monitor. A line break in them could fake a line of the alert. */
const shortenUrl = (url: string) => toVisibleLine(url, MAX_URL_LENGTH)
const shortenDetail = (detail: string) => toVisibleLine(detail, MAX_DETAIL_LENGTH)
const formatAge = (since: Date, now: Date) => formatDuration(now.getTime() - since.getTime())

const formatCause = (detail: string, label = 'Cause') => (detail === '' ? '' : `${label}: ${shortenDetail(detail)}.`)
const formatTime = (time: Date) => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
