/**
 * SQL for statistics of a part of a day. Totals of days can't be divided, so it counts visits and events. The result is what a
 * request at the time `until` would have returned: a visit that was still running has the length that it had then, and is a
 * bounce if it was one then.
 *
 * Events don't store whether they were passive (`interactive: false`), but a visit stores its number of actions. If it is 0, all
 * custom events of the visit were passive. Otherwise its custom events before `until` count as actions.
 */
import type { Queries } from '../../storage/client.ts'
import { queryWithFreshPlan } from '../../storage/statements.ts'
import type { DayTotalsRow, StoredDayTotals } from './counts-store.ts'
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

/** Because of row-level security, PostgreSQL expects a handful of rows, and would join the tables in a nested loop. */
const noNestedLoops = { text: `select set_config('enable_nestloop', 'off', true)` }

type PartialDayTotals = StoredDayTotals & {
  /**
   * How many visits of the whole day are stored. The day can have more: visits that were imported as totals, and visits that
   * were deleted because of their age.
   */
  storedVisits: number
}

/** Reads all visits of the day, but only two kinds of events: custom events, and those of visits that were running at `until`. */
export async function countDayUntil(q: Queries, { websiteId, day, until }: PartialDay): Promise<PartialDayTotals> {
  const [, result] = await queryWithFreshPlan(q, noNestedLoops, {
    text: `
      with visits_of_day as materialized (
        select id, visitor, started_at, last_at, views, actions, started_at < $3 and last_at >= $3 as is_running
          from visits
         where website_id = $1 and day = $2
      ), running_visits as (
        select e.visit_id, max(e.at) as last_at, count(*) filter (where e.kind = 1) as views,
               count(*) filter (where e.kind = 2) as events
          from events e
         where e.website_id = $1 and e.day = $2 and e.at < $3
           and e.visit_id in (select id from visits_of_day where is_running)
           -- An event that arrives late can be older than its visit.
           and e.at >= (select min(started_at) from visits_of_day where is_running) - interval '10 minutes'
         group by e.visit_id
      ), visits_then as (
        select v.visitor, coalesce(r.views, v.views) as views,
               coalesce(r.views <= 1 and (r.events = 0 or v.actions = 0), v.views <= 1 and v.actions = 0) as is_bounce,
               greatest(coalesce(r.last_at, v.last_at), v.started_at) - v.started_at as duration
          from visits_of_day v left join running_visits r on r.visit_id = v.id
         where v.started_at < $3
      )
      select $2::date::text as day, count(distinct visitor) as visitors, count(*) as visits,
             count(*) filter (where is_bounce) as bounces,
             coalesce((extract(epoch from sum(duration)) * 1000)::bigint, 0) as "durationMs",
             coalesce(sum(views)::bigint, 0) as views,
             case when (select events from traffic_days where website_id = $1 and day = $2) = 0 then 0
                  else (select count(*) from events
                         where website_id = $1 and day = $2 and kind = 2 and at < $3
                           and at >= (select min(started_at) from visits_of_day) - interval '10 minutes')
             end as events,
             (select count(*) from visits_of_day) as "storedVisits"
        from visits_then`,
    values: [websiteId, day, until],
  })
  return result?.rows[0] as PartialDayTotals
}

/** Filters by exit page use the last page of the whole visit. */
const filteredStatement = `
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
       and e.at >= (select min(started_at) from visits_so_far) - interval '10 minutes'
     group by e.visit_id
  )
  select $2::date::text as day, count(distinct v.visitor) as visitors, count(*) as visits,
         count(*) filter (where e.views <= 1 and (e.events = 0 or v.actions = 0)) as bounces,
         coalesce((extract(epoch from sum(greatest(e.last_at, v.started_at) - v.started_at)) * 1000)::bigint, 0) as "durationMs",
         coalesce(sum(e.matching_views)::bigint, 0) as views, coalesce(sum(e.matching_events)::bigint, 0) as events
    from visits_so_far v join events_per_visit e on e.visit_id = v.id
   where case when $4 then e.matching_events > 0 else e.matching_views + e.matching_events > 0 end`

export async function countMatchingDayUntil(
  q: Queries,
  { websiteId, day, until }: PartialDay,
  conditions: readonly FilterCondition[],
): Promise<DayTotalsRow> {
  const isByEvent = selectsByEvent(conditions)
  const [, result] = await queryWithFreshPlan(q, plannerSettings, {
    text: filteredStatement,
    values: [websiteId, day, until, isByEvent, ...listConditionValues(conditions)],
  })
  const totals = result?.rows[0] as StoredDayTotals
  return isByEvent ? { ...totals, bounces: null } : totals
}
