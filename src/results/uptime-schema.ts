import type { Static } from 'typebox'
import type { windowNames } from '../incidents/window.ts'
import { itemResponse, stringEnum, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { UPTIME_DAYS } from '../shared/monitors.ts'
import { uptimePercent } from '../uptime/schema.ts'

/** The periods from short to long. `90d` consists of calendar days, the others are windows that other responses have, too. */
export const uptimePeriodNames = ['24h', '30d', '90d', '6mo', '1y'] as const satisfies readonly (
  | (typeof windowNames)[number]
  | '90d'
)[]

const zoneOptions = { maxLength: 100, examples: ['Europe/Berlin'] }
const seconds = (description: string, example: number) => Type.Integer({ description, examples: [example] })
const downtimeSeconds = seconds('Time of incidents within the monitored time', 312)
const incidents = Type.Integer({ description: 'Incidents that are part of the downtime', examples: [1] })

const PeriodRecord = Type.Object(
  {
    period: stringEnum(uptimePeriodNames, { examples: ['30d'] }),
    from: timestamp,
    uptime_percent: uptimePercent,
    monitored_since: {
      ...timestampOrNull,
      description: 'When monitoring began, if that was after `from`; otherwise null',
    },
    monitored_seconds: seconds('How long Belfry monitored the monitor in this period', 2_592_000),
    downtime_seconds: downtimeSeconds,
    incidents,
  },
  { additionalProperties: false },
)

const DayRecord = Type.Object(
  {
    date: Type.String({ format: 'date', examples: ['2026-11-16'] }),
    uptime_percent: uptimePercent,
    monitored_seconds: seconds('How long Belfry monitored the monitor on this day', 86_400),
    downtime_seconds: downtimeSeconds,
    incidents,
  },
  { additionalProperties: false },
)

const UptimeRecord = Type.Object(
  {
    to: { ...timestamp, description: 'Now: the end of all periods' },
    time_zone: Type.String(zoneOptions),
    periods: Type.Array(PeriodRecord, { description: 'From short to long' }),
    days: Type.Array(DayRecord, {
      description: `The last ${UPTIME_DAYS} days in the time zone, today last. They add up to the period \`90d\``,
    }),
  },
  { additionalProperties: false },
)
export type UptimeRecord = Static<typeof UptimeRecord>

export const UptimeResponse = itemResponse(UptimeRecord)

export const UptimeQuery = Type.Object({
  time_zone: Type.Optional(
    Type.String({ ...zoneOptions, description: 'Time zone of the days. Default: `BELFRY_TIME_ZONE`' }),
  ),
})
