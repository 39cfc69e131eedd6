/** SQL of the totals of each value of a dimension, on days whose visits are not packed. */
import { queryWithFreshPlan } from '../../storage/statements.ts'
import type { Queries } from '../../storage/transaction.ts'
import { type Dimension, dimensionTable } from '../model/dimensions.ts'
import { buildMatchingVisitsSql, type FilterCondition, listConditionValues, plannerSettings } from './filtered-store.ts'

export interface RowTotalsOfValue {
  /** The id of the value. */
  value: number
  visitors: number
  visits: number
  views: number
  events: number
  bounces: number
  durationMs: number
}

/** One row for each visit and value. A page has the views of this page; any other value has all views of the visit. */
function buildVisitsOfValuesSql(dimension: Dimension): string {
  const { scope } = dimensionTable[dimension]
  const visitColumns = 'v.day, v.visitor, v.bounces, v.duration'
  if (scope === 'view') {
    return `select h.page as value, count(*) filter (where h.kind = 1)::integer as views, 0 as events, ${visitColumns}
              from hits h join matching_visits v on v.id = h.visit_id
             where h.page is not null
             group by h.page, v.id, ${visitColumns}`
  }
  if (scope === 'event') {
    return `select h.name as value, v.views, count(*)::integer as events, ${visitColumns}
              from hits h join matching_visits v on v.id = h.visit_id
             where h.kind = 2 and h.name is not null
             group by h.name, v.id, v.views, ${visitColumns}`
  }
  return `select v.${dimension} as value, v.views, 0 as events, ${visitColumns}
            from matching_visits v
           where v.${dimension} is not null`
}

const buildStatement = (dimension: Dimension) => `
  with ${buildMatchingVisitsSql(false)}, visits_of_values as (
    ${buildVisitsOfValuesSql(dimension)}
  ), visitors_of_values as (
    select value, count(*)::integer as visits, sum(views)::integer as views, sum(events)::integer as events,
           sum(bounces)::integer as bounces, sum(duration) as duration
      from visits_of_values
     group by value, day, visitor
  )
  select value, count(*) as visitors, sum(visits)::bigint as visits, sum(views)::bigint as views,
         sum(events)::bigint as events, sum(bounces)::bigint as bounces,
         (extract(epoch from sum(duration)) * 1000)::bigint as "durationMs"
    from visitors_of_values
   group by value
  union all
  select null, null, count(*), null, null, null, null from matching_visits`

interface RowTotalsQuery {
  websiteId: number
  /** In ascending order. */
  days: readonly string[]
  conditions: readonly FilterCondition[]
  dimension: Dimension
}

export async function countRowTotals(
  q: Queries,
  { websiteId, days, conditions, dimension }: RowTotalsQuery,
): Promise<{ rows: RowTotalsOfValue[]; visitCount: number }> {
  const [, result] = await queryWithFreshPlan(q, plannerSettings, {
    text: buildStatement(dimension),
    values: [websiteId, days[0], days.at(-1), days, ...listConditionValues(conditions)],
  })
  const rows = (result?.rows ?? []) as RowTotalsOfValue[]
  const isOfValue = ({ value }: RowTotalsOfValue) => value !== null
  const visitCount = rows.find((row) => !isOfValue(row))?.visits ?? 0
  return { rows: rows.filter(isOfValue), visitCount }
}
