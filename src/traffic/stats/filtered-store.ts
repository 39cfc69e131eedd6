/** SQL of statistics over a part of the traffic: a count over the events and visits that fit. */
import { askAnew } from '../../storage/ask.ts'
import type { Queries } from '../../storage/client.ts'
import type { Row } from '../../storage/flight.ts'
import { type Dimension, dimensions, visitDimensions, visitorDimensions } from '../dimensions.ts'
import { addCount, type Sums } from '../packed.ts'
import type { Days, DayTotalsRow } from './counts-store.ts'

/** Numbers of values, by what they are the value of. Alternatives within a list; lists hold together. */
export type Condition = { name: Exclude<Dimension, 'view_hours' | 'visitor_hours'>; ids: readonly number[] }

export interface Filtered {
  totals: DayTotalsRow[]
  sums: Map<Dimension, Sums>
  hours: { view_hours: Map<string, Sums>; visitor_hours: Map<string, Sums> }
}

/** More than any clock differs from UTC, however its zone has changed since. */
const SLACK = `interval '2 days'`

/** A visitor with two visits of one day counts once by each value: by the least and by the greatest, where they differ. */
const low = visitDimensions.map((name) => `min(${name}) as low_${name}`)
const high = visitDimensions.map((name) => `nullif(max(${name}), min(${name})) as high_${name}`)
const sets = [
  ...visitorDimensions.map((name) => ({ column: name as string, dimension: dimensions[name] })),
  ...visitDimensions.flatMap((name) => [
    { column: `low_${name}`, dimension: dimensions[name] },
    { column: `high_${name}`, dimension: dimensions[name] },
  ]),
]

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
const FIRST_CONDITION = 4

const fits = (column: string, name: Condition['name']) => {
  const parameter = `$${FIRST_CONDITION + names.indexOf(name)}::integer[]`
  return `and (${parameter} is null or ${column} = any (${parameter}))`
}

/** A name that is asked for twice, as a country and by its continent, has to be both. */
function valuesOf(conditions: readonly Condition[]): (readonly number[] | null)[] {
  return names.map((name) => {
    const [first, ...others] = conditions.filter((condition) => condition.name === name).map(({ ids }) => new Set(ids))
    return first === undefined ? null : [...others.reduce((common, ids) => common.intersection(ids), first)]
  })
}

/** Beside the totals of each day. */
export interface Wanted {
  panels: boolean
  hours: boolean
}

/** One statement, so that what fits is looked for once. Sums as integers: those of bigint are numeric, and several times slower. `choosesVisits`: not every visit with a hit is meant. */
function compose(choosesVisits: boolean, wanted: Wanted): string {
  const ofSeen = choosesVisits ? 'where visit_id in (select id from seen)' : ''
  const ofHits = Object.entries(ofEvents).map(([name, column]) => fits(`e.${column}`, name as Condition['name']))
  return `with hits as materialized (
      select e.visit_id, e.kind, e.page, e.name ${wanted.hours ? ', e.day, e.hour' : ''} from events e
       where e.website_id = $1 and e.at >= $2::date - ${SLACK} and e.at < $3::date + ${SLACK}
         and e.day between $2 and $3 and e.kind < 3 ${ofHits.join(' ')}
    ), per_visit as (
      select visit_id, count(*) filter (where kind = 1)::integer as views, count(*)::integer as hits
             ${wanted.hours ? ', bit_or(1 << hour) as hours' : ''}
        from hits group by visit_id
    ), seen as materialized (
      select v.day, v.visitor, v.id, p.views, p.hits - p.views as events ${wanted.hours ? ', p.hours' : ''},
             (v.views = 1 and v.actions = 0)::integer as bounces, v.last_at - v.started_at as duration,
             ${[...visitorDimensions, ...visitDimensions].map((name) => `v.${name}`).join(', ')}
        from visits v join per_visit p on p.visit_id = v.id
       where v.website_id = $1 and v.day between $2 and $3 ${ofVisits.map((name) => fits(`v.${name}`, name)).join(' ')}
    ), visitors as materialized (
      select day, visitor, count(*)::integer as visits, sum(views)::integer as views, sum(events)::integer as events,
             sum(bounces)::integer as bounces, sum(duration) as duration ${wanted.hours ? ', bit_or(hours) as hours' : ''}
             ${wanted.panels ? [', ', [...visitorDimensions.map((name) => `min(${name}) as ${name}`), ...low, ...high].join(', ')].join('') : ''}
        from seen group by day, visitor
    )
    select 'totals' as part, day::text as day, count(*)::integer as key, sum(visits)::bigint as a, sum(bounces)::bigint as b,
           (extract(epoch from sum(duration)) * 1000)::bigint as c, sum(views)::bigint as d, sum(events)::bigint as e
      from visitors group by day
    ${wanted.panels ? `union all ${panels(ofSeen)}` : ''} ${wanted.hours ? `union all ${hours(ofSeen)}` : ''}`
}

/** Numbers of dimensions in `a`, counts in `b`. */
function panels(ofSeen: string): string {
  const grouping = sets.map(({ column }) => column).join(', ')
  return `select 'panel', null, coalesce(${grouping}),
        case grouping(${grouping}) ${sets.map(({ dimension }, index) => `when ${maskOf(index)} then ${dimension}`).join(' ')} end,
        count(*), null, null, null
      from visitors group by grouping sets (${sets.map(({ column }) => `(${column})`).join(', ')})
      having coalesce(${grouping}) is not null
    union all
    select 'panel', null, value, dimension, count(*), null, null, null from (
      select distinct s.day, s.visitor, dimension, value
        from visitors v join seen s on s.day = v.day and s.visitor = v.visitor
        cross join lateral (values ${visitDimensions
          .map((name) => `(${dimensions[name]}, s.${name}, v.low_${name}, v.high_${name})`)
          .join(', ')}) between_them (dimension, value, low, high)
       where v.visits > 2 and value > low and value < high) rest group by value, dimension
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

export async function readFiltered(
  q: Queries,
  { websiteId, from, to }: Days,
  conditions: readonly Condition[],
  wanted: Wanted,
): Promise<Filtered> {
  const choosesVisits = conditions.some(({ name }) => !(name in ofEvents))
  const text = compose(choosesVisits, wanted)
  const [, found] = await askAnew(q, settings, { text, values: [websiteId, from, to, ...valuesOf(conditions)] })
  return gather(found?.rows ?? [])
}

function gather(rows: readonly Row[]): Filtered {
  const totals: DayTotalsRow[] = []
  const sums = new Map<Dimension, Sums>()
  const hours: Filtered['hours'] = { view_hours: new Map(), visitor_hours: new Map() }
  const names = new Map(Object.entries(dimensions).map(([name, number]) => [number as number, name as Dimension]))
  for (const { part, day, key, a, b, c, d, e } of rows) {
    if (part === 'totals') {
      totals.push({ day, visitors: key, visits: a, bounces: b, durationMs: c, views: d, events: e })
    } else if (part === 'panel')
      addCount(
        sums.getOrInsertComputed(names.get(a) as Dimension, () => new Map()),
        key,
        b,
      )
    else
      addCount(
        hours[part as keyof Filtered['hours']].getOrInsertComputed(day, () => new Map()),
        key,
        a,
      )
  }
  return { totals, sums, hours }
}
