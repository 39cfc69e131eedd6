import { type Static, Type } from 'typebox'
import { itemResponse, nullable, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { MonitorRecord } from '../monitors/schema.ts'
import { UPTIME_DAYS } from '../shared/monitors.ts'
import { WebsiteRecord } from '../websites/schema.ts'

/** The sparkline of a website shows the visitors of this many days. */
export const SPARKLINE_DAYS = 30

const timeZoneOptions = { maxLength: 100, examples: ['Europe/Berlin'] }

export const UserOverviewQuery = Type.Object({
  time_zone: Type.Optional(
    Type.String({
      ...timeZoneOptions,
      description: "Time zone for the monitors' days. Default: `BELFRY_TIME_ZONE`",
    }),
  ),
})

const integerPairsSchema = (description: string, example: [number, number][]) =>
  Type.Array(Type.Unsafe<[number, number]>(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })), {
    description,
    examples: [example],
  })

const websiteFields = WebsiteRecord.properties
const countSchema = (description: string, example: number) => Type.Integer({ description, examples: [example] })

const OverviewWebsiteRecord = Type.Object(
  {
    id: websiteFields.id,
    domain: websiteFields.domain,
    favorite: websiteFields.favorite,
    privacy: websiteFields.privacy,
    time_zone: websiteFields.time_zone,
    has_traffic: Type.Boolean({ description: 'Whether any traffic was ever recorded', examples: [true] }),
    visitors_now: countSchema('Visitors in the last five minutes', 2),
    visitors_today: countSchema("Visitors today, in the website's time zone", 31),
    visitors: Type.Array(Type.Integer(), {
      minItems: SPARKLINE_DAYS,
      maxItems: SPARKLINE_DAYS,
      description: `Visitors on each of the last ${SPARKLINE_DAYS} days in the website's time zone, today last`,
      examples: [Array.from({ length: SPARKLINE_DAYS }, (_, day) => 2 + day)],
    }),
  },
  { additionalProperties: false },
)
export type OverviewWebsiteRecord = Static<typeof OverviewWebsiteRecord>

const monitorFields = MonitorRecord.properties

const OverviewMonitorRecord = Type.Object(
  {
    id: monitorFields.id,
    friendly_name: monitorFields.friendly_name,
    url: monitorFields.url,
    type: monitorFields.type,
    status: monitorFields.status,
    status_changed_at: timestamp,
    interval: monitorFields.interval,
    last_checked_at: timestampOrNull,
    last_response_ms: monitorFields.last_response_ms,
    last_error: monitorFields.last_error,
    website_id: nullable(
      Type.Integer({
        description: "Your website that the monitor's host belongs to, if any",
        examples: [12],
      }),
    ),
    uptime_percent: nullable(
      Type.Number({
        description: 'Share of the time in which the monitor was active; null if it never was',
        examples: [99.987],
      }),
    ),
    watched: integerPairsSchema(
      'Periods in which the monitor was active, each as first and last day; 0 is the first day of `days`',
      [[3, 89]],
    ),
    down: integerPairsSchema('Days with downtime while the monitor was active, each with its seconds', [[41, 312]]),
  },
  { additionalProperties: false },
)
export type OverviewMonitorRecord = Static<typeof OverviewMonitorRecord>

const Overview = Type.Object(
  {
    days: Type.Object(
      {
        from: Type.String({ format: 'date', examples: ['2026-08-18'] }),
        to: Type.String({ format: 'date', description: 'Today', examples: ['2026-11-15'] }),
        time_zone: Type.String(timeZoneOptions),
      },
      { additionalProperties: false, description: `The ${UPTIME_DAYS} days for which monitors have data` },
    ),
    websites: Type.Array(OverviewWebsiteRecord, { description: 'Sorted by domain' }),
    monitors: Type.Array(OverviewMonitorRecord, { description: 'Newest first' }),
  },
  { additionalProperties: false },
)
export type Overview = Static<typeof Overview>

export const OverviewResponse = itemResponse(Overview)
