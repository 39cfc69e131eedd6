/**
 * SQL of statistics that can't be read from the counts of days. For filtered statistics, it counts the events and visits that match, or
 * reads all packed visits of a day. For a part of a day, it counts the events and visits up to a time.
 */

import { queryWithFreshPlan } from '../../storage/statements.ts'
import type { Queries } from '../../storage/transaction.ts'
import {
  type Dimension,
  dimensionNames,
  dimensionTable,
  type HourColumn,
  visitDimensions,
  visitorDimensions,
} from '../model/dimensions.ts'
import {
  type DayTotalsRow,
  type EventHours,
  type StoredDayTotals,
  toHour,
  type VisitTotals,
  type WebsiteDays,
} from './store.ts'

/** The value of the dimension must have one of these ids. Several conditions must all hold. */
export interface FilterCondition {
  dimension: Dimension
  ids: readonly number[]
}

/** What to count in addition to the totals of each day. */
export interface RequestedParts {
  panels: boolean
  hours: boolean
}

/**
 * Returns the ids that meet all conditions on the dimension, or undefined if there is no condition on it. Only the country
 * can have two conditions, because a filter by continent becomes a condition on the country.
 */
export function findMatchingIds(conditions: readonly FilterCondition[], dimension: Dimension): Set<number> | undefined {
  const [first, ...others] = conditions
    .filter((condition) => condition.dimension === dimension)
    .map(({ ids }) => new Set(ids))
  return first === undefined ? undefined : others.reduce((common, ids) => common.intersection(ids), first)
}

/**
 * Row-level security makes PostgreSQL expect a handful of rows. Without these settings it would join events and visits row
 * by row, in a nested loop.
 */
export const plannerSettings = {
  text: `select set_config('enable_nestloop', 'off', true), set_config('work_mem', '64MB', true),
                set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
                set_config('min_parallel_table_scan_size', '0', true)`,
}

const dimensionsOfVisits = [...visitorDimensions, ...visitDimensions]

/**
 * From this parameter on, every dimension has one parameter: an array of ids, or null if it has no condition. A statement
 * for each combination of filters would fill the cache of prepared statements.
 */
const FIRST_CONDITION_PARAMETER = 5

const buildIdsParameter = (dimension: Dimension) =>
  `$${FIRST_CONDITION_PARAMETER + dimensionNames.indexOf(dimension)}::integer[]`

function buildCondition(column: string, dimension: Dimension): string {
  const ids = buildIdsParameter(dimension)
  return `(${ids} is null or ${column} = any (${ids}))`
}

/** Builds the conditions on all dimensions that visits have. `table` is the name that the statement uses for the table of visits. */
function buildVisitConditions(table: string): string {
  return dimensionsOfVisits.map((name) => buildCondition(`${table}.${name}`, name)).join(' and ')
}

/** The values of the parameters from `FIRST_CONDITION_PARAMETER` on. */
export function listConditionValues(conditions: readonly FilterCondition[]): (number[] | null)[] {
  return dimensionNames.map((dimension) => {
    const ids = findMatchingIds(conditions, dimension)
    return ids === undefined ? null : [...ids]
  })
}

/** A filter by event selects visits that have a matching event. The page views of these visits count, too. */
export function selectsByEvent(conditions: readonly FilterCondition[]): boolean {
  return conditions.some(({ dimension }) => dimension === 'event')
}

/** Returns the value of grouping() for rows grouped by this dimension alone: its bit is 0, and all others are 1. */
function groupingBits(index: number): number {
  const count = dimensionsOfVisits.length
  return 2 ** count - 1 - 2 ** (count - 1 - index)
}

/**
 * Three parts of a `with` clause. `hits` are the page views that meet the condition on the page, and the custom events that
 * meet the conditions on page and event name. `matching_visits` meet the conditions on dimensions of visits, such as the
 * country, and have hits. A visit meets a condition on the event name if one of its events does.
 */
