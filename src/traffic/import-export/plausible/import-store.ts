/** SQL of the staging table, which holds imported counts until they are added to the statistics. */
import { numbersLiteral, textsLiteral } from '../../../storage/array-literal.ts'
import type { Queries } from '../../../storage/transaction.ts'
import { type Dimension, dimensionTable } from '../../model/dimensions.ts'
import type { TrafficValue } from '../../rollup/value-ids.ts'

/**
 * Files may be larger than memory, and reading them must not hold the traffic lock, so counts are staged first. PostgreSQL
 * drops the table at the end of the transaction.
 */
export async function createStagingTable(q: Queries): Promise<void> {
  await q.query(`create temporary table traffic_staging (kind smallint not null, dimension smallint not null,
    day date not null, value text collate "C" not null, count integer not null) on commit drop`)
}

export interface StagedCount {
  dimension: Dimension
  day: string
  value: string
  count: number
}

export async function insertStagedCounts(q: Queries, counts: readonly StagedCount[]): Promise<void> {
  await q.query(
    `insert into traffic_staging (kind, dimension, day, value, count)
     select kind, dimension, day, value, count
       from unnest($1::smallint[], $2::smallint[], $3::date[], $4::text[], $5::integer[])
            as s (kind, dimension, day, value, count)`,
    [
      numbersLiteral(counts.map(({ dimension }) => dimensionTable[dimension].kind)),
      numbersLiteral(counts.map(({ dimension }) => dimensionTable[dimension].number)),
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

/** Returns each value once, ordered by kind and value, beginning after `after`. */
export async function listStagedValues(
  q: Queries,
  websiteId: number,
  after: Pick<TrafficValue, 'kind' | 'value'>,
  limit: number,
): Promise<TrafficValue[]> {
  return q.query<TrafficValue>(
    `select distinct $1::bigint as "websiteId", kind, value
       from traffic_staging
      where (kind, value) > ($2, $3)
      order by kind, value
      limit $4`,
    [websiteId, after.kind, after.value, limit],
  )
}

/**
 * Reverts the planner settings of `lockTraffic`, which force PostgreSQL to look rows up one by one. Joining all staged counts with
 * all values takes seconds with a hash join and minutes without, for 1.2 million rows.
 */
export async function preferHashJoins(q: Queries): Promise<void> {
  await q.query(
    `select set_config('enable_hashjoin', 'on', true), set_config('enable_seqscan', 'on', true),
            set_config('enable_sort', 'on', true), set_config('enable_nestloop', 'off', true)`,
  )
}

export interface CountWithValueId {
  day: string
  dimensionNumber: number
  valueId: number
  count: number
}

/** Requires that every staged value has an id. */
export async function readStagedCounts(
  q: Queries,
  websiteId: number,
  days: readonly string[],
): Promise<CountWithValueId[]> {
  return q.query<CountWithValueId>(
    `select s.day::text as day, s.dimension as "dimensionNumber", v.id as "valueId", sum(s.count)::integer as count
       from traffic_staging s
       join traffic_values v on v.website_id = $1 and v.kind = s.kind and v.value = s.value
      where s.day = any ($2::date[])
      group by s.day, s.dimension, v.id`,
    [websiteId, days],
  )
}

/** Adds the staged counts to the counts that the days already have. */
export async function addStagedCounts(q: Queries, websiteId: number, days: readonly string[]): Promise<void> {
  await q.query(
    `insert into traffic_counts as c (website_id, dimension, day, value, count)
     select $1, s.dimension, s.day, v.id, sum(s.count)::integer
       from traffic_staging s
       join traffic_values v on v.website_id = $1 and v.kind = s.kind and v.value = s.value
      where s.day = any ($2::date[])
      group by s.day, s.dimension, v.id
         on conflict (website_id, dimension, day, value) do update set count = c.count + excluded.count`,
    [websiteId, days],
  )
}
