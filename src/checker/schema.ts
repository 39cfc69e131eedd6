import { type Static, Type } from 'typebox'
import { id, one, oneOf, oneOfOrNull, orNull, time, timeOrNull } from '../lib/schemas.ts'
import { UpdateMonitor } from '../monitors/schema.ts'
import { causes } from '../shared/causes.ts'
import { monitorStatuses } from '../shared/monitors.ts'

/** As for a new monitor, but for its name; or as for a change of the one that is named. */
export const TryMonitor = Type.Object(
  {
    monitor_id: Type.Optional(
      Type.Integer({
        ...id,
        description: 'A monitor of yours: what is not sent is as it has it',
        examples: [3],
      }),
    ),
    ...UpdateMonitor.properties,
  },
  {
    additionalProperties: false,
    examples: [
      { url: 'https://example.com/', http: { keyword: 'Welcome' } },
      { monitor_id: 3, http: { headers: { Authorization: 'cdef' }, expected_status: '200' } },
    ],
  },
)
export type TryMonitor = Static<typeof TryMonitor>

const ms = (description: string, example: number) => orNull(Type.Integer({ description, examples: [example] }))

const found = {
  ok: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'null: nothing is known, because the fault is ours; detail says which',
    examples: [true],
  }),
  checked_at: time,
  response_ms: ms('From the beginning until the verdict', 87),
  dns_ms: ms('To look the name up', 4),
  connect_ms: ms('To connect', 12),
  tls_ms: ms('For the TLS handshake', 21),
  first_byte_ms: ms('From the request to the first byte of the answer', 50),
  http_status: orNull(Type.Integer({ examples: [200] })),
  packet_loss: orNull(Type.Integer({ description: 'In percent, of a ping', examples: [0] })),
  tls_expires_at: timeOrNull,
  cause: oneOfOrNull(causes, { examples: ['http_status'] }),
  detail: orNull(Type.String({ description: 'What is wrong, in words', examples: ['answered 503, expected 200-399'] })),
}

const CheckRecord = Type.Object(found, { additionalProperties: false })
export type CheckRecord = Static<typeof CheckRecord>

export const TryAnswer = one(CheckRecord)
export const CheckAnswer = one(
  Type.Object(
    {
      monitor_id: Type.Integer({ examples: [3] }),
      status: oneOf(monitorStatuses, { description: 'Of the monitor, after this check', examples: ['up'] }),
      ...found,
    },
    { additionalProperties: false },
  ),
)
