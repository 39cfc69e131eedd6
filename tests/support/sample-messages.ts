/** One sample message of each kind, composed as the server composes them. */
import {
  composeAlertMessage,
  composeSummary,
  formatDownAlert,
  formatExpiryAlert,
  formatExpiryOccurrence,
  formatRecoveryAlert,
  formatReminder,
} from '../../src/alerts/message.ts'
import type { AlertMessage } from '../../src/alerts/queue-store.ts'
import type { AlertedIncident, AlertSubject, ChannelMessage } from '../../src/channels/common/channel.ts'
import type { MessageKind } from '../../src/channels/common/markers.ts'
import { formatSpikeAlert } from '../../src/impact/watch/spike-text.ts'
import { Secret } from '../../src/lib/secret.ts'
import type { Impact } from '../../src/shared/impact.ts'
import type { MonitorType } from '../../src/shared/monitors.ts'
import type { SpikeDetails } from '../../src/shared/spike.ts'

const secret = new Secret('a secret for the links of sample messages')
const channel = { id: 7, user_id: 1 } as AlertMessage['channel']
const startedAt = new Date('2026-01-05T10:00:00.000Z')
const expiresAt = new Date('2026-01-19T09:00:00.000Z')
const afterMinutes = (minutes: number) => new Date(startedAt.getTime() + minutes * 60_000)

/** The link in messages about the sample outage that acknowledges its incident. */
export const sampleAcknowledgeUrl = 'https://stats.example.org/acknowledge/ztEmsg1iAXEfUbL9ch9f_w.1.5.7'

interface SampleOptions {
  friendlyName?: string
  url?: string
  type?: MonitorType
  detail?: string
  timeZone?: string
  baseUrl?: string | undefined
  /** How long the outage has lasted when the first alert is sent. */
  detectedAfterMinutes?: number
  /** How long the outage lasts. */
  minutes?: number
  visitors?: AlertedIncident['visitors']
  diagnosis?: AlertedIncident['diagnosis']
  impact?: AlertedIncident['impact']
  acknowledgedBy?: string
}

export const sampleImpact: Impact = {
  visits_expected: 151,
  visits_low: 106,
  visits_high: 201,
  visits_seen: 11,
  visits_missed: 140,
  visits_missed_low: 95,
  visits_missed_high: 190,
  confidence: 0.9,
  basis: 'profile',
}

const spikeDetails: SpikeDetails = {
  visits: 312,
  expected: 40.2,
  factor: 7.8,
  source: 'news.ycombinator.com',
  source_visits: 250,
  since: '2026-01-05T09:00:00.000Z',
}

export function createSampleMessages(options: SampleOptions = {}): Record<MessageKind, ChannelMessage> {
  const { friendlyName = 'Online shop', url = 'https://shop.example.com/checkout?lang=de' } = options
  const { type = 'http', detail = 'Status 503, expected 200–399', timeZone = 'Europe/Berlin' } = options
  const baseUrl = 'baseUrl' in options ? options.baseUrl : 'https://stats.example.org'
  const { impact = null, visitors = null, diagnosis = null, acknowledgedBy = null } = options
  const { detectedAfterMinutes = 0.25, minutes = 5.21 } = options
  const content = { friendlyName, url, type, detail, since: startedAt }
  const incident = {
    id: 5,
    cause: 'http_status',
    detail,
    startedAt,
    resolvedAt: null,
    impact,
    visitors,
    diagnosis,
    acknowledgedBy,
  }
  const alert: AlertMessage = {
    alertId: 1,
    messageId: '8c0c1f6e-0000-4000-8000-000000000000',
    event: 'down',
    occurrence: '',
    title: formatDownAlert(content).title,
    attempts: 0,
    createdAt: afterMinutes(detectedAfterMinutes),
    failuresInARow: 0,
    monitor: { id: 3, friendlyName, url, type, tags: ['shop'] },
    incident,
    details: null,
    downMessageId: null,
    downResponse: null,
    channel,
  }
  const compose = (changes: Partial<AlertMessage>) =>
    composeAlertMessage({ ...alert, ...changes }, { baseUrl, timeZone, secret })
  const [recoveredAt, remindedAt] = [afterMinutes(minutes), afterMinutes(120)]
  return {
    down: compose({}),
    recovered: compose({
      event: 'recovered',
      title: formatRecoveryAlert({ ...content, now: recoveredAt }).title,
      createdAt: recoveredAt,
      incident: { ...incident, resolvedAt: recoveredAt },
    }),
    reminder: compose({
      event: 'reminder',
      title: formatReminder({ ...content, now: remindedAt }).title,
      createdAt: remindedAt,
    }),
    certificate: compose({
      event: 'certificate',
      title: formatExpiryAlert({ friendlyName, url, type, expiresAt, now: startedAt }).title,
      createdAt: startedAt,
      occurrence: formatExpiryOccurrence(expiresAt, 14),
      incident: null,
    }),
    spike: compose({
      event: 'spike',
      title: formatSpikeAlert({ friendlyName, url, details: spikeDetails, now: startedAt }).title,
      createdAt: startedAt,
      monitor: { id: 3, friendlyName, url, type: 'traffic', tags: ['shop'] },
      incident: null,
      details: spikeDetails,
    }),
    test: {
      id: alert.messageId,
      kind: 'test',
      title: 'Test notification ✅',
      text: 'This is a test from Belfry at https://stats.example.org, sent through Email (Ops). No action needed.',
      blockUrl: 'https://stats.example.org/api/block-emails?token=sample',
    },
  }
}

/** Creates a summary of monitors that went down, and of one that recovered. */
export function createSampleSummary(): ChannelMessage {
  const { down, recovered } = createSampleMessages()
  const toAlert = (message: ChannelMessage, id: number, friendlyName: string): AlertMessage => {
    const { event, monitor, incident } = message.subject as AlertSubject
    return {
      alertId: id,
      messageId: message.id,
      event,
      occurrence: '',
      title: message.title,
      attempts: 0,
      createdAt: startedAt,
      failuresInARow: 0,
      monitor: { ...monitor, id, friendlyName },
      incident: incident && { ...incident, id },
      details: null,
      downMessageId: null,
      downResponse: null,
      channel,
    }
  }
  const alerts = [toAlert(down, 1, 'Online shop'), toAlert(down, 2, 'Checkout'), toAlert(recovered, 3, 'Blog')] as const
  const delivery = { alerts, messageId: down.id, createdAt: startedAt, attempts: 0, failuresInARow: 0 }
  return composeSummary(
    delivery,
    { baseUrl: 'https://stats.example.org', secret },
    { maxMonitors: 100, maxBytes: 10_000 },
  )
}
