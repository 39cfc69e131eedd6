/** SQL of lists: a page of all websites, and of those that a search finds. */

import type { Row } from '../storage/batch.ts'
import type { Queries } from '../storage/client.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { Direction, SortKey } from './schema.ts'
import { columns } from './store.ts'

export interface Listing {
  favorite: boolean | undefined
  sortBy: SortKey
  direction: Direction
  limit: number
  offset: number
}

/** Finished JSON, as the flight makes it. */
export interface Page {
  json: string
  count: number
  total: number
}

/** How many a search finds, right as long as the version is the same: whatever comes, goes or changes its flag makes another. */
export interface Count {
  version: string
  total: number
}

/** Which they are on one page. Domains never change, so these are right as long as the count is. */
export interface Found extends Count {
  ids: number[]
}

const orderOf = ({ sortBy, direction }: Listing) => `order by ${sortBy} ${direction}`
const flagOf = ({ favorite }: Listing) => (favorite === undefined ? '' : `and favorite = ${favorite}`)

const counts = { text: `select total, favorites, version from website_counts where ${OWN_ROWS}` }

/** undefined: something changed between the page and its count. */
export async function listPage(q: Queries, listing: Listing): Promise<Page | undefined> {
  const text = `select ${columns} from websites where ${OWN_ROWS} ${flagOf(listing)} ${orderOf(listing)} limit $1 offset $2`
  const page = { text, values: [listing.limit, listing.offset], asJson: true }
  const [before, rows, after] = await queryWithFreshPlan(q, counts, page, counts)
  const { total = 0, favorites = 0, version } = before?.rows[0] ?? {}
  if (version !== after?.rows[0]?.['version']) return undefined
  const { favorite } = listing
  return {
    json: rows?.json ?? '',
    count: rows?.count ?? 0,
    total: favorite === undefined ? total : favorite ? favorites : total - favorites,
  }
}

/** The websites of a page whose ids are known, in that order, and the version of now. */
export async function readFound(q: Queries, ids: readonly number[]) {
  const text = `select ${columns} from websites where ${OWN_ROWS} and id = any ($1::bigint[])
    order by array_position($1::bigint[], id)`
  const [rows, now] = await queryWithFreshPlan(q, { text, values: [ids], asJson: true }, counts)
  return { json: rows?.json ?? '', count: rows?.count ?? 0, version: versionOf(now?.rows[0]) }
}

/** Whoever never had a website has no count either. */
const versionOf = (row: Row | undefined): string => row?.['version'] ?? ''

/** So many ends of domains are gathered, in 2 ms. Where more match, 10 of 100,000 are met on the way in less. */
const FEW = 300

/** Above every character that a domain can have: texts that begin with a term lie between it and it with this. */
const LAST = '\u{10FFFF}'

/** 'many': too many to be gathered and sorted. */
export async function findFew(q: Queries, term: string, listing: Listing): Promise<Found | 'many'> {
  const text = `with ends as materialized (
       select website_id from website_suffixes where ${OWN_ROWS} and suffix >= $1 and suffix < $2 limit ${FEW + 1}
     ), found as materialized (
       select id, domain from websites
        where ${OWN_ROWS} and id = any (array(select website_id from ends where (select count(*) from ends) <= ${FEW}))
          ${flagOf(listing)}
     )
     select version, (select count(*) from ends) as ends, (select count(*) from found) as total,
            array(select id from found ${orderOf(listing)} limit $3 offset $4) as ids
       from website_counts where ${OWN_ROWS}`
  const [result] = await queryWithFreshPlan(q, { text, values: [term, term + LAST, listing.limit, listing.offset] })
  const row = result?.rows[0]
  return row !== undefined && row['ends'] > FEW ? 'many' : foundOf(row)
}

/** Goes along the whole list in its order until the page is full, which is soon where much matches. */
export async function findMany(q: Queries, term: string, listing: Listing, known?: Count): Promise<Found> {
  const flag = flagOf(listing)
  const ends = `select website_id from website_suffixes where ${OWN_ROWS} and suffix >= $1 and suffix < $2`
  const counted =
    flag === ''
      ? `select count(distinct website_id) from (${ends}) ends`
      : `select count(*) from websites where ${OWN_ROWS} ${flag} and id in (${ends})`
  const text = `select version, case when version = $5 then $6 else (${counted}) end as total,
            array(select id from websites
                   where ${OWN_ROWS} ${flag} and (strpos(domain, $1) > 0 or strpos(unicode, $1) > 0)
                   ${orderOf(listing)} limit $3 offset $4) as ids
       from website_counts where ${OWN_ROWS}`
  const range = [term, term + LAST, listing.limit, listing.offset]
  const [result] = await queryWithFreshPlan(q, { text, values: [...range, known?.version, known?.total] })
  return foundOf(result?.rows[0])
}

function foundOf(row: Row | undefined): Found {
  return { version: versionOf(row), total: row?.['total'] ?? 0, ids: row?.['ids'] ?? [] }
}
