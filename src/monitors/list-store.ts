/**
 * SQL for lists of monitors: a page of monitors, newest first, and the total number. One statement returns both, so
 * that they agree.
 */

import type { MonitorType } from '../shared/monitors.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import type { FilterableStatus } from './schema.ts'
import { type MonitorRow, monitorColumnsSql, monitorsWithStateSql } from './store.ts'

export interface MonitorListQuery {
  status: FilterableStatus | undefined
  type: MonitorType | undefined
  /** Only monitors that have all of these tags are listed. The tags are folded to one case. */
  tagKeys: readonly string[]
  limit: number
  offset: number
}

export interface MonitorPage {
  rows: MonitorRow[]
  total: number
}

/** Status and type come from fixed sets of values, so they can safely be part of the SQL text. $3 are the tags, if there are any. */
function buildFilterSql({ status, type, tagKeys }: MonitorListQuery, alias: '' | 'm.' = ''): string {
  const conditions = [
    `${alias}${OWN_ROWS}`,
    ...(status === undefined ? [] : [`${alias}status = '${status}'`]),
    ...(type === undefined ? [] : [`${alias}type = '${type}'`]),
    ...(tagKeys.length === 0 ? [] : [`${alias}tag_keys @> $3::text[]`]),
  ]
  return conditions.join(' and ')
}

/** A trigger maintains the number of monitors of each user. With a filter, the query counts the matches. */
function buildTotalSql(query: MonitorListQuery): string {
  const isFiltered = query.status !== undefined || query.type !== undefined || query.tagKeys.length > 0
  return isFiltered
    ? `select count(*)::int as total from monitors where ${buildFilterSql(query)}`
    : `select coalesce((select total from monitor_counts where ${OWN_ROWS}), 0) as total`
}

/** Up to this offset, skipping rows is faster than planning the more complex statement for distant pages. */
const MAX_NEAR_OFFSET = 100

export async function readMonitorPage(q: Queries, query: MonitorListQuery): Promise<MonitorPage> {
  const page = query.offset <= MAX_NEAR_OFFSET ? await readNearPage(q, query) : undefined
  // The total is a column of each row. If the page has no rows, only `readDistantPage` still returns the total.
  return page !== undefined && page.rows.length > 0 ? page : readDistantPage(q, query)
}

function readNearPage(q: Queries, query: MonitorListQuery): Promise<MonitorPage> {
  const text = `
    select (${buildTotalSql(query)}) as total, ${monitorColumnsSql}
      from ${monitorsWithStateSql}
     where ${buildFilterSql(query, 'm.')}
     order by m.id desc
     limit $1 offset $2`
  return readPage(q, text, toParameters(query))
}

/** Returns a row with the total even if the page is empty. */
const selectPageSql = `
  select counted.total, ${monitorColumnsSql}
    from counted
    left join (${monitorsWithStateSql}) on m.${OWN_ROWS} and m.id = any (array(select id from page))
   order by m.id desc`

/** Reads pages in the second half of the list from its end, so that the last page is as fast as the first. */
function readDistantPage(q: Queries, query: MonitorListQuery): Promise<MonitorPage> {
  const filter = buildFilterSql(query)
  const text = `
    with counted as materialized (
      ${buildTotalSql(query)}
    ), page as materialized (
      (
        select id
          from monitors
         where ${filter}
         order by id desc
         limit (select case when $2::bigint <= total / 2 then $1::int else 0 end from counted)
        offset $2
      )
      union all
      (
        select id
          from monitors
         where ${filter}
         order by id
         limit (select case when $2::bigint <= total / 2 then 0 else greatest(0, least($1, total - $2)) end from counted)
        offset (select greatest(0, total - $2 - $1) from counted)
      )
    )
    ${selectPageSql}`
  return readPage(q, text, toParameters(query))
}

/** Scans all monitors that pass the filter, which takes about a microsecond each. */
export async function searchMonitors(q: Queries, term: string, query: MonitorListQuery): Promise<MonitorPage> {
  const parameters = toParameters(query)
  const termParameter = `$${parameters.length + 1}`
  const text = `
    with matches as materialized (
      select id
        from monitors
       where ${buildFilterSql(query)} and strpos(search_text, ${termParameter}) > 0
    ), counted as (
      select count(*)::int as total from matches
    ), page as materialized (
      select id
        from matches
       order by id desc
       limit $1 offset $2
    )
    ${selectPageSql}`
  return readPage(q, text, [...parameters, term])
}

const toParameters = ({ limit, offset, tagKeys }: MonitorListQuery) =>
  tagKeys.length === 0 ? [limit, offset] : [limit, offset, tagKeys]

async function readPage(q: Queries, text: string, values: unknown[]): Promise<MonitorPage> {
  const [result] = await queryWithFreshPlan(q, { text, values })
  const rows = (result?.rows ?? []) as (MonitorRow & { total: number })[]
  return { rows: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 }
}
