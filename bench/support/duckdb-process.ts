/** Loads events into DuckDB, and answers the questions of `duckdb-baseline.ts`. Takes the folder of the CSV files as its argument. */
import { rm, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import {
  type Dimension,
  dimensionTable,
  visitDimensions,
  visitorDimensions,
} from '../../src/traffic/model/dimensions.ts'
import { toLikePattern } from '../../src/traffic/stats/filters.ts'
import type { DuckDbLoaded, DuckDbOverview, DuckDbQuery, DuckDbResult } from './duckdb-baseline.ts'

const TOP_ROWS_PER_PANEL = 10
const [folder = '.'] = process.argv.slice(2)
const databaseFile = join(folder, 'baseline.duckdb')
const instance = await DuckDBInstance.create(databaseFile, { threads: String(availableParallelism()) })
const connection = await instance.connect()
const dimensionsOfVisits = [...visitorDimensions, ...visitDimensions]
const visitorScope = new Set<Dimension>(visitorDimensions)
const visitScope = new Set<Dimension>(visitDimensions)

async function readRows<T>(sql: string): Promise<T[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJS() as T[]
}

function readCsv(name: string, columns: Record<string, string>): string {
  const types = Object.entries(columns).map(([column, type]) => `'${column}': '${type}'`)
  return `read_csv('${join(folder, `${name}.csv`)}', header = true, columns = {${types.join(', ')}})`
}

/** Whether a visit is the first of its visitor, and whether the visitor has several. The visits of a visitor are adjacent. */
const visitorFlags = `visitor is distinct from lag(visitor) over () as is_first,
  visitor is not distinct from lag(visitor) over () or visitor is not distinct from lead(visitor) over () as is_repeated`

/**
 * The layout with the fastest answers. Rows are in the order of days and visitors, so DuckDB skips other days, and compresses well.
 * Visitors of a day and visits have small numbers. Hits, which are page views and custom events, repeat the dimensions of their
 * visit, so that most questions need no join. Times on pages are stored but not needed.
 */
async function load(): Promise<void> {
  const events = readCsv('events', {
    at: 'timestamptz',
    visit_id: 'bigint',
    kind: 'tinyint',
    page: 'integer',
    name: 'integer',
    engaged_ms: 'integer',
  })
  const visits = readCsv('visits', {
    day: 'date',
    visitor: 'bigint',
    id: 'bigint',
    is_bounce: 'tinyint',
    duration_ms: 'integer',
    ...Object.fromEntries(dimensionsOfVisits.map((name) => [name, 'integer'])),
  })
  const columns = dimensionsOfVisits.join(', ')
  await connection.run(`
    create table dimension_values as
    select * from ${readCsv('values', { id: 'integer', kind: 'integer', value: 'varchar' })} order by id`)
  await connection.run(`
    create temp table numbered_visits as
    with hit_counts as (
      select visit_id, count(*) filter (kind = 1)::integer as views, count(*) filter (kind = 2)::integer as events
        from ${events}
       where kind < 3
       group by visit_id
    )
    select v.id, row_number() over (order by day, visitor, id)::integer as visit, day,
           dense_rank() over (order by day, visitor)::integer as visitor, is_bounce, duration_ms, views, events, ${columns}
      from ${visits} v join hit_counts h on h.visit_id = v.id`)
  await connection.run(`
    create table visits as
    select visit, day, visitor, is_bounce, duration_ms, views, events, ${columns}, ${visitorFlags}
      from (select * from numbered_visits order by visit)
     order by visit`)
  await connection.run(`
    create table hits as
    select v.visit, v.day, e.kind, e.page, e.name, ${columns}
      from ${events} e join numbered_visits v on v.id = e.visit_id
     where e.kind < 3
     order by v.visit, e.at`)
  await connection.run(`
    create table engagements as
    select v.visit, e.at, e.page, e.engaged_ms
      from ${events} e left join numbered_visits v on v.id = e.visit_id
     where e.kind = 3
     order by v.visit, e.at`)
  await connection.run('drop table numbered_visits')
  await connection.run('checkpoint')
  for (const name of ['values', 'visits', 'events']) await rm(join(folder, `${name}.csv`))
}

interface MatchingRows {
  /** A FROM clause with a condition. */
  visits: string
  hits: string
}

async function findMatchingRows({ from, to, filters, panels, method }: DuckDbQuery): Promise<MatchingRows> {
  const conditionsOn = (names: ReadonlySet<Dimension>) =>
    Promise.all(filters.filter(({ dimension }) => names.has(dimension)).map(buildCondition))
  const inRange = `day between '${from}' and '${to}'`
  const onVisits = [inRange, ...(await conditionsOn(visitorScope)), ...(await conditionsOn(visitScope))]
  const onPage = await conditionsOn(new Set<Dimension>(['page']))
  const onEvent = await conditionsOn(new Set<Dimension>(['event']))
  const visitsWhere = onVisits.join(' and ')
  const hitsWhere = [...onVisits, ...onPage, ...onEvent.map((condition) => `(kind = 1 or ${condition})`)].join(' and ')
  const dependsOnHits = onPage.length + onEvent.length > 0
  // With conditions on visitors only, all visits of a visitor match or none, so the stored flags are right.
  const needsFlags = method === 'tuned' && filters.some(({ dimension }) => !visitorScope.has(dimension))
  const matchingHits = `from hits where ${hitsWhere}`
  if (!dependsOnHits && !needsFlags) return { visits: `from visits where ${visitsWhere}`, hits: matchingHits }
  const columns = dimensionsOfVisits.filter((name) => panels.includes(name))
  // The flags compare neighbouring rows. A join doesn't keep the order of rows, so they have to be sorted.
  await connection.run(`
    create or replace temp table matching_visits as
    with hit_counts as (
      select visit, count(*) filter (kind = 1)::integer as views, count(*) filter (kind = 2)::integer as events
      ${matchingHits}
       group by visit
      ${onEvent.length > 0 ? 'having count(*) filter (kind = 2) > 0' : ''}
    ), matching as (
      select ${['visit', 'day', 'visitor', 'is_bounce', 'duration_ms', 'views', 'events', ...columns].join(', ')}
        from ${dependsOnHits ? '(select * exclude (views, events) from visits) join hit_counts using (visit)' : 'visits'}
       where ${visitsWhere}
       ${needsFlags ? 'order by visit' : ''}
    )
    select * ${needsFlags ? `, ${visitorFlags}` : ''} from matching`)
  return {
    visits: 'from matching_visits where true',
    hits: onEvent.length > 0 ? `${matchingHits} and visit in (select visit from matching_visits)` : matchingHits,
  }
}

async function buildCondition({ dimension, pattern }: DuckDbQuery['filters'][number]): Promise<string> {
  const rows = await readRows<{ id: number }>(
    `select id
       from dimension_values
      where kind = ${dimensionTable[dimension].kind}
        and value like '${toLikePattern(pattern).replaceAll("'", "''")}' escape '\\'`,
  )
  const column = dimension === 'event' ? 'name' : dimension
  return rows.length === 0 ? 'false' : `${column} in (${rows.map(({ id }) => id).join(', ')})`
}

/** Counts by value id. A visitor whose visits have several values counts for each of them. */
function buildPanelCounts(panel: Dimension, { visits, hits }: MatchingRows, method: DuckDbQuery['method']): string {
  if (panel === 'page') return `select page as id, count(*) as count ${hits} and kind = 1 group by all`
  if (panel === 'event') return `select name as id, count(*) as count ${hits} and kind = 2 group by all`
  const known = `${visits} and ${panel} is not null`
  if (method === 'plain') return `select ${panel} as id, count(distinct visitor) as count ${known} group by all`
  if (visitorScope.has(panel)) return `select ${panel} as id, count(*) as count ${known} and is_first group by all`
  return `select id, sum(count) as count
            from (select ${panel} as id, count(*) as count ${known} and not is_repeated group by all
                  union all
                  select ${panel} as id, count(distinct visitor) as count ${known} and is_repeated group by all)
           group by all`
}

async function readOverview(query: DuckDbQuery): Promise<DuckDbOverview> {
  const matchingRows = await findMatchingRows(query)
  const days = await readRows<DuckDbOverview['days'][number]>(
    `select day::varchar as day,
            ${query.method === 'plain' ? 'count(distinct visitor)' : 'count_if(is_first)'}::integer as visitors,
            count(*)::integer as visits, sum(is_bounce)::integer as bounces, sum(duration_ms)::double as "durationMs",
            sum(views)::integer as views, sum(events)::integer as events
     ${matchingRows.visits}
      group by day
      order by day`,
  )
  const panels: DuckDbOverview['panels'] = {}
  for (const panel of query.panels) {
    panels[panel] = await readRows(
      `select value, count
         from (select id, count::integer as count
                 from (${buildPanelCounts(panel, matchingRows, query.method)})
                order by count desc, id
                limit ${TOP_ROWS_PER_PANEL}) top join dimension_values v on v.id = top.id
        order by count desc, top.id`,
    )
  }
  return { days, panels }
}

await load()
process.send?.({ databaseBytes: (await stat(databaseFile)).size } satisfies DuckDbLoaded)
process.on('message', async (query: DuckDbQuery) => {
  const startedAt = performance.now()
  const overview = await readOverview(query)
  process.send?.({ ms: performance.now() - startedAt, overview } satisfies DuckDbResult)
})
