/** SQL of statistics of a part of a day. Totals of days cannot be divided, so it counts the visits and events of the day. */
import type { Queries } from '../../storage/client.ts'
import { queryWithFreshPlan } from '../../storage/statements.ts'
import type { DayTotalsRow } from './counts-store.ts'
import {
  buildCondition,
  buildVisitConditions,
  type FilterCondition,
  listConditionValues,
  plannerSettings,
  selectsByEvent,
} from './filtered-store.ts'

interface PartialDay {
  websiteId: number
  day: string
  until: Date
}

/**
 * Counts what had happened before `until`, as an answer at that time would have. A visit that was still going on is as long as
 * it was then, and a bounce if it was one then. Filters by exit page use the last page of the whole visit.
 *
 * Events don't store whether they were passive, so the visit tells: without actions, all its custom events were passive.
 * Otherwise its custom events before `until` count as actions.
 */
const statement = `
  with visits_so_far as materialized (
    select v.id, v.visitor, v.started_at, v.actions
      from visits v
     where v.website_id = $1 and v.day = $2 and v.started_at < $3
       and ${buildVisitConditions('v')}
  ), events_per_visit as (
    select e.visit_id, max(e.at) as last_at,
           count(*) filter (where e.kind = 1) as views,
           count(*) filter (where e.kind = 2) as events,
           count(*) filter (where e.kind = 1 and ${buildCondition('e.page', 'page')}) as matching_views,
           count(*) filter (where e.kind = 2 and ${buildCondition('e.page', 'page')}
                              and ${buildCondition('e.name', 'event')}) as matching_events
      from events e
     where e.website_id = $1 and e.day = $2 and e.at < $3
       -- Limits the partitions that are read. Two days are more than any time zone differs from UTC.
       and e.at >= $2::date - interval '2 days'
     group by e.visit_id
  )
  select count(distinct v.visitor) as visitors, count(*) as visits,
         count(*) filter (where e.views = 1 and (e.events = 0 or v.actions = 0)) as bounces,
         coalesce((extract(epoch from sum(greatest(e.last_at, v.started_at) - v.started_at)) * 1000)::bigint, 0) as "durationMs",
         coalesce(sum(e.matching_views)::bigint, 0) as views, coalesce(sum(e.matching_events)::bigint, 0) as events,
         (select count(*) from visits where website_id = $1 and day = $2) as "storedVisits"
    from visits_so_far v join events_per_visit e on e.visit_id = v.id
   where case when $4 then e.matching_events > 0 else e.matching_views + e.matching_events > 0 end`

export interface PartialDayTotals {
  totals: DayTotalsRow
  /**
   * How many visits of the whole day are stored. The day can have more: visits that were imported as totals, and visits that
   * were deleted because of their age.
   */
  storedVisits: number
}

export async function countDayUntil(
  q: Queries,
  { websiteId, day, until }: PartialDay,
  conditions: readonly FilterCondition[],
): Promise<PartialDayTotals> {
  const isByEvent = selectsByEvent(conditions)
  const values = [websiteId, day, until, isByEvent, ...listConditionValues(conditions)]
  const [, result] = await queryWithFreshPlan(q, plannerSettings, { text: statement, values })
  const [row] = (result?.rows ?? []) as (Omit<DayTotalsRow, 'day'> & { storedVisits: number })[]
  if (row === undefined) throw new Error('A count always returns a row.')
  const { storedVisits, bounces, ...totals } = row
  return { totals: { ...totals, day, bounces: isByEvent ? null : bounces }, storedVisits }
}
