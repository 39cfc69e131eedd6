/** SQL of statistics over a part of the traffic: a count over the events and visits that fit, and visits that are packed. */

import type { Queries } from '../../storage/client.ts'
import { queryWithFreshPlan } from '../../storage/statements.ts'
import { type Dimension, dimensions, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import type { DayTotalsRow, WebsiteDays } from './counts-store.ts'

/** Numbers of values, by what they are the value of. Alternatives within a list; lists hold together. */
export type FilterCondition = { name: Exclude<Dimension, 'view_hours' | 'visitor_hours'>; ids: readonly number[] }

/** More than any clock differs from UTC, however its zone has changed since. */
const SLACK = `interval '2 days'`

/** A visitor with several visits of one day counts once by each value: here by the least, see `panels` for the others. */
const sets = [...visitorDimensions, ...visitDimensions]

/** PostgreSQL expects a handful of rows behind row level security, and would look each up in the other table. */
const settings = {
  text: `select set_config('enable_nestloop', 'off', true), set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
           set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
           set_config('min_parallel_table_scan_size', '0', true)`,
}

/** Every condition has its place in the statement, whether it is asked for or not: as many statements as there are sets of
 * filters would have to be prepared otherwise. null: anything fits. */
const ofEvents = { page: 'page', event: 'name' } as const
const ofVisits = [...visitDimensions, ...visitorDimensions] as const
const names = [...(Object.keys(ofEvents) as (keyof typeof ofEvents)[]), ...ofVisits]
const FIRST_CONDITION = 5

const fits = (column: string, name: FilterCondition['name']) => {
  const parameter = `$${FIRST_CONDITION + names.indexOf(name)}::integer[]`
  return `and (${parameter} is null or ${column} = any (${parameter}))`
}

/** A name that is asked for twice, as a country and by its continent, has to be both. */
function valuesOf(conditions: readonly FilterCondition[]): (readonly number[] | null)[] {
  return names.map((name) => {
    const fitting = findMatchingIds(conditions, name)
    return fitting === undefined ? null : [...fitting]
  })
}

/** undefined: anything fits. */
export function findMatchingIds(
  conditions: readonly FilterCondition[],
  name: FilterCondition['name'],
): Set<number> | undefined {
  const [first, ...others] = conditions.filter((condition) => condition.name === name).map(({ ids }) => new Set(ids))
  return first === undefined ? undefined : others.reduce((common, ids) => common.intersection(ids), first)
}

/** Beside the totals of each day. */
export interface FilteredParts {
  panels: boolean
  hours: boolean
}

/** One statement, so that what fits is looked for once. Sums as integers: those of bigint are numeric, and several times slower. `choosesVisits`: not every visit with a hit is meant. */
function compose(choosesVisits: boolean, wanted: FilteredParts): string {
  const ofSeen = choosesVisits ? 'where visit_id in (select id from seen)' : ''
  const ofHits = Object.entries(ofEvents).map(([name, column]) => fits(`e.${column}`, name as FilterCondition['name']))
  return `with hits as materialized (
      select e.visit_id, e.kind, e.page, e.name ${wanted.hours ? ', e.day, e.hour' : ''} from events e
       where e.website_id = $1 and e.at >= $2::date - ${SLACK} and e.at < $3::date + ${SLACK}
         and e.day = any ($4::date[]) and e.kind < 3 ${ofHits.join(' ')}
    ), per_visit as (
      select visit_id, count(*) filter (where kind = 1)::integer as views, count(*)::integer as hits
             ${wanted.hours ? ', bit_or(1 << hour) as hours' : ''}
        from hits group by visit_id
    ), seen as materialized (
      select v.day, v.visitor, v.id, p.views, p.hits - p.views as events ${wanted.hours ? ', p.hours' : ''},
             (v.views = 1 and v.actions = 0)::integer as bounces, v.last_at - v.started_at as duration,
             ${[...visitorDimensions, ...visitDimensions].map((name) => `v.${name}`).join(', ')}
        from visits v join per_visit p on p.visit_id = v.id
       where v.website_id = $1 and v.day between $2 and $3 and v.day = any ($4::date[]) ${ofVisits.map((name) => fits(`v.${name}`, name)).join(' ')}
    ), visitors as materialized (
      select day, visitor, count(*)::integer as visits, sum(views)::integer as views, sum(events)::integer as events,
             sum(bounces)::integer as bounces, sum(duration) as duration ${wanted.hours ? ', bit_or(hours) as hours' : ''}
             ${wanted.panels ? sets.map((name) => `, min(${name}) as ${name}`).join('') : ''}
        from seen group by day, visitor
    )
    select 'totals' as part, day::text as day, count(*)::integer as key, sum(visits)::bigint as a, sum(bounces)::bigint as b,
           (extract(epoch from sum(duration)) * 1000)::bigint as c, sum(views)::bigint as d, sum(events)::bigint as e
      from visitors group by day
    ${wanted.panels ? `union all ${panels(ofSeen)}` : ''} ${wanted.hours ? `union all ${hours(ofSeen)}` : ''}`
}

/** Numbers of dimensions in `a`, counts in `b`. */
function panels(ofSeen: string): string {
  const grouping = sets.join(', ')
  return `select 'panel', null, coalesce(${grouping}),
        case grouping(${grouping}) ${sets.map((name, index) => `when ${maskOf(index)} then ${dimensions[name]}`).join(' ')} end,
        count(*), null, null, null
      from visitors group by grouping sets (${sets.map((name) => `(${name})`).join(', ')})
      having coalesce(${grouping}) is not null
    union all
    select 'panel', null, value, dimension, count(*), null, null, null from (
      select distinct s.day, s.visitor, dimension, value
        from visitors v join seen s on s.day = v.day and s.visitor = v.visitor
        cross join lateral (values ${visitDimensions
          .map((name) => `(${dimensions[name]}, s.${name}, v.${name})`)
          .join(', ')}) of_visit (dimension, value, least)
       where v.visits > 1 and value > least) others group by value, dimension
    union all
    select 'panel', null, page, ${dimensions.page}, count(*), null, null, null
      from (select page, kind from hits ${ofSeen}) h where kind = 1 group by page
    union all
    select 'panel', null, name, ${dimensions.event}, count(*), null, null, null
      from (select name, kind from hits ${ofSeen}) h where kind = 2 group by name`
}

function hours(ofSeen: string): string {
  return `select 'view_hours', day::text, hour, count(*), null, null, null, null
      from (select day, hour, kind from hits ${ofSeen}) h where kind = 1 group by day, hour
    union all
    select 'visitor_hours', day::text, hour, count(*), null, null, null, null
      from visitors cross join generate_series(0, 24) hour where (hours >> hour) & 1 = 1 group by day, hour`
}

/** What grouping() says where one column is grouped by and no other. */
function maskOf(index: number): number {
  return 2 ** sets.length - 1 - 2 ** (sets.length - 1 - index)
}

export type FilteredRow =
  | ({ part: 'totals' } & DayTotalsRow)
  | { part: 'panel'; dimension: Dimension; value: number; count: number }
  | { part: 'view_hours' | 'visitor_hours'; day: string; hour: number; count: number }

/** Of some days, in their order. */
export async function countMatchingEvents(
  q: Queries,
  websiteId: number,
  days: readonly string[],
  conditions: readonly FilterCondition[],
  wanted: FilteredParts,
): Promise<FilteredRow[]> {
  const choosesVisits = conditions.some(({ name }) => !(name in ofEvents))
  const text = compose(choosesVisits, wanted)
  const values = [websiteId, days[0], days.at(-1), days, ...valuesOf(conditions)]
  const [, found] = await queryWithFreshPlan(q, settings, { text, values })
  return (found?.rows ?? []).map(({ part, day, key, a, b, c, d, e }): FilteredRow => {
    if (part === 'totals') {
      return { part, day, visitors: key, visits: a, bounces: b, durationMs: c, views: d, events: e }
    }
    if (part === 'panel') return { part, dimension: dimensionNames.get(a) as Dimension, value: key, count: b }
    return { part, day, hour: key, count: a }
  })
}

const dimensionNames = new Map(
  Object.entries(dimensions).map(([name, number]) => [number as number, name as Dimension]),
)

export interface PackedDaySize {
  day: string
  /** How many letters its packed visits are; null: they are not packed. */
  letters: number | null
}

/** Those on which something happened. */
export async function readPackedDaySizes(q: Queries, { websiteId, from, to }: WebsiteDays): Promise<PackedDaySize[]> {
  return q.query<PackedDaySize>(
    `select day::text as day, octet_length(packed_visits) as letters from traffic_days
      where website_id = $1 and day between $2 and $3 order by traffic_days.day`,
    [websiteId, from, to],
  )
}

export async function readPackedVisits(
  q: Queries,
  websiteId: number,
  days: readonly string[],
): Promise<{ day: string; packed: string }[]> {
  return q.query(
    `select day::text as day, packed_visits as packed from traffic_days where website_id = $1 and day = any ($2::date[])`,
    [websiteId, days],
  )
}
