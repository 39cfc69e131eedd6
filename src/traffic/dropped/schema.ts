import { type Static, Type } from 'typebox'
import { listOf, oneOf } from '../../lib/schemas.ts'
import { siteDropReasons } from '../model/drop-reasons.ts'
import { StatisticsRow } from '../stats/schema.ts'

const day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-01-05'] })

export const Dropped = Type.Object(
  {
    reason: oneOf(siteDropReasons, { description: 'As in X-Belfry-Dropped', examples: ['bot'] }),
    count: Type.Integer({ description: 'Events', examples: [120] }),
    series: Type.Array(StatisticsRow, {
      description: 'Every day of the range, with 0 where nothing was dropped',
      examples: [[{ value: '2026-01-05', count: 120 }]],
    }),
  },
  { additionalProperties: false },
)
export type Dropped = Static<typeof Dropped>

export const DroppedList = listOf(
  Dropped,
  Type.Object(
    {
      from: day('The first day, by the clock of the website'),
      to: day('The last day'),
      total: Type.Integer({ description: 'For whichever reason', examples: [124] }),
    },
    { additionalProperties: false },
  ),
)
export type DroppedList = Static<typeof DroppedList>
