import { type Static, Type } from 'typebox'
import { windowNames } from '../incidents/window.ts'
import { listResponse, nullable, stringEnum, stringEnumOrNull, timestamp } from '../lib/schemas.ts'
import { causes } from '../shared/causes.ts'

const number = (example: number, description?: string) =>
  Type.Integer({ examples: [example], ...(description !== undefined && { description }) })
const numberOrNull = (example: number, description?: string) => nullable(number(example, description))

const figures = {
  total: number(60, 'Checks'),
  failed: number(1, 'Of these'),
  avg_ms: numberOrNull(98, 'Of the response times; null where nothing answered, like the following'),
  p50_ms: numberOrNull(87, 'Half of them took no longer'),
  p95_ms: numberOrNull(140),
  p99_ms: numberOrNull(310),
}

const PointRecord = Type.Object(
  { starts_at: Type.String({ ...timestamp, description: 'Of the hour or the day (UTC)' }), ...figures },
  { additionalProperties: false },
)

const CheckRecord = Type.Object(
  {
    checked_at: timestamp,
    ok: Type.Boolean(),
    response_ms: numberOrNull(87, 'Until we knew; null where nothing answered'),
    dns_ms: numberOrNull(4, 'Each part: null where it was not needed or not reached'),
    connect_ms: numberOrNull(12),
    tls_ms: numberOrNull(25),
    first_byte_ms: numberOrNull(46),
    http_status: numberOrNull(200),
    packet_loss: nullable(Type.Integer({ description: 'Percent; only of a ping' })),
    cause: stringEnumOrNull(causes, { description: 'null where it was fine', examples: [null] }),
    detail: nullable(Type.String({ examples: [null] })),
  },
  { additionalProperties: false },
)

const CheckMeta = Type.Object(
  {
    window: stringEnum(windowNames, { examples: ['24h'] }),
    from: timestamp,
    to: timestamp,
    bucket_seconds: number(3_600, 'Of one point: an hour or a day'),
    ...figures,
    downtime_seconds: number(312, 'By incidents, like the uptime'),
    uptime_percent: nullable(
      Type.Number({
        description: 'Of the time in which the monitor was watched; null when it never was',
        examples: [99.639],
      }),
    ),
    recent: Type.Array(CheckRecord, { description: 'The last 60 single checks of about a day, newest first' }),
  },
  { additionalProperties: false },
)

export const CheckSeries = listResponse(PointRecord, CheckMeta)
export type CheckSeries = Static<typeof CheckSeries>

export const ResultQuery = Type.Object({
  window: Type.Optional(
    stringEnum(windowNames, { default: '24h', description: 'Until now; months and years by the calendar' }),
  ),
})
