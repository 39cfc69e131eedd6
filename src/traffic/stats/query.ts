/** The query parameters of statistics. */
import type { Static } from 'typebox'
import type { Clock } from '../../lib/clock.ts'
import { addDays, countDays, isDay, localDayAt } from '../../lib/local-day.ts'
import { type FieldErrors, invalid } from '../../lib/problem.ts'
import { Type } from '../../lib/type.ts'
import {
  type ComparedPeriod,
  comparedPeriods,
  MAX_DAYS_BY_HOUR,
  MAX_RANGE_DAYS,
  type SeriesInterval,
  seriesIntervals,
} from '../../shared/statistics.ts'
import type { Comparison, DateRange } from './figures.ts'
import { rowDetailNames, type SeriesName, seriesNames, statisticsNames } from './schema.ts'

export const panelSortKeys = ['count', 'value', ...rowDetailNames] as const
export type PanelSortKey = (typeof panelSortKeys)[number]

/** Includes today. */
const DEFAULT_RANGE_DAYS = 30
/** No website has traffic from before this day. The limit also excludes the year 0, which PostgreSQL would reject. */
const MIN_DAY = '1970-01-01'
/** The number of days in a leap year. */
const MAX_HOURLY_RANGE_DAYS = 366

const optionalDay = (description: string) => Type.Optional(Type.String({ description, examples: ['2026-01-05'] }))

export const RangeQuery = Type.Object({
  from: optionalDay(
    'The first day as YYYY-MM-DD, in the time zone of the website. The default is 29 days before `to`.',
  ),
  to: optionalDay('The last day. The default is today.'),
  filter: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'A filter such as `page:/blog*`. Only traffic that matches is counted. Can be repeated: filters with the same name are alternatives, filters with different names must all match.',
      examples: [['page:/blog*']],
    }),
  ),
})

export const OverviewQuery = Type.Object({
  ...RangeQuery.properties,
  interval: Type.Optional(
    Type.Unsafe<SeriesInterval>(
      Type.String({
        enum: [...seriesIntervals],
        description: `The length of a slot of the series. The default is \`hour\` for a single day and \`day\` for longer ranges. \`hour\` is only possible for a range of at most ${MAX_DAYS_BY_HOUR} days. Weeks start on Monday. The first and last week or month may be incomplete, because slots contain only days of the range.`,
        examples: ['week'],
      }),
    ),
  ),
  compare: Type.Optional(
    Type.Unsafe<ComparedPeriod>(
      Type.String({
        enum: [...comparedPeriods],
        description:
          '`previous` compares with the equally long period just before, `year` with the same dates one year earlier',
      }),
    ),
  ),
  match_weekday: Type.Optional(
    Type.Boolean({
      description:
        'Moves the compared period so that Mondays are compared with Mondays: it starts a multiple of 7 days earlier (`previous`) or 364 days earlier (`year`). Requires `compare`.',
      examples: [true],
    }),
  ),
})
type OverviewQuery = Static<typeof OverviewQuery>

export const StatisticsQuery = Type.Object({
  name: Type.Unsafe<(typeof statisticsNames)[number]>(Type.String({ enum: [...statisticsNames], examples: ['page'] })),
  ...RangeQuery.properties,
  search: Type.Optional(
    Type.String({ description: 'Returns only rows whose value contains this text; not case-sensitive' }),
  ),
  details: Type.Optional(
    Type.Boolean({
      description:
        'Adds visitors, visits, page views, bounce rate and visit duration to each row of a panel. Days whose visits are no longer stored, or were imported as totals, have only counts; a range with such days has null for what their counts don’t tell.',
      examples: [true],
    }),
  ),
  sort_by: Type.Optional(
    Type.Unsafe<PanelSortKey>(
      Type.String({
        enum: [...panelSortKeys],
        default: 'count',
        description: 'All except `count` and `value` require `details`.',
      }),
    ),
  ),
  sort: Type.Optional(
    Type.Unsafe<'desc' | 'asc'>(
      Type.String({ enum: ['desc', 'asc'], description: 'The default is `asc` for values, otherwise `desc`.' }),
    ),
  ),
})
export type StatisticsQuery = Static<typeof StatisticsQuery>

export function resolveDateRange(
  { from, to }: { from?: string; to?: string },
  { timeZone, clock, isHourly = false }: { timeZone: string; clock: Clock; isHourly?: boolean },
): DateRange {
  const errors: FieldErrors = {}
  for (const [name, text] of Object.entries({ from, to })) {
    if (text !== undefined && !isDay(text)) errors[name] = [`\`${name}\` must be a day such as 2026-01-05.`]
  }
  for (const [name, text] of Object.entries({ from, to })) {
    if (errors[name] === undefined && text !== undefined && text < MIN_DAY) {
      errors[name] = [`\`${name}\` must not be before ${MIN_DAY}.`]
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  const last = to ?? localDayAt(timeZone, clock.now().getTime()).day
  const first = from ?? addDays(last, 1 - DEFAULT_RANGE_DAYS)
  const days = countDays(first, last)
  if (days < 1) throw invalid({ from: ['`from` must not be after `to`.'] })
  const maxDays = isHourly ? MAX_HOURLY_RANGE_DAYS : MAX_RANGE_DAYS
  if (days > maxDays) throw invalid({ from: [`The range from \`from\` to \`to\` must have at most ${maxDays} days.`] })
  return { from: first, to: last }
}

/** The default interval is `hour` for a single day, otherwise `day`. */
export function resolveInterval({ from, to }: DateRange, interval?: SeriesInterval): SeriesInterval {
  if (interval === 'hour' && countDays(from, to) > MAX_DAYS_BY_HOUR) {
    throw invalid({
      interval: [
        `\`interval=hour\` is only possible for a range of at most ${MAX_DAYS_BY_HOUR} days. Use day, week or month.`,
      ],
    })
  }
  return interval ?? (from === to ? 'hour' : 'day')
}

export function resolveComparison({ compare, match_weekday: matchWeekday }: OverviewQuery): Comparison | undefined {
  if (compare === undefined) {
    if (matchWeekday === true) throw invalid({ match_weekday: ['`match_weekday` requires `compare`.'] })
    return undefined
  }
  return { period: compare, matchesWeekdays: matchWeekday === true }
}

export const isSeriesName = (name: string): name is SeriesName => (seriesNames as readonly string[]).includes(name)

/** Checks which parameters go together, and resolves their defaults. */
export function resolveSorting({ name, details = false, sort_by: sortBy = 'count', sort }: StatisticsQuery) {
  if (details && isSeriesName(name))
    throw invalid({ details: [`\`details\` is only available for panels, not for ${name}.`] })
  if (!details && sortBy !== 'count' && sortBy !== 'value') {
    throw invalid({ sort_by: [`\`sort_by=${sortBy}\` requires \`details\`.`] })
  }
  return { hasDetails: details, sortBy, direction: sort ?? (sortBy === 'value' ? ('asc' as const) : ('desc' as const)) }
}
