import type { Static } from 'typebox'
import { channelTypes } from '../channels/kinds.ts'
import { nullable, resourceId, stringEnum, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'

const alertEvents = ['down', 'recovered', 'reminder', 'certificate', 'spike'] as const
export type AlertEvent = (typeof alertEvents)[number]
export const alertStates = ['waiting', 'sent', 'failed', 'skipped'] as const

const SpikeFigures = Type.Object(
  {
    visits: Type.Integer({ description: 'Visits begun since `since`', examples: [312] }),
    expected: Type.Number({ description: 'How many visits are usual in this period', examples: [40.2] }),
    factor: nullable(
      Type.Number({
        description: '`visits` ÷ `expected`; null if almost no visits are expected',
        examples: [7.8],
      }),
    ),
    source: nullable(
      Type.String({
        description: 'The source with the most visits; null if there are more direct visits',
        examples: ['news.ycombinator.com'],
      }),
    ),
    source_visits: nullable(Type.Integer({ examples: [250] })),
    since: timestamp,
  },
  { additionalProperties: false, description: 'The figures of a traffic spike. null for alerts of other events' },
)

export const AlertRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid', examples: ['8c0c1f6e-5a43-4f0e-9d56-2f6f5b0f9a11'] }),
    message_id: Type.String({
      format: 'uuid',
      description:
        'Id of the message that contains the alert. Alerts that are combined into one message have the same `message_id`. For any other alert, it equals `id`. Sent with every attempt: as X-Belfry-Message-Id, and as part of the Message-ID of emails.',
      examples: ['8c0c1f6e-5a43-4f0e-9d56-2f6f5b0f9a11'],
    }),
    message_alerts: Type.Integer({ description: 'How many alerts the message contains', examples: [1] }),
    event: stringEnum(alertEvents, { examples: ['down'] }),
    incident_id: nullable(
      Type.Integer({ description: 'null for alerts about a certificate, a domain or a traffic spike', examples: [21] }),
    ),
    provider_id: Type.Integer({ examples: [7] }),
    provider_type: stringEnum(channelTypes, { examples: ['slack'] }),
    provider_name: nullable(Type.String({ examples: ['Ops'] })),
    state: stringEnum(alertStates, {
      description:
        '`failed` alerts are not retried. `skipped` alerts are not sent, because the incident ended or was acknowledged, or the provider was unassigned or disabled, before `delay_minutes` had passed. Reminders are also skipped if the incident was acknowledged before the first attempt.',
      examples: ['sent'],
    }),
    attempts: Type.Integer({ examples: [1] }),
    created_at: timestamp,
    last_attempt_at: timestampOrNull,
    next_attempt_at: Type.Unsafe<string | null>({
      ...timestampOrNull,
      description: 'null unless the state is `waiting`',
    }),
    title: Type.String({ examples: ['Down: Shop'] }),
    details: nullable(SpikeFigures),
    answer: nullable(
      Type.String({ description: 'The last response of the receiver, or why there was none', examples: ['ok'] }),
    ),
  },
  { additionalProperties: false },
)
export type AlertRecord = Static<typeof AlertRecord>

export const AlertQuery = Type.Object({
  incident_id: Type.Optional(
    Type.Array(resourceId, {
      minItems: 1,
      maxItems: 100,
      description: 'Only alerts about this incident. The parameter can be repeated.',
      examples: [[21]],
    }),
  ),
})
