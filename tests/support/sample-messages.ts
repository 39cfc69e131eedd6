/** One sample message of each kind, composed as the server composes them. */
import { composeAlertMessage } from '../../src/alerts/alert-message.ts'
import {
  formatCertificateAlert,
  formatCertificateOccurrence,
  formatDownAlert,
  formatRecoveryAlert,
  formatReminder,
} from '../../src/alerts/messages.ts'
import type { AlertMessage } from '../../src/alerts/pick-store.ts'
import type { MessageKind } from '../../src/providers/markers.ts'
import type { ProviderMessage } from '../../src/providers/provider.ts'
import type { MonitorType } from '../../src/shared/monitors.ts'

const startedAt = new Date('2026-01-05T10:00:00.000Z')
const expiresAt = new Date('2026-01-19T09:00:00.000Z')
const afterMinutes = (minutes: number) => new Date(startedAt.getTime() + minutes * 60_000)

interface SampleOptions {
  friendlyName?: string
  url?: string
  type?: MonitorType
  detail?: string
  timeZone?: string
  baseUrl?: string | undefined
}

export function createSampleMessages(options: SampleOptions = {}): Record<MessageKind, ProviderMessage> {
  const { friendlyName = 'Online shop', url = 'https://shop.example.com/checkout?lang=de' } = options
  const { type = 'http', detail = 'Status 503, expected 200–399', timeZone = 'Europe/Berlin' } = options
  const baseUrl = 'baseUrl' in options ? options.baseUrl : 'https://stats.example.org'
  const content = { friendlyName, url, detail, since: startedAt }
  const alert: AlertMessage = {
    alertId: 1,
    messageId: '8c0c1f6e-0000-4000-8000-000000000000',
    event: 'down',
    occurrence: '',
    title: formatDownAlert(content).title,
    attempts: 0,
    createdAt: afterMinutes(0.25),
    failuresInARow: 0,
    monitor: { id: 3, friendlyName, url, type, tags: ['shop'] },
    incident: { id: 5, cause: 'http_status', detail, startedAt, resolvedAt: null },
    provider: {} as AlertMessage['provider'],
  }
  const compose = (changes: Partial<AlertMessage>) =>
    composeAlertMessage({ ...alert, ...changes }, { baseUrl, timeZone })
  const [recoveredAt, remindedAt] = [afterMinutes(5.21), afterMinutes(120)]
  return {
    down: compose({}),
    recovered: compose({
      event: 'recovered',
      title: formatRecoveryAlert({ ...content, now: recoveredAt }).title,
      createdAt: recoveredAt,
      incident: { id: 5, cause: 'http_status', detail, startedAt, resolvedAt: recoveredAt },
    }),
    reminder: compose({
      event: 'reminder',
      title: formatReminder({ ...content, now: remindedAt }).title,
      createdAt: remindedAt,
    }),
    certificate: compose({
      event: 'certificate',
      title: formatCertificateAlert({ friendlyName, url, type, expiresAt, now: startedAt }).title,
      createdAt: startedAt,
      occurrence: formatCertificateOccurrence(expiresAt, 14),
      incident: null,
    }),
    test: {
      id: alert.messageId,
      kind: 'test',
      title: 'Test notification ✅',
      text: 'This is a test from Belfry at https://stats.example.org, sent through Email (Ops). No action needed.',
    },
  }
}