export function buildMatchingVisitsSql(hours: boolean): string {
  return `hits as materialized (
      select e.visit_id, e.kind, e.page, e.name ${hours ? ', e.day, e.hour' : ''}
        from events e
       where e.website_id = $1 and e.day = any ($4::date[])
         -- Limits the partitions that are read. Two days are more than any time zone differs from UTC.
         and e.at >= $2::date - interval '2 days' and e.at < $3::date + interval '2 days'
         and e.kind < 3
         and ${buildCondition('e.page', 'page')}
         and (e.kind = 1 or ${buildCondition('e.name', 'event')})
    ), hits_per_visit as (
      select visit_id, count(*) filter (where kind = 1)::integer as views, count(*)::integer as hits
             ${hours ? ', bit_or(1 << hour) as hours' : ''}
        from hits
       group by visit_id
      having ${buildIdsParameter('event')} is null or count(*) filter (where kind = 2) > 0
    ), matching_visits as materialized (
      select v.day, v.visitor, v.id, h.views, h.hits - h.views as events ${hours ? ', h.hours, v.hours & -v.hours as first_hour_bit' : ''},
             (v.views <= 1 and v.actions = 0)::integer as bounces, v.last_at - v.started_at as duration,
             ${dimensionsOfVisits.map((name) => `v.${name}`).join(', ')}
        from visits v join hits_per_visit h on h.visit_id = v.id
       where v.website_id = $1 and v.day between $2 and $3 and v.day = any ($4::date[])
         and ${buildVisitConditions('v')}
    )`
}

/**
 * Builds a single statement, so that the matching events are read once. `excludesVisits` means that there are conditions on
 * the event name or on dimensions of visits. Then only the hits of visits that meet these conditions are counted.
 *
 * The sums per visitor are cast from bigint to integer. PostgreSQL would add up bigint values as numeric, which is several
 * times slower.
 */
function buildCountingStatement({ panels, hours }: RequestedParts, excludesVisits: boolean): string {
  const matchingHits = excludesVisits ? 'hits where visit_id in (select id from matching_visits)' : 'hits'
  const columns = dimensionsOfVisits.join(', ')
  return `
    with ${buildMatchingVisitsSql(hours)}, visitors as materialized (
      select day, visitor, count(*)::integer as visits, sum(views)::integer as views, sum(events)::integer as events,
             sum(bounces)::integer as bounces, sum(duration) as duration ${hours ? ', bit_or(hours) as hours' : ''}
             ${panels ? dimensionsOfVisits.map((name) => `, min(${name}) as ${name}`).join('') : ''}
        from matching_visits
       group by day, visitor
    )
    select 'totals' as part, day::text as day, null::integer as dimension, null::integer as value, null::bigint as count,
           count(*) as visitors, sum(visits)::bigint as visits, sum(bounces)::bigint as bounces,
           (extract(epoch from sum(duration)) * 1000)::bigint as duration_ms,
           sum(views)::bigint as views, sum(events)::bigint as events
      from visitors
     group by day
    ${
      panels
        ? `union all
    -- A visitor whose visits have different values counts once for each value. This part counts each visitor for the value
    -- with the lowest id, which for most visitors is the only one. The next part counts the other values.
    select 'panel', null,
           case grouping(${columns})
             ${dimensionsOfVisits.map((name, index) => `when ${groupingBits(index)} then ${dimensionTable[name].number}`).join(' ')}
           end,
           coalesce(${columns}), count(*), null, null, null, null, null, null
      from visitors
     group by grouping sets (${dimensionsOfVisits.map((name) => `(${name})`).join(', ')})
    having coalesce(${columns}) is not null
    union all
    -- The part above counts each visitor for only one value of a dimension, the one with the lowest id. This part counts the
    -- other values of visitors with several visits on a day.
    select 'panel', null, dimension, value, count(*), null, null, null, null, null, null
      from (select distinct m.day, m.visitor, d.dimension, d.value
              from visitors v
              join matching_visits m on m.day = v.day and m.visitor = v.visitor
             cross join lateral (
               values ${visitDimensions.map((name) => `(${dimensionTable[name].number}, m.${name}, v.${name})`).join(', ')}
             ) d (dimension, value, lowest)
             where v.visits > 1 and d.value > d.lowest) other_values
     group by dimension, value
    union all
    select 'panel', null, ${dimensionTable.page.number}, page, count(*), null, null, null, null, null, null
      from (select page, kind from ${matchingHits}) h
     where kind = 1
     group by page
    union all
    select 'panel', null, ${dimensionTable.event.number}, name, count(*), null, null, null, null, null, null
      from (select name, kind from ${matchingHits}) h
     where kind = 2
     group by name`
        : ''
    }
    ${
      hours
        ? `union all
    select 'view_hours', day::text, null, hour, count(*), null, null, null, null, null, null
      from (select day, hour, kind from ${matchingHits}) h
     where kind = 1
     group by day, hour
    union all
    select 'event_hours', day::text, null, hour, count(*), null, null, null, null, null, null
      from (select day, hour, kind from ${matchingHits}) h
     where kind = 2
     group by day, hour
    union all
    select 'visitor_hours', day::text, null, hour, count(*), null, null, null, null, null, null
      from visitors cross join generate_series(0, 24) hour
     where (hours >> hour) & 1 = 1
     group by day, hour
    union all
    select 'visit_hours', day::text, null, first_hour_bit, null, null, count(*), sum(bounces),
           (extract(epoch from sum(duration)) * 1000)::bigint, sum(views), null
      from matching_visits
     group by day, first_hour_bit`
        : ''
    }`
}

