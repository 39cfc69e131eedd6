import { type Static, Type } from 'typebox'
import { id, oneOf, orNull, time, timeOrNull } from '../lib/schemas.ts'
import { providerTypes } from '../providers/kinds.ts'

const events = ['down', 'recovered', 'reminder', 'certificate'] as const
const states = ['waiting', 'sent', 'failed'] as const

export const AlertRecord = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'Goes with every attempt, as X-Belfry-Message-Id and in the Message-ID of mail',
      examples: ['8c0c1f6e-5a43-4f0e-9d56-2f6f5b0f9a11'],
    }),
    event: oneOf(events, { examples: ['down'] }),
    incident_id: orNull(Type.Integer({ description: 'null where it is about a certificate', examples: [21] })),
    provider_id: Type.Integer({ examples: [7] }),
    provider_type: oneOf(providerTypes, { examples: ['slack'] }),
    provider_name: orNull(Type.String({ examples: ['Ops'] })),
    state: oneOf(states, { description: 'failed: given up', examples: ['sent'] }),
    attempts: Type.Integer({ examples: [1] }),
    created_at: time,
    last_attempt_at: timeOrNull,
    next_attempt_at: Type.Unsafe<string | null>({ ...timeOrNull, description: 'null unless it is waiting' }),
    title: Type.String({ examples: ['Shop is down'] }),
    answer: orNull(Type.String({ description: 'What came back last', examples: ['ok'] })),
  },
  { additionalProperties: false },
)
export type AlertRecord = Static<typeof AlertRecord>

export const AlertQuery = Type.Object({
  incident_id: Type.Optional(
    Type.Array(id, {
      minItems: 1,
      maxItems: 100,
      description: 'Only what was sent about this incident; may be repeated',
      examples: [[21]],
    }),
  ),
})
