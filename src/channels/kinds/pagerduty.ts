/** Sends events to a PagerDuty service, through the Events API v2. */

import type { ChannelKind, ChannelMessage, SendContext } from '../common/channel.ts'
import { tokenField } from '../common/fields.ts'
import type { MessageKind } from '../common/markers.ts'
import { listFactLines, shorten } from '../common/message-text.ts'
import { describeResponse, postJson, type ServiceResponse } from '../common/post.ts'
import { createThreadKey } from '../common/thread.ts'

/** PagerDuty cuts or rejects longer texts. */
const MAX_SUMMARY_LENGTH = 1_024
const MAX_SOURCE_LENGTH = 255
const MAX_DETAILS_LENGTH = 5_000

const severities: Record<MessageKind, string> = {
  down: 'critical',
  reminder: 'critical',
  recovered: 'info',
  certificate: 'warning',
  spike: 'info',
  test: 'info',
}

/** PagerDuty adds events with the same key to one incident, so a reminder opens no second incident. */
const createDedupKey = ({ id, subject }: ChannelMessage) =>
  subject === undefined ? `belfry-test-${id}` : createThreadKey(subject)

function createEvent(message: ChannelMessage): object {
  const { kind, title, alert, text = '', subject, links = [] } = message
  const dedupKey = createDedupKey(message)
  if (kind === 'recovered') return { event_action: 'resolve', dedup_key: dedupKey }
  const source = subject?.monitor.url || alert?.monitorName || 'Belfry'
  return {
    event_action: 'trigger',
    dedup_key: dedupKey,
    payload: {
      summary: shorten(title, MAX_SUMMARY_LENGTH),
      source: shorten(source, MAX_SOURCE_LENGTH),
      severity: severities[kind],
      ...(subject?.incident && { timestamp: subject.incident.startedAt.toISOString(), class: subject.incident.cause }),
      ...(alert !== undefined && { component: alert.monitorName }),
      custom_details: {
        text: shorten([text, ...listFactLines(message)].filter(Boolean).join('\n'), MAX_DETAILS_LENGTH),
      },
    },
    client: 'Belfry',
    ...(links[0] !== undefined && { client_url: links[0].url }),
    links: links.map(({ label, url }) => ({ href: url, text: label })),
  }
}

function enqueue(
  routingKey: string,
  event: object,
  message: ChannelMessage,
  { transports, signal }: SendContext,
): Promise<ServiceResponse> {
  return postJson({
    service: 'PagerDuty',
    url: `${transports.pagerdutyApi}/v2/enqueue`,
    body: JSON.stringify({ routing_key: routingKey, ...event }),
    message,
    dispatcher: transports.unguardedAgent,
    signal,
    isOperatorUrl: true,
    readReason: ({ message: reason, errors }) =>
      [reason, ...(Array.isArray(errors) ? errors : [])].filter(Boolean).join(': ') || undefined,
  })
}

export const pagerduty: ChannelKind<'routing_key'> = {
  label: 'PagerDuty',
  receiver: 'PagerDuty',
  testEmoji: '',
  maxConcurrent: 50,
  // PagerDuty groups alerts itself, and each incident needs an event of its own that its recovery can resolve.
  summaryLimits: 'never',
  fields: {
    routing_key: tokenField('Integration key of a service (Events API v2)', 'R0123456789ABCDEF0123456789ABCDE', {
      pattern: /^[A-Za-z0-9]{32}$/,
      rule: 'must be an integration key with 32 letters and digits',
    }),
  },
  async send({ routing_key }, message, context) {
    const key = routing_key as string
    const response = await enqueue(key, createEvent(message), message, context)
    if (message.kind === 'test') {
      // The test has shown that the key works. Resolve its incident, so that nobody has to resolve it by hand.
      const dedupKey = createDedupKey(message)
      await enqueue(key, { event_action: 'resolve', dedup_key: dedupKey }, message, context)
    }
    const { message: reason } = response.json
    return typeof reason === 'string' ? reason : describeResponse(response)
  },
}