export type FilteredRow =
  | ({ part: 'totals' } & DayTotalsRow)
  | { part: 'panel'; dimension: Dimension; value: number; count: number }
  | { part: HourColumn | EventHours; day: string; hour: number; count: number }
  | ({ part: 'visit_hours'; day: string; hour: number } & VisitTotals)

const dimensionsByNumber = new Map<number, Dimension>(dimensionNames.map((name) => [dimensionTable[name].number, name]))

interface MatchingEventsQuery {
  websiteId: number
  /** In ascending order. */
  days: readonly string[]
  conditions: readonly FilterCondition[]
  parts: RequestedParts
}

export async function countMatchingEvents(
  q: Queries,
  { websiteId, days, conditions, parts }: MatchingEventsQuery,
): Promise<FilteredRow[]> {
  const excludesVisits = conditions.some(({ dimension }) => dimension !== 'page')
  const [, result] = await queryWithFreshPlan(q, plannerSettings, {
    text: buildCountingStatement(parts, excludesVisits),
    values: [websiteId, days[0], days.at(-1), days, ...listConditionValues(conditions)],
  })
  const isByEvent = selectsByEvent(conditions)
  return (result?.rows ?? []).map((row): FilteredRow => {
    const { part, day, dimension, value, count, visitors, visits, duration_ms: durationMs, views, events } = row
    const bounces = isByEvent ? null : row['bounces']
    if (part === 'totals') return { part, day, visitors, visits, bounces, durationMs, views, events }
    if (part === 'panel') return { part, dimension: dimensionsByNumber.get(dimension) as Dimension, value, count }
    if (part === 'visit_hours') return { part, day, hour: toHour(value), visits, bounces, durationMs, views }
    return { part, day, hour: value, count }
  })
}

export interface PackedDaySize {
  day: string
  /** Null if the visits of the day are not packed. */
  bytes: number | null
}

/** Days without traffic have no row. */
export async function readPackedDaySizes(q: Queries, { websiteId, from, to }: WebsiteDays): Promise<PackedDaySize[]> {
  return q.query<PackedDaySize>(
    `select day::text as day, octet_length(packed_visits) as bytes
       from traffic_days
      where website_id = $1 and day between $2 and $3
      order by traffic_days.day`,
    [websiteId, from, to],
  )
}

export async function readPackedVisits(
  q: Queries,
  websiteId: number,
  days: readonly string[],
): Promise<{ day: string; packed: string }[]> {
  return q.query(
    `select day::text as day, packed_visits as packed
       from traffic_days
      where website_id = $1 and day = any ($2::date[])`,
    [websiteId, days],
  )
}

/**
 * The part of a day before `until`. Totals of days can't be divided, so the visits and events of this part are counted. The result is
 * what a request at the time `until` would have returned: a visit that was still running has the length that it had then, and is a
 * bounce if it was one then.
 *
 * Events don't store whether they were passive (`interactive: false`), but a visit stores its number of actions. If it is 0, all
 * custom events of the visit were passive. Otherwise its custom events before `until` count as actions.
 */
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

/**
 * Reads all visits of the day, but only two kinds of events: custom events, and all events of visits that were running
 * at `until`.
 */
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

/**
 * A filter by exit page uses the last page of the whole visit, even if the visitor opened that page after the time in
 * `$3`.
 */
const countMatchingDaySql = `
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
    text: countMatchingDaySql,
    values: [websiteId, day, until, isByEvent, ...listConditionValues(conditions)],
  })
  const totals = result?.rows[0] as StoredDayTotals
  return isByEvent ? { ...totals, bounces: null } : totals
}
