import type { Static } from 'typebox'
import { itemResponse, nullable, timestamp } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MonitorRecord } from '../monitors/schema.ts'
import { MAX_RESPONSE_TIME_MONITORS } from '../shared/limits.ts'
import { UPTIME_DAYS } from '../shared/monitors.ts'
import { MIN_SPARKLINE_POINTS } from '../shared/sparkline-paths.ts'
import { TagsRecord } from '../tags/schema.ts'
import { WebsiteRecord } from '../websites/schema.ts'

/** The sparkline of a website shows the visitors of this many days. */
export const SPARKLINE_DAYS = 30
const MAX_FIRST_ROWS = 1_000
/** Response times are hourly averages of this many hours. */
export const RESPONSE_TIME_HOURS = 24
/** How many steps of `RECENT_RESPONSE_STEP_MS` the response times of a new monitor have. */
export const RECENT_RESPONSE_STEPS = 24

const timeZoneOptions = { maxLength: 100, examples: ['Europe/Berlin'] }

export const UserOverviewQuery = Type.Object({
  time_zone: Type.Optional(
    Type.String({
      ...timeZoneOptions,
      description: "Time zone for the monitors' days. Default: `BELFRY_TIME_ZONE`",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_FIRST_ROWS,
      description:
        'Return only the websites and monitors of about this many rows at the top of the page, so that the page can show them before all others arrive. Users with at most 100 websites and monitors together get all of them. Default: all',
      examples: [100],
    }),
  ),
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
    is_sample: websiteFields.is_sample,
    tags: TagsRecord,
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
const epochMs = Type.Integer({ description: 'Milliseconds since 1970', examples: [1_767_607_200_000] })

/** Columns take a third of the bytes of one object per monitor, and the browser parses them twice as fast. */
const OverviewMonitorColumns = Type.Object(
  {
    id: Type.Array(monitorFields.id),
    friendly_name: Type.Array(monitorFields.friendly_name),
    url: Type.Array(monitorFields.url),
    type: Type.Array(monitorFields.type),
    status: Type.Array(monitorFields.status),
    status_changed_at: Type.Array(epochMs),
    down_since: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: epochMs,
      description:
        'The time of the first failed check of the ongoing incident, by monitor id. Only monitors that are down have an entry',
      examples: [{ 3: 1_767_607_200_000 }],
    }),
    incident_id: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: Type.Integer(),
      description: 'The ongoing incident, by monitor id. Monitors without an ongoing incident have no entry',
      examples: [{ 3: 21 }],
    }),
    acknowledged_at: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: epochMs,
      description:
        'When the ongoing incident was acknowledged, by monitor id. Monitors without an acknowledged incident have no entry',
      examples: [{ 3: 1_767_607_500_000 }],
    }),
    interval: Type.Array(monitorFields.interval),
    last_checked_at: Type.Array(nullable(epochMs)),
    last_response_ms: Type.Array(monitorFields.last_response_ms),
    last_error: Type.Array(monitorFields.last_error),
    tags: Type.Unsafe<Record<string, string[]>>({
      type: 'object',
      additionalProperties: TagsRecord,
      description: 'Tags by monitor id. Monitors without tags have no entry',
      examples: [{ 3: ['production', 'shop'] }],
    }),
    maintenance_until: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: epochMs,
      description: 'End of the maintenance in progress by monitor id. Monitors without maintenance have no entry',
      examples: [{ 3: 1_767_609_000_000 }],
    }),
    website_id: Type.Array(
      nullable(
        Type.Integer({ description: "Your website that the monitor's host belongs to, if any", examples: [12] }),
      ),
    ),
    uptime_percent: Type.Array(
      nullable(
        Type.Number({
          description:
            'Uptime as a percentage of the time in which the monitor was active; null if it was never active',
          examples: [99.987],
        }),
      ),
    ),
    monitored_since: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: epochMs,
      description: 'When monitoring began, by monitor id. Only monitors younger than `days` have an entry',
      examples: [{ 3: 1_767_607_200_000 }],
    }),
    monitored_seconds: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: Type.Integer(),
      description: 'How long the monitors in `monitored_since` were monitored, by monitor id',
      examples: [{ 3: 5_400 }],
    }),
    days: Type.Array(
      Type.String({
        description:
          'Periods in which the monitor was active, each as first and last day (0 is the first day of `days`), separated by commas. Days with downtime follow a semicolon, each as `day:seconds of downtime:incidents`, followed by `:seconds of monitoring` unless these are 86400',
        examples: ['0-35,40-89;41:312:2,89:60:1:36000'],
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Monitors as columns: the first entry of each list belongs to the first monitor',
  },
)
export type OverviewMonitorColumns = Static<typeof OverviewMonitorColumns>

const OverviewSummary = Type.Object(
  {
    up: countSchema('Monitors that are up', 148),
    down: countSchema('Monitors that are down', 2),
    pending: countSchema('Monitors whose status is not known yet', 0),
    paused: countSchema('Paused monitors', 3),
    visitors_now: countSchema('Visitors of all websites in the last five minutes', 37),
    visitors_today: countSchema('Visitors of all websites today', 1_208),
    visitors_yesterday: countSchema('Visitors of all websites yesterday', 2_417),
    uptime_percent: nullable(
      Type.Number({
        description: 'Uptime of all monitors together; null if none was active, or if the response is not complete',
        examples: [99.951],
      }),
    ),
    has_downtime: Type.Boolean({ description: 'Whether any monitor had downtime', examples: [true] }),
    monitored_since: nullable({
      ...epochMs,
      description: 'When monitoring of the first monitor began; null if that was before `days`, or if none was active',
    }),
    monitored_seconds: countSchema('How long the monitor with the most data was monitored', 7_776_000),
  },
  {
    additionalProperties: false,
    description:
      'Figures of all websites and monitors, even if `is_complete` is false. They do not include sample data',
  },
)
export type OverviewSummary = Static<typeof OverviewSummary>

const Overview = Type.Object(
  {
    now: { ...epochMs, description: "The server's time, in milliseconds since 1970" },
    days: Type.Object(
      {
        from: Type.String({ format: 'date', examples: ['2026-08-18'] }),
        to: Type.String({ format: 'date', description: 'Today', examples: ['2026-11-15'] }),
        time_zone: Type.String(timeZoneOptions),
      },
      { additionalProperties: false, description: `The ${UPTIME_DAYS} days for which monitors have data` },
    ),
    is_complete: Type.Boolean({ description: 'Whether all websites and monitors are listed', examples: [true] }),
    websites: Type.Array(OverviewWebsiteRecord, { description: 'Websites, sorted by domain' }),
    monitors: Type.Array(OverviewMonitorColumns, {
      description: 'Monitors, newest first. Each entry has the columns of several monitors',
    }),
    summary: OverviewSummary,
  },
  { additionalProperties: false },
)
export type Overview = Static<typeof Overview>

export const OverviewResponse = itemResponse(Overview)

export const ResponseTimesQuery = Type.Object({
  monitors: Type.String({
    pattern: `^[1-9]\\d{0,14}(,[1-9]\\d{0,14}){0,${MAX_RESPONSE_TIME_MONITORS - 1}}$`,
    description: `IDs of up to ${MAX_RESPONSE_TIME_MONITORS} monitors, separated by commas`,
    examples: ['3,12'],
  }),
})

const OverviewResponseTimes = Type.Object(
  {
    starts_at: { ...timestamp, description: 'Start of the first hour' },
    recent_starts_at: { ...timestamp, description: 'Start of the first 5 minutes of `recent`' },
    monitors: Type.Array(
      Type.Object(
        {
          id: monitorFields.id,
          hours: Type.Array(nullable(Type.Integer()), {
            minItems: RESPONSE_TIME_HOURS,
            maxItems: RESPONSE_TIME_HOURS,
            description:
              'Average response time of each hour in milliseconds, or null if there was no response. The last one is the current hour',
            examples: [Array.from({ length: RESPONSE_TIME_HOURS }, (_, hour) => 120 + hour)],
          }),
          recent: nullable(
            Type.Array(nullable(Type.Integer()), {
              minItems: RECENT_RESPONSE_STEPS,
              maxItems: RECENT_RESPONSE_STEPS,
              description: `Average response time of each 5 minutes of the last two hours, if fewer than ${MIN_SPARKLINE_POINTS} entries of \`hours\` have a response; otherwise null`,
              examples: [null],
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { description: 'Monitors that do not exist or had no response are omitted' },
    ),
  },
  { additionalProperties: false },
)
export type OverviewResponseTimes = Static<typeof OverviewResponseTimes>

export const ResponseTimesResponse = itemResponse(OverviewResponseTimes)
