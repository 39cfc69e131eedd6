/**
 * Sends messages to programs that users write. docs/channels.md documents the format and how to verify the signature.
 */
import { createHmac } from 'node:crypto'
import type { CustomHeaders } from '../../lib/http-headers.ts'
import { MAX_WEBHOOK_HEADERS } from '../../shared/limits.ts'
import type { AlertSubject, ChannelKind, ChannelMessage } from '../common/channel.ts'
import { tokenField, webhookUrlField } from '../common/fields.ts'
import { formatMessage } from '../common/message-text.ts'
import { describeResponse, postJson } from '../common/post.ts'

/** Returns whole seconds, like the incidents of the API. */
const secondsBetween = (from: Date, to: Date) => Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1000))

function toMonitorJson({ id, friendlyName, url, type, tags }: AlertSubject['monitor']) {
  return { id, friendly_name: friendlyName, url, type, tags }
}

function toIncidentJson(incident: NonNullable<AlertSubject['incident']>, now: Date) {
  const { id, cause, detail, startedAt, resolvedAt, impact, visitors, diagnosis } = incident
  return {
    id,
    cause,
    detail,
    started_at: startedAt.toISOString(),
    resolved_at: resolvedAt?.toISOString() ?? null,
    duration_seconds: secondsBetween(startedAt, resolvedAt ?? now),
    impact,
    visitors,
    diagnosis,
  }
}

function toSubjectJson(subject: AlertSubject | undefined, now: Date) {
  return {
    monitor: subject === undefined ? null : toMonitorJson(subject.monitor),
    incident: subject?.incident ? toIncidentJson(subject.incident, now) : null,
    ...(subject?.expiresAt && { expires_at: subject.expiresAt.toISOString() }),
    ...(subject?.details && { details: subject.details }),
    ...(subject?.acknowledgeUrl && { acknowledge_url: subject.acknowledgeUrl }),
  }
}

function createBody(message: ChannelMessage, now: Date): string {
  const { summary } = message
  return JSON.stringify({
    id: message.id,
    event: summary === undefined ? message.kind : 'summary',
    ...toSubjectJson(message.subject, now),
    ...(summary !== undefined && {
      alerts: summary.subjects.map((subject) => ({ event: subject.event, ...toSubjectJson(subject, now) })),
    }),
    text: formatMessage(message),
    links: message.links ?? [],
    sent_at: now.toISOString(),
  })
}

/** The signature covers the time, so that receivers can reject replayed messages. */
function sign(secret: string, body: string, now: Date): string {
  const timestamp = Math.floor(now.getTime() / 1000)
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return `t=${timestamp},v1=${signature}`
}

export const webhook: ChannelKind<'url' | 'secret' | 'headers'> = {
  label: 'Webhook',
  receiver: 'The webhook',
  testEmoji: '',
  maxConcurrent: 100,
  summaryLimits: { maxMonitors: 1_000, maxBytes: 200_000 },
  fields: {
    url: { ...webhookUrlField('URL that gets a POST request', 'https://example.com/belfry'), isDestination: true },
    secret: tokenField(
      'Secret that signs requests with HMAC-SHA256, in the header X-Belfry-Signature',
      'k3x8qv2mDf6hT9wPz4Lb',
      {
        isRequired: false,
      },
    ),
    headers: {
      description: `Up to ${MAX_WEBHOOK_HEADERS} headers, such as for authentication. The sent headers replace all stored ones. A value that equals the displayed last four characters keeps the stored value, unless \`url\` changes`,
      example: { Authorization: 'Bearer abcdef12' },
      maxHeaders: MAX_WEBHOOK_HEADERS,
      isReserved: (name) => name === 'content-type' || name.startsWith('x-belfry-'),
      isRequired: false,
      isSecret: true,
    },
  },
  async send({ url, secret, headers }, message, { transports, now, signal }) {
    const body = createBody(message, now)
    const customHeaders = Object.entries((headers ?? {}) as CustomHeaders)
    const response = await postJson({
      service: 'The webhook',
      url: url as string,
      headers: {
        // The names are in lower case, so that a custom header replaces the default header of the same name.
        ...Object.fromEntries(customHeaders.map(([name, value]) => [name.toLowerCase(), value])),
        ...(secret !== null && { 'x-belfry-signature': sign(secret as string, body, now) }),
      },
      body,
      message,
      dispatcher: transports.guardedAgent,
      signal,
    })
    return describeResponse(response)
  },
}
