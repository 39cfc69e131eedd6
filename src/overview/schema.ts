import { type Static, Type } from 'typebox'
import { itemResponse, nullable, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { MonitorRecord } from '../monitors/schema.ts'
import { UPTIME_DAYS } from '../shared/monitors.ts'
import { WebsiteRecord } from '../websites/schema.ts'

/** Days of visitors per website, one point of its sparkline each. */
export const POINT_DAYS = 30

const zone = { maxLength: 100, examples: ['Europe/Berlin'] }

export const OverviewQuery = Type.Object({
  time_zone: Type.Optional(
    Type.String({ ...zone, description: 'By whose days monitors are shown; BELFRY_TIME_ZONE where it is left out' }),
  ),
})

const pairs = (description: string, example: [number, number][]) =>
  Type.Array(Type.Unsafe<[number, number]>(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })), {
    description,
    examples: [example],
  })

const website = WebsiteRecord.properties
const count = (description: string, example: number) => Type.Integer({ description, examples: [example] })

const WebsiteGlance = Type.Object(
  {
    id: website.id,
    domain: website.domain,
    favorite: website.favorite,
    privacy: website.privacy,
    time_zone: website.time_zone,
    has_traffic: Type.Boolean({ description: 'Whether anything was ever counted', examples: [true] }),
    visitors_now: count('Of the last five minutes', 2),
    visitors_today: count('By the clock of the website', 31),
    visitors: Type.Array(Type.Integer(), {
      minItems: POINT_DAYS,
      maxItems: POINT_DAYS,
      description: `The last ${POINT_DAYS} days by the clock of the website, today last`,
      examples: [Array.from({ length: POINT_DAYS }, (_, day) => 2 + day)],
    }),
  },
  { additionalProperties: false },
)
export type WebsiteGlance = Static<typeof WebsiteGlance>

const monitor = MonitorRecord.properties

const MonitorGlance = Type.Object(
  {
    id: monitor.id,
    friendly_name: monitor.friendly_name,
    url: monitor.url,
    type: monitor.type,
    status: monitor.status,
    status_changed_at: timestamp,
    interval: monitor.interval,
    last_checked_at: timestampOrNull,
    last_response_ms: monitor.last_response_ms,
    last_error: monitor.last_error,
    website_id: nullable(
      Type.Integer({
        description: 'Your website on whose host, or on one below it, the monitor looks',
        examples: [12],
      }),
    ),
    uptime_percent: nullable(
      Type.Number({ description: 'Of the time in which it was watched; null when it never was', examples: [99.987] }),
    ),
    watched: pairs('Days on which it was watched, as first and last of each run; 0 is the first of `days`', [[3, 89]]),
    down: pairs('Days on which it was down while it was watched, each with the seconds of that', [[41, 312]]),
  },
  { additionalProperties: false },
)
export type MonitorGlance = Static<typeof MonitorGlance>

const Overview = Type.Object(
  {
    days: Type.Object(
      {
        from: Type.String({ format: 'date', examples: ['2026-08-18'] }),
        to: Type.String({ format: 'date', description: 'Today', examples: ['2026-11-15'] }),
        time_zone: Type.String(zone),
      },
      { additionalProperties: false, description: `The ${UPTIME_DAYS} days of the monitors` },
    ),
    websites: Type.Array(WebsiteGlance, { description: 'By domain' }),
    monitors: Type.Array(MonitorGlance, { description: 'Newest first' }),
  },
  { additionalProperties: false },
)
export type Overview = Static<typeof Overview>

export const OverviewAnswer = itemResponse(Overview)
