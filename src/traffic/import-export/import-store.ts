/** SQL of importing: who is at it, what is there already, and totals on their way in. */
import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Queries } from '../../storage/client.ts'
import { dimensions, kindOfValue, type PanelDimension, valueKinds } from '../model/dimensions.ts'
import type { TrafficValue } from '../rollup/value-ids.ts'

/** Until the end of the transaction. false: somebody else imports into this website. */
export async function lockImport(q: Queries, websiteId: number): Promise<boolean> {
  const [row] = await q.query<{ held: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('traffic import ' || $1::bigint, 0)) as held`,
    [websiteId],
  )
  return row?.held === true
}

/** Days on which something happened. */
export async function listTrafficDays(q: Queries, websiteId: number): Promise<Set<string>> {
  const rows = await q.query<{ day: string }>('select day::text as day from traffic_days where website_id = $1', [
    websiteId,
  ])
  return new Set(rows.map(({ day }) => day))
}

/** For as long as the transaction lasts: files may be larger than memory, and the lock of the totals is not held yet. */
export async function createStagingTable(q: Queries): Promise<void> {
  await q.query(`create temporary table traffic_staging (kind smallint not null, dimension smallint not null,
    day date not null, value text collate "C" not null, count integer not null) on commit drop`)
}

export interface StagedCount {
  dimension: PanelDimension
  day: string
  value: string
  count: number
}

export async function insertStagedCounts(q: Queries, counts: readonly StagedCount[]): Promise<void> {
  await q.query(
    `insert into traffic_staging (kind, dimension, day, value, count)
     select * from unnest($1::smallint[], $2::smallint[], $3::date[], $4::text[], $5::integer[])`,
    [
      numbersLiteral(counts.map(({ dimension }) => valueKinds[kindOfValue(dimension)])),
      numbersLiteral(counts.map(({ dimension }) => dimensions[dimension])),
      textsLiteral(counts.map(({ day }) => day)),
      textsLiteral(counts.map(({ value }) => value)),
      numbersLiteral(counts.map(({ count }) => count)),
    ],
  )
}

export async function indexStagingTable(q: Queries): Promise<void> {
  await q.query('create index on traffic_staging (kind, value)')
  await q.query('create index on traffic_staging (day)')
  await q.query('analyze traffic_staging')
}

/** Each once, those behind the last one that was listed. */
export async function listStagedValues(
  q: Queries,
  websiteId: number,
  after: Pick<TrafficValue, 'kind' | 'value'>,
  most: number,
): Promise<TrafficValue[]> {
  return q.query<TrafficValue>(
    `select distinct $1::bigint as "websiteId", kind, value from traffic_staging
      where (kind, value) > ($2, $3) order by kind, value limit $4`,
    [websiteId, after.kind, after.value, most],
  )
}

/**
 * Whoever holds the traffic looks everything up one by one. Here all values meet all rows: a table of them is made once, which
 * takes 1.2 million rows from minutes to seconds.
 */
export async function preferHashJoins(q: Queries): Promise<void> {
  await q.query(
    `select set_config(name, case name when 'enable_nestloop' then 'off' else 'on' end, true)
       from unnest(array['enable_hashjoin', 'enable_seqscan', 'enable_sort', 'enable_nestloop']) name`,
  )
}

export interface CountWithValueId {
  day: string
  dimension: number
  value: number
  count: number
}

const numbered = `select s.day, s.dimension, v.id as value, sum(s.count)::integer as count
  from traffic_staging s join traffic_values v on v.website_id = $1 and v.kind = s.kind and v.value = s.value
 where s.day = any ($2::date[]) group by 1, 2, 3`

/** Of some days. Every value has its number by now. */
export async function readStagedCounts(
  q: Queries,
  websiteId: number,
  days: readonly string[],
): Promise<CountWithValueId[]> {
  return q.query<CountWithValueId>(`select day::text as day, dimension, value, count from (${numbered}) n`, [
    websiteId,
    days,
  ])
}

/** On top of what the days have. */
export async function addStagedCounts(q: Queries, websiteId: number, days: readonly string[]): Promise<void> {
  await q.query(
    `insert into traffic_counts as c (website_id, dimension, day, value, count)
     select $1, dimension, day, value, count from (${numbered}) n
     on conflict (website_id, dimension, day, value) do update set count = c.count + excluded.count`,
    [websiteId, days],
  )
}
