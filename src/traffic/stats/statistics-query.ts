/** What a question about traffic may say, and what it means where it says nothing. */
import { type Static, Type } from 'typebox'
import type { Clock } from '../../lib/clock.ts'
import { addDays, countDays, isDay, localDayOf } from '../../lib/local-day.ts'
import { type FieldErrors, invalid } from '../../lib/problem.ts'
import { MAX_RANGE_DAYS } from '../../shared/statistics.ts'
import type { DateRange } from './figures.ts'
import { statisticsNames } from './schema.ts'

/** The days of a month, today among them. */
const DAYS_UNASKED = 30
/** Nobody had a website; and PostgreSQL has no year 0. */
const FIRST_DAY = '1970-01-01'
/** An hourly series covers at most a year. */
const MAX_HOURLY_RANGE_DAYS = 366

const day = (description: string) => Type.Optional(Type.String({ description, examples: ['2026-01-05'] }))

export const RangeQuery = Type.Object({
  from: day('The first day, YYYY-MM-DD by the clock of the website; 30 days up to `to` where it is left out'),
  to: day('The last day; today where it is left out'),
  filter: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Only what fits, such as `page:/blog*`; may be repeated. Those of one name are alternatives.',
      examples: [['page:/blog*']],
    }),
  ),
})

export const OverviewQuery = Type.Object({
  ...RangeQuery.properties,
  compare: Type.Optional(
    Type.Unsafe<'previous'>(Type.String({ enum: ['previous'], description: 'With as many days before' })),
  ),
})

export const StatisticsQuery = Type.Object({
  name: Type.Unsafe<(typeof statisticsNames)[number]>(Type.String({ enum: [...statisticsNames], examples: ['page'] })),
  ...RangeQuery.properties,
  search: Type.Optional(Type.String({ description: 'Any part of the value; upper and lower case are alike' })),
  sort_by: Type.Optional(Type.Unsafe<'count' | 'value'>(Type.String({ enum: ['count', 'value'], default: 'count' }))),
  sort: Type.Optional(
    Type.Unsafe<'desc' | 'asc'>(
      Type.String({ enum: ['desc', 'asc'], description: 'desc for counts and asc for values where it is left out' }),
    ),
  ),
})
export type StatisticsQuery = Static<typeof StatisticsQuery>

export function resolveDateRange(
  { from, to }: { from?: string; to?: string },
  { timeZone, clock, hourly = false }: { timeZone: string; clock: Clock; hourly?: boolean },
): DateRange {
  const errors: FieldErrors = {}
  for (const [name, text] of Object.entries({ from, to })) {
    if (text !== undefined && !isDay(text)) errors[name] = [`\`${name}\` must be a day such as 2026-01-05.`]
  }
  for (const [name, text] of Object.entries({ from, to })) {
    if (errors[name] === undefined && text !== undefined && text < FIRST_DAY) {
      errors[name] = [`\`${name}\` must not be before ${FIRST_DAY}.`]
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  const last = to ?? localDayOf(timeZone, clock.now().getTime()).day
  const first = from ?? addDays(last, 1 - DAYS_UNASKED)
  const days = countDays(first, last)
  if (days < 1) throw invalid({ from: ['`from` must not be after `to`.'] })
  const most = hourly ? MAX_HOURLY_RANGE_DAYS : MAX_RANGE_DAYS
  if (days > most) throw invalid({ from: [`\`from\` must be at most ${most} days before \`to\`.`] })
  return { from: first, to: last }
}
