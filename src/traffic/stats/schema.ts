/** Statistics as they are asked for and answered. */
import { type Static, Type } from 'typebox'
import { one } from '../../lib/schemas.ts'

export const seriesNames = ['visitors', 'pageviews', 'visitors_hours', 'pageviews_hours'] as const
export type SeriesName = (typeof seriesNames)[number]

export const panelNames = [
  'page',
  'landing_page',
  'exit_page',
  'referrer',
  'source',
  'campaign',
  'continent',
  'country',
  'region',
  'city',
  'language',
  'browser',
  'os',
  'device',
  'resolution',
  'event',
] as const
export type PanelName = (typeof panelNames)[number]

export const statisticsNames = [...seriesNames, ...panelNames] as const

export const StatisticsRow = Type.Object(
  { value: Type.String({ examples: ['/pricing'] }), count: Type.Integer({ examples: [42] }) },
  { additionalProperties: false },
)
export type StatisticsRow = Static<typeof StatisticsRow>

const day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-01-05'] })

const Totals = Type.Object(
  {
    visitors: Type.Integer({ examples: [310] }),
    pageviews: Type.Integer({ examples: [980] }),
    visits: Type.Integer({ examples: [350] }),
    events: Type.Integer({ description: 'Events with a name', examples: [17] }),
    bounce_rate: Type.Union([Type.Number(), Type.Null()], {
      description: 'Percent of visits with one page view and no event, to one decimal; null without visits',
      examples: [41.2],
    }),
    visit_duration: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Seconds a visit lasts on average; null without visits',
      examples: [93],
    }),
  },
  { additionalProperties: false },
)
export type StatisticsTotals = Static<typeof Totals>

const percent = Type.Union([Type.Number(), Type.Null()], {
  description: 'Percent, to one decimal; null where there was nothing before',
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
    from: day('The first day, by the clock of the website'),
    to: day('The last day'),
    totals: Totals,
    previous: Type.Union(
      [
        Type.Object({ from: day('As many days before'), to: day('The day before `from`'), totals: Totals }),
        Type.Null(),
      ],
      { description: 'With compare=previous', examples: [null] },
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
      { description: 'From the previous period to this one, with compare=previous', examples: [null] },
    ),
    visitors_now: Type.Integer({ description: 'Seen within the last five minutes', examples: [3] }),
    series: Type.Object(
      {
        unit: Type.Union([Type.Literal('hour'), Type.Literal('day')], {
          description: 'Hours where one day is asked for',
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
      { additionalProperties: false, description: 'The ten largest of each' },
    ),
  },
  { additionalProperties: false },
)
export type StatisticsOverview = Static<typeof StatisticsOverview>

export const StatisticsOverviewResponse = one(StatisticsOverview)
