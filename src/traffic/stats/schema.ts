/** The statistics in the API. */
import { type Static, Type } from 'typebox'
import { itemResponse } from '../../lib/schemas.ts'
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

const daySchema = (description: string) => Type.String({ format: 'date', description, examples: ['2026-01-05'] })

const Totals = Type.Object(
  {
    visitors: Type.Integer({ examples: [310] }),
    pageviews: Type.Integer({ examples: [980] }),
    visits: Type.Integer({ examples: [350] }),
    events: Type.Integer({ description: 'Custom events', examples: [17] }),
    bounce_rate: Type.Union([Type.Number(), Type.Null()], {
      description: 'Percentage of visits with a single page view and no event, with one decimal; null without visits',
      examples: [41.2],
    }),
    visit_duration: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Average length of a visit in seconds; null without visits',
      examples: [93],
    }),
  },
  { additionalProperties: false },
)
export type StatisticsTotals = Static<typeof Totals>

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
      },
      { additionalProperties: false },
    ),
    from: daySchema('The first day, in the time zone of the website'),
    to: daySchema('The last day'),
    totals: Totals,
    previous: Type.Union(
      [
        Type.Object({
          from: daySchema('The first day of the previous period, which is equally long'),
          to: daySchema('The day before `from`'),
          totals: Totals,
        }),
        Type.Null(),
      ],
      { description: 'The previous period; null without `compare=previous`', examples: [null] },
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
        }),
        Type.Null(),
      ],
      { description: 'Change since the previous period; null without `compare=previous`', examples: [null] },
    ),
    visitors_now: Type.Integer({ description: 'Visitors of the last five minutes', examples: [3] }),
    series: Type.Object(
      {
        unit: Type.Union([Type.Literal('hour'), Type.Literal('day')], {
          description: '`hour` if the range is a single day',
          examples: ['day'],
        }),
        visitors: Type.Array(StatisticsRow),
        pageviews: Type.Array(StatisticsRow),
      },
      { additionalProperties: false },
    ),
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
