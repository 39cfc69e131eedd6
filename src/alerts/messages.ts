/**
 * The texts that are stored with an alert. The list of sent notifications shows the title. Only nodes of earlier versions, which
 * may still run during an upgrade, send the body. This version composes the message in `alert-message.ts` when it sends the alert.
 */

import { markers, silenceWords } from '../channels/common/markers.ts'
import { formatDuration } from '../lib/format.ts'
import { toVisibleLine } from '../lib/text.ts'
import type { MonitorType } from '../shared/monitors.ts'
import { DAY_MS } from '../shared/time.ts'

export interface AlertText {
  title: string
  body: string
}

interface AlertMonitor {
  friendlyName: string
  url: string
}

export interface AlertIncident extends AlertMonitor {
  type: MonitorType
  /** What the check reported, without a full stop. */
  detail: string
  since: Date
}

/** A URL can have 2,048 characters, but a text message is limited to 1,600 and must also contain the cause. */
const MAX_URL_LENGTH = 300
const MAX_DETAIL_LENGTH = 500

export function formatDownAlert({ friendlyName, url, type, detail, since }: AlertIncident): AlertText {
  const state = describeDown(type)
  return {
    title: `${state}: ${friendlyName}`,
    body: joinLines(shortenUrl(url), formatCause(detail), `${state} since ${formatTime(since)}.`),
  }
}

export function formatRecoveryAlert(incident: AlertIncident & { now: Date }): AlertText {
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

export function formatReminder(incident: AlertIncident & { now: Date }): AlertText {
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

export function formatCertificateAlert(monitor: AlertMonitor & Expiry): AlertText {
  const { friendlyName, url, expiresAt, now } = monitor
  const verb = countDaysLeft(expiresAt, now) < 1 ? 'Expired' : 'Expires'
  return {
    title: `${describeExpiry(monitor)}: ${friendlyName}`,
    body: joinLines(shortenUrl(url), `${verb} on ${formatTime(expiresAt)}.`),
  }
}

export const countDaysLeft = (expiresAt: Date, now: Date) => Math.ceil((expiresAt.getTime() - now.getTime()) / DAY_MS)

interface Outage {
  type: MonitorType
  since: Date
  now: Date
}

// Each state, and so the title of the alert, begins with the word of its marker or the word for silence.
const getWord = (type: MonitorType, event: keyof typeof silenceWords) =>
  type === 'traffic' ? silenceWords[event] : markers[event].word
export const describeDown = (type: MonitorType) => getWord(type, 'down')
export const describeRecovery = ({ type, since, now }: Outage) =>
  `${getWord(type, 'recovered')} after ${formatAge(since, now)}`
export const describeReminder = ({ type, since, now }: Outage) =>
  `${getWord(type, 'reminder')} after ${formatAge(since, now)}`

export function describeExpiry({ type, expiresAt, now }: Expiry): string {
  const daysLeft = countDaysLeft(expiresAt, now)
  const expiry = daysLeft < 1 ? 'has expired' : daysLeft === 1 ? 'expires within a day' : `expires in ${daysLeft} days`
  return `${type === 'domain' ? 'Domain' : markers.certificate.word} ${expiry}`
}

/** Identifies an expiry warning among all expiry warnings about the same monitor. */
export const formatCertificateOccurrence = (expiresAt: Date, warningDays: number) =>
  `${expiresAt.toISOString()} ${warningDays}`

/** Returns the time of the expiry, or undefined if the occurrence is not that of an expiry warning. */
export function parseCertificateOccurrence(occurrence: string): Date | undefined {
  const [expiresAt = ''] = occurrence.split(' ')
  return /^\d{4}-\d\d-\d\dT/.test(expiresAt) ? new Date(expiresAt) : undefined
}

const joinLines = (...lines: string[]) => lines.filter(Boolean).join('\n')

/** URLs and causes come from users and from the servers they monitor. A line break in them could fake a line of the alert. */
export const shortenUrl = (url: string) => toVisibleLine(url, MAX_URL_LENGTH)
export const shortenDetail = (detail: string) => toVisibleLine(detail, MAX_DETAIL_LENGTH)
export const formatAge = (since: Date, now: Date) => formatDuration(now.getTime() - since.getTime())

const formatCause = (detail: string, label = 'Cause') => (detail === '' ? '' : `${label}: ${shortenDetail(detail)}.`)
const formatTime = (time: Date) => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
