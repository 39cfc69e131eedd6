import { type Static, Type } from 'typebox'
import { listResponse, stringEnum } from '../../lib/schemas.ts'
import { websiteDropReasons } from '../model/drop-reasons.ts'
import { StatisticsRow } from '../stats/schema.ts'

const daySchema = (description: string) => Type.String({ format: 'date', description, examples: ['2026-01-05'] })

export const DroppedByReason = Type.Object(
  {
    reason: stringEnum(websiteDropReasons, { description: 'As in the X-Belfry-Dropped header', examples: ['bot'] }),
    count: Type.Integer({ description: 'Number of dropped events', examples: [120] }),
    series: Type.Array(StatisticsRow, {
      description: 'One entry per day of the range, including days with 0',
      examples: [[{ value: '2026-01-05', count: 120 }]],
    }),
  },
  { additionalProperties: false },
)
export type DroppedByReason = Static<typeof DroppedByReason>

export const DroppedList = listResponse(
  DroppedByReason,
  Type.Object(
    {
      from: daySchema('First day, in the time zone of the website'),
      to: daySchema('Last day'),
      total: Type.Integer({ description: 'Dropped events for all reasons', examples: [124] }),
    },
    { additionalProperties: false },
  ),
)
export type DroppedList = Static<typeof DroppedList>
