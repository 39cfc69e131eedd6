/** SQL of lists: a page of monitors, newest first, and how many there are. One statement, so that both agree. */

import type { MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/client.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { ListedStatus } from './schema.ts'
import { type MonitorRow, monitorColumns, monitorsWithState } from './store.ts'

export interface MonitorListQuery {
  status: ListedStatus | undefined
  type: MonitorType | undefined
  limit: number
  offset: number
}

export interface MonitorPage {
  rows: MonitorRow[]
  total: number
}

/** Both come from closed sets. */
function filterOf({ status, type }: MonitorListQuery, of: '' | 'm.' = ''): string {
  const conditions = [
    `${of}${OWN_ROWS}`,
    ...(status === undefined ? [] : [`${of}status = '${status}'`]),
    ...(type === undefined ? [] : [`${of}type = '${type}'`]),
  ]
  return conditions.join(' and ')
}

function totalOf(listing: MonitorListQuery): string {
  const isFiltered = listing.status !== undefined || listing.type !== undefined
  return isFiltered
    ? `select count(*)::int as total from monitors where ${filterOf(listing)}`
    : `select coalesce((select total from monitor_counts where ${OWN_ROWS}), 0) as total`
}

/** Passing over so many costs less than it takes PostgreSQL to plan the better way. */
const NEAR = 100

/** Where the page is empty, nothing says how many there are. */
export async function listPage(q: Queries, listing: MonitorListQuery): Promise<MonitorPage> {
  const near = listing.offset <= NEAR ? await readNear(q, listing) : undefined
  return near !== undefined && near.rows.length > 0 ? near : readFar(q, listing)
}

function readNear(q: Queries, listing: MonitorListQuery): Promise<MonitorPage> {
  const text = `select (${totalOf(listing)}) as total, ${monitorColumns} from ${monitorsWithState} where ${filterOf(listing, 'm.')}
    order by m.id desc limit $1 offset $2`
  return read(q, text, [listing.limit, listing.offset])
}

/** $1 the size of the page, $2 what is passed over. A page beyond the end still says how many there are. */
const pageOf = (found: string) => `${found}
  select found.total, ${monitorColumns} from (select total from counted) found
    left join (${monitorsWithState}) on m.${OWN_ROWS} and m.id = any (array(select id from page))
   order by m.id desc`

/** Beyond the middle it is nearer from the other end: the last page costs what the first does. */
function readFar(q: Queries, listing: MonitorListQuery): Promise<MonitorPage> {
  const filter = filterOf(listing)
  const text = pageOf(`with counted as materialized (${totalOf(listing)}), page as materialized (
      (select id from monitors where ${filter} order by id desc
        limit (select case when $2::bigint <= total / 2 then $1::int else 0 end from counted) offset $2)
      union all
      (select id from monitors where ${filter} order by id
        limit (select case when $2::bigint <= total / 2 then 0 else greatest(0, least($1, total - $2)) end from counted)
        offset (select greatest(0, total - $2 - $1) from counted))
    )`)
  return read(q, text, [listing.limit, listing.offset])
}

/** Looks through all that pass the filter: about a microsecond each. */
export async function searchPage(q: Queries, term: string, listing: MonitorListQuery): Promise<MonitorPage> {
  const text = pageOf(`with found as materialized (
      select id from monitors where ${filterOf(listing)} and strpos(search_text, $3) > 0
    ), counted as (select count(*)::int as total from found
    ), page as materialized (select id from found order by id desc limit $1 offset $2)`)
  return read(q, text, [listing.limit, listing.offset, term])
}

async function read(q: Queries, text: string, values: unknown[]): Promise<MonitorPage> {
  const [result] = await queryWithFreshPlan(q, { text, values })
  const rows = (result?.rows ?? []) as (MonitorRow & { total: number })[]
  return { rows: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 }
}
