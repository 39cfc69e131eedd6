import { nullable } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'

export const uptimePercent = nullable(
  Type.Number({
    description:
      'Share of the monitored time in which the monitor was up, with three decimals. 100 only without downtime; null if Belfry did not check it',
    examples: [99.639],
  }),
)
