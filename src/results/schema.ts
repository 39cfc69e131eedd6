import type { Static } from 'typebox'
import { checkWindowNames } from '../incidents/window.ts'
import { listResponse, nullable, stringEnum, stringEnumOrNull, timestamp } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { causes } from '../shared/causes.ts'
import { uptimePercent } from '../uptime/schema.ts'

const number = (example: number, description?: string) =>
  Type.Integer({ examples: [example], ...(description !== undefined && { description }) })
const numberOrNull = (example: number, description?: string) => nullable(number(example, description))

const figures = {
  total: number(60, 'Number of checks'),
  failed: number(1, 'Number of failed checks'),
  avg_ms: numberOrNull(98, 'Mean response time. All times are null if no check got a response.'),
  p50_ms: numberOrNull(87, 'Median response time'),
  p95_ms: numberOrNull(140, '95th percentile of the response times'),
  p99_ms: numberOrNull(310, '99th percentile of the response times'),
}

const PointRecord = Type.Object(
  { starts_at: Type.String({ ...timestamp, description: 'Start of the minute, hour or day (UTC)' }), ...figures },
  { additionalProperties: false },
)

const CheckRecord = Type.Object(
  {
    checked_at: timestamp,
    ok: Type.Boolean(),
    response_ms: numberOrNull(87, 'From the start of the check to its result; null if the target did not respond'),
    dns_ms: numberOrNull(4, 'DNS lookup. Each phase is null if it was skipped or not reached.'),
    connect_ms: numberOrNull(12, 'TCP connection'),
    tls_ms: numberOrNull(25, 'TLS handshake'),
    first_byte_ms: numberOrNull(46, 'From sending the request to the first byte of the response'),
    http_status: numberOrNull(200),
    packet_loss: nullable(Type.Integer({ description: 'Percent; only for type ping' })),
    cause: stringEnumOrNull(causes, { description: 'null if the check succeeded', examples: [null] }),
    detail: nullable(Type.String({ description: 'See POST /api/monitors/{id}/check', examples: [null] })),
  },
  { additionalProperties: false },
)

const CheckMeta = Type.Object(
  {
    window: stringEnum(checkWindowNames, { examples: ['24h'] }),
    from: timestamp,
    to: timestamp,
    bucket_seconds: number(3_600, 'Length of one point: a minute, an hour or a day'),
    ...figures,
    downtime_seconds: number(312, 'Total duration of incidents in the window'),
    uptime_percent: uptimePercent,
    recent: Type.Array(CheckRecord, {
      description: 'The last 60 checks of about a day, newest first; for `1h`, the last 1,000 checks of that hour',
    }),
  },
  { additionalProperties: false },
)

export const CheckSeries = listResponse(PointRecord, CheckMeta)
export type CheckSeries = Static<typeof CheckSeries>

export const ResultQuery = Type.Object({
  window: Type.Optional(
    stringEnum(checkWindowNames, {
      default: '24h',
      description: 'Ends now. Months and years are calendar months and years.',
    }),
  ),
})
