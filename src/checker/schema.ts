import type { Static } from 'typebox'
import {
  itemResponse,
  nullable,
  resourceId,
  stringEnum,
  stringEnumOrNull,
  timestamp,
  timestampOrNull,
} from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { UpdateMonitor } from '../monitors/schema.ts'
import { causes } from '../shared/causes.ts'
import { monitorStatuses } from '../shared/monitors.ts'

/**
 * Without `monitor_id`, the body contains the fields of a new monitor; the name is optional. With `monitor_id`, it
 * contains the fields of that monitor that change.
 */
export const TryMonitor = Type.Object(
  {
    monitor_id: Type.Optional(
      Type.Integer({
        ...resourceId,
        description: 'Tests a change of this monitor: fields that are not sent keep their saved values',
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

const duration = (description: string, example: number) => nullable(Type.Integer({ description, examples: [example] }))

const checkFields = {
  ok: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'null if the check could not run because of a problem on the Belfry server; `detail` names it',
    examples: [true],
  }),
  checked_at: timestamp,
  response_ms: duration('Milliseconds from the start of the check to its result', 87),
  dns_ms: duration('DNS lookup', 4),
  connect_ms: duration('TCP connection', 12),
  tls_ms: duration('TLS handshake', 21),
  first_byte_ms: duration('From sending the request to the first byte of the response', 50),
  http_status: nullable(Type.Integer({ examples: [200] })),
  packet_loss: nullable(Type.Integer({ description: 'Percent; only for type ping', examples: [0] })),
  tls_expires_at: timestampOrNull,
  domain_expires_at: timestampOrNull,
  cause: stringEnumOrNull(causes, { examples: ['http_status'] }),
  detail: nullable(
    Type.String({
      description: 'A sentence that explains the cause, or that says what a successful check could not verify',
      examples: ['Status 503, expected 200–399'],
    }),
  ),
}

const CheckRecord = Type.Object(checkFields, { additionalProperties: false })
export type CheckRecord = Static<typeof CheckRecord>

export const TrialResponse = itemResponse(CheckRecord)
export const CheckResponse = itemResponse(
  Type.Object(
    {
      monitor_id: Type.Integer({ examples: [3] }),
      status: stringEnum(monitorStatuses, { description: "The monitor's status after this check", examples: ['up'] }),
      ...checkFields,
    },
    { additionalProperties: false },
  ),
)
