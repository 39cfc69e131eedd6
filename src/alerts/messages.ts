/** The texts of alerts. */
import { formatDuration } from '../lib/format.ts'
import { truncate } from '../lib/text.ts'
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
  /** What the check reported, without a full stop. */
  detail: string
  since: Date
}

/** A URL can have 2,048 characters, but a text message is limited to 1,600 and must also contain the cause. */
const MAX_URL_LENGTH = 300
const MAX_DETAIL_LENGTH = 500

export function formatDownAlert({ friendlyName, url, detail, since }: AlertIncident): AlertText {
  return {
    title: `${friendlyName} is down`,
    body: joinLines(formatUrl(url), formatCause(detail), `Down since ${formatTime(since)}.`),
  }
}

export function formatRecoveryAlert(incident: AlertIncident & { now: Date }): AlertText {
  const { friendlyName, url, detail, since, now } = incident
  return {
    title: `${friendlyName} is back up after ${formatAge(since, now)}`,
    body: joinLines(
      formatUrl(url),
      formatCause(detail, 'Cause of the outage'),
      `Down from ${formatTime(since)} to ${formatTime(now)}.`,
    ),
  }
}

export function formatReminder(incident: AlertIncident & { now: Date }): AlertText {
  const { friendlyName, url, detail, since, now } = incident
  return {
    title: `${friendlyName} is still down`,
    body: joinLines(
      formatUrl(url),
      formatCause(detail),
      `Down for ${formatAge(since, now)}, since ${formatTime(since)}.`,
    ),
  }
}

export function formatCertificateAlert(certificate: AlertMonitor & { expiresAt: Date; now: Date }): AlertText {
  const { friendlyName, url, expiresAt, now } = certificate
  const daysLeft = Math.ceil((expiresAt.getTime() - now.getTime()) / DAY_MS)
  const [expiry, verb] = describeExpiry(daysLeft)
  return {
    title: `The certificate for ${friendlyName} ${expiry}`,
    body: joinLines(formatUrl(url), `${verb} on ${formatTime(expiresAt)}.`),
  }
}

function describeExpiry(daysLeft: number): [expiry: string, verb: string] {
  if (daysLeft < 1) return ['has expired', 'Expired']
  return [daysLeft === 1 ? 'expires within a day' : `expires in ${daysLeft} days`, 'Expires']
}

/**
 * `baseUrl` must be BELFRY_URL: the host name of an API request may be unreachable for the people who read the message.
 */
export const formatMonitorPageUrl = (baseUrl: string, monitorId: number) => `${baseUrl}/monitors/${monitorId}`

const joinLines = (...lines: string[]) => lines.filter(Boolean).join('\n')

/** URLs and causes come from users and from the servers they monitor. A line break in them could fake a line of the alert. */
function toOneLine(text: string, maxLength: number): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.length > maxLength ? `${truncate(line, maxLength)}…` : line
}

const formatUrl = (url: string) => toOneLine(url, MAX_URL_LENGTH)
const formatCause = (detail: string, label = 'Cause') =>
  detail === '' ? '' : `${label}: ${toOneLine(detail, MAX_DETAIL_LENGTH)}.`
const formatTime = (time: Date) => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
const formatAge = (since: Date, now: Date) => formatDuration(now.getTime() - since.getTime())
