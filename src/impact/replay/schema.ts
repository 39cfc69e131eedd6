import type { Static } from 'typebox'
import { itemResponse, nullable, stringEnumOrNull, timestamp } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { holidays, quietDays, silenceAlarmsAYear } from '../../websites/schema.ts'

const minutes = (description: string, example: number) => nullable(Type.Integer({ description, examples: [example] }))

export const ReplayRequest = nullable(
  Type.Object(
    {
      silence_alarms_a_year: Type.Optional(
        Type.Number({
          ...silenceAlarmsAYear,
          description: 'The value to replay with. The default is the stored value',
        }),
      ),
      quiet_days: Type.Optional({
        ...quietDays,
        description: 'The quiet days to replay with. The default is the stored ones',
      }),
      holidays: Type.Optional({
        ...holidays,
        description: 'The country to replay with. The default is the stored one',
      }),
    },
    { additionalProperties: false },
  ),
)

const ReplayAlarm = Type.Object(
  {
    started_at: { ...timestamp, description: 'Time of the last visit before visits stopped' },
    alerted_at: { ...timestamp, description: 'When the incident would have opened' },
    ended_at: { ...timestamp, description: 'When visits had returned, or the end of the replay' },
    gap_minutes: Type.Integer({
      description: 'Minutes from the last visit before visits stopped to the first one after it',
      examples: [95],
    }),
  },
  { additionalProperties: false },
)

const ReplayRecord = Type.Object(
  {
    website_id: Type.Integer({ examples: [12] }),
    from: timestamp,
    to: timestamp,
    weeks_replayed: Type.Number({
      description:
        'Number of replayed weeks, at most 52. Excludes the first two weeks of visits, known incidents, and times in which Belfry could not count visits',
      examples: [52],
    }),
    silence_alarms_a_year: silenceAlarmsAYear,
    website_alarms_a_year: Type.Number({
      description:
        'How many false alarms a year this website may cause: `silence_alarms_a_year` divided by the number of websites with alerts about stops of visits (`watch_traffic`)',
      examples: [0.5],
    }),
    alarms: Type.Array(ReplayAlarm),
    alarms_a_year: nullable(Type.Number({ examples: [2] })),
    exceeds_budget: Type.Boolean({
      description:
        "Whether there are implausibly many alarms for `website_alarms_a_year`. Then `watch_traffic` can't be turned on",
      examples: [false],
    }),
    quiet_day_alarms: Type.Integer({
      description: 'How many of the alarms were on days with few visits, such as public holidays',
      examples: [0],
    }),
    suggested_holidays: nullable(
      Type.String({
        description: 'The value of `holidays` that explains most days with few visits; null if none does',
        examples: ['DE'],
      }),
    ),
    suggested_quiet_days: Type.Array(Type.String({ format: 'date', examples: ['2026-12-24'] }), {
      description:
        'Further days with few visits, which you can add to `quiet_days`. Empty if no alarm was on such a day',
      examples: [[]],
    }),
    detection_minutes: Type.Object(
      {
        day: minutes('If visits stop between 9:00 and 17:00', 35),
        night: minutes('If visits stop between 0:00 and 6:00', 240),
      },
      {
        additionalProperties: false,
        description:
          'Median number of minutes from the last visit to the alert if all visits stop; null if unknown or over two weeks',
      },
    ),
    basis: stringEnumOrNull(['too_little_history', 'too_little_traffic'], {
      description: 'Why there are too few visits to replay; null if there are enough',
      examples: [null],
    }),
  },
  { additionalProperties: false },
)
export type ReplayRecord = Static<typeof ReplayRecord>

export const ReplayResponse = itemResponse(ReplayRecord)
