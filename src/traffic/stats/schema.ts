/** The statistics in the API. */
import type { Static, TSchema } from 'typebox'
import { itemResponse, nullable } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { type SeriesInterval, seriesIntervals } from '../../shared/statistics.ts'
import { type Dimension, dimensionNames } from '../model/dimensions.ts'

export const seriesNames = ['visitors', 'pageviews', 'visitors_hours', 'pageviews_hours'] as const
export type SeriesName = (typeof seriesNames)[number]

/** Every dimension has a panel. Continents have one, too, although they are not stored: they are sums of countries. */
export type PanelName = Dimension | 'continent'
export const panelNames: readonly PanelName[] = dimensionNames.flatMap((name): PanelName[] =>
  name === 'country' ? ['continent', 'country'] : [name],
)

export const statisticsNames: readonly (SeriesName | PanelName)[] = [...seriesNames, ...panelNames]

export const StatisticsRow = Type.Object(
  { value: Type.String({ examples: ['/pricing'] }), count: Type.Integer({ examples: [42] }) },
  { additionalProperties: false },
)
export type StatisticsRow = Static<typeof StatisticsRow>

export const rowDetailNames = ['visitors', 'visits', 'pageviews', 'bounce_rate', 'visit_duration'] as const
export type RowDetailName = (typeof rowDetailNames)[number]
/** Null if it isn't known. */
export type RowDetails = Record<RowDetailName, number | null>

const rowDetail = <T extends TSchema & { type: string }>(schema: T) => Type.Optional(nullable(schema))

/** A row of a series or of a panel. */
export const StatisticsListRow = Type.Object(
  {
    ...StatisticsRow.properties,
    visitors: rowDetail(
      Type.Integer({ description: 'With `details`: visitors of visits with this value', examples: [31] }),
    ),
    visits: rowDetail(Type.Integer({ description: 'With `details`: visits with this value', examples: [35] })),
    pageviews: rowDetail(
      Type.Integer({
        description: 'With `details`: page views of these visits; for `page`, of this page',
        examples: [42],
      }),
    ),
    bounce_rate: rowDetail(
      Type.Number({ description: 'With `details`: bounce rate of these visits; null for `event`', examples: [41.2] }),
    ),
    visit_duration: rowDetail(
      Type.Integer({ description: 'With `details`: average length of these visits in seconds', examples: [93] }),
    ),
  },
  { additionalProperties: false },
)
export type StatisticsListRow = Static<typeof StatisticsListRow>

/** A row of a series of averages. */
const AverageRow = Type.Object(
  {
    value: Type.String({ examples: ['2026-01-05'] }),
    count: Type.Union([Type.Number(), Type.Null()], { examples: [41.2] }),
  },
  { additionalProperties: false },
)

const daySchema = (description: string) => Type.String({ format: 'date', description, examples: ['2026-01-05'] })

const Totals = Type.Object(
  {
    visitors: Type.Integer({ examples: [310] }),
    pageviews: Type.Integer({ examples: [980] }),
    visits: Type.Integer({ examples: [350] }),
    events: Type.Integer({ description: 'Custom events', examples: [17] }),
    bounce_rate: Type.Union([Type.Number(), Type.Null()], {
      description:
        'Percentage of visits with at most one page view and no event except those with `interactive: false`, with one decimal; null without visits, and with a filter by `event`',
      examples: [41.2],
    }),
    visit_duration: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Average length of a visit in seconds; null without visits',
      examples: [93],
    }),
    views_per_visit: Type.Union([Type.Number(), Type.Null()], {
      description: 'Average number of page views of a visit, with one decimal; null without visits',
      examples: [2.8],
    }),
  },
  { additionalProperties: false },
)
export type StatisticsTotals = Static<typeof Totals>

const countSeries = (description: string) => Type.Array(StatisticsRow, { description })
const averageSeries = (description: string) => Type.Array(AverageRow, { description })

const Series = Type.Object(
  {
    unit: Type.Unsafe<SeriesInterval>(
      Type.String({ enum: [...seriesIntervals], description: 'The length of a slot', examples: ['day'] }),
    ),
    visitors: countSeries('Visitors in each slot. By week and month, a visitor counts once per day.'),
    pageviews: countSeries('Page views in each slot'),
    visits: countSeries('Visits in each slot. By hour, a visit counts in the hour in which it began.'),
    events: countSeries('Custom events in each slot'),
    bounce_rate: averageSeries('Bounce rate of the visits of each slot, as in `totals`'),
    visit_duration: averageSeries('Average length of the visits of each slot, as in `totals`'),
    views_per_visit: averageSeries('Average number of page views of the visits of each slot, as in `totals`'),
    incomplete: Type.Union([Type.String(), Type.Null()], {
      description:
        'The `value` of the slot that is still running. All slots after it lie in the future. Null if the range does not contain the current time.',
      examples: ['2026-01-05'],
    }),
  },
  {
    additionalProperties: false,
    description:
      'Each metric has one row per slot, with 0 or null where nothing happened. `value` is the start of the hour (such as `2026-03-29T01:00:00+01:00`), or the first day of the slot that lies in the range.',
  },
)
export type StatisticsSeries = Static<typeof Series>

const percent = Type.Union([Type.Number(), Type.Null()], {
  description: 'Change in percent, with one decimal; null if the previous value is null or 0',
  examples: [12.5],
})

export const StatisticsOverview = Type.Object(
  {
    website: Type.Object(
      {
        id: Type.Integer({ examples: [12] }),
        domain: Type.String({ examples: ['example.com'] }),
        time_zone: Type.String({ examples: ['Europe/Berlin'] }),
        first_day: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
          description: 'The first day with traffic; null without traffic',
          examples: ['2025-11-03'],
        }),
      },
      { additionalProperties: false },
    ),
    from: daySchema('The first day, in the time zone of the website'),
    to: daySchema('The last day'),
    totals: Totals,
    previous: Type.Union(
      [
        Type.Object({
          from: daySchema('The first day of the earlier period'),
          to: daySchema('The last day of the earlier period'),
          until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
            description:
              'If the range contains today, `totals` counts the earlier period only until this time, which corresponds to now. Null if `totals` counts the whole period.',
            examples: [null],
          }),
          totals: Totals,
          series: Series,
        }),
        Type.Null(),
      ],
      { description: 'The earlier period; null without `compare`', examples: [null] },
    ),
    change: Type.Union(
      [
        Type.Object({
          visitors: percent,
          pageviews: percent,
          visits: percent,
          events: percent,
          bounce_rate: percent,
          visit_duration: percent,
          views_per_visit: percent,
        }),
        Type.Null(),
      ],
      {
        description:
          'Change from `previous.totals` to `totals`; null without `compare`. If the range contains today but `previous.until` is null, today and the day that it is compared with are omitted',
        examples: [null],
      },
    ),
    visitors_now: Type.Integer({ description: 'Visitors of the last five minutes', examples: [3] }),
    series: Series,
    panels: Type.Object(
      Object.fromEntries(panelNames.map((name) => [name, Type.Array(StatisticsRow)])) as Record<
        PanelName,
        ReturnType<typeof Type.Array<typeof StatisticsRow>>
      >,
      { additionalProperties: false, description: 'The ten rows with the largest counts of each panel' },
    ),
  },
  { additionalProperties: false },
)
export type StatisticsOverview = Static<typeof StatisticsOverview>

export const StatisticsOverviewResponse = itemResponse(StatisticsOverview)
