/** SQL of lists: a page of all websites, and of those that a search finds. */
import type { Queries } from '../storage/client.ts'
import type { Direction, SortKey } from './schema.ts'
import { columns, own } from './store.ts'

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

export async function listPage(q: Queries, listing: Listing): Promise<Page> {
  const [page, counts] = await q.flight(
    {
      text: `select ${columns} from websites where ${own} ${flagOf(listing)} ${orderOf(listing)} limit $1 offset $2`,
      values: [listing.limit, listing.offset],
      asJson: true,
    },
    { text: `select total, favorites from website_counts where ${own}` },
  )
  const { total = 0, favorites = 0 } = counts?.rows[0] ?? {}
  const { favorite } = listing
  return {
    json: page?.json ?? '',
    count: page?.count ?? 0,
    total: favorite === undefined ? total : favorite ? favorites : total - favorites,
  }
}

/** The websites of a page whose ids are known, in that order, and the version of now. */
export async function readFound(q: Queries, ids: readonly number[]) {
  const [rows, counts] = await q.flight(
    {
      text: `select ${columns} from websites where ${own} and id = any ($1::bigint[])
        order by array_position($1::bigint[], id)`,
      values: [ids],
      asJson: true,
    },
    { text: `select version from website_counts where ${own}` },
  )
  return {
    json: rows?.json ?? '',
    count: rows?.count ?? 0,
    version: counts?.rows[0]?.['version'] as string | undefined,
  }
}

/** So many ends of domains are gathered, in 2 ms. Where more match, 10 of 100,000 are met on the way in less. */
const FEW = 300

/** Above every character that a domain can have: texts that begin with a term lie between it and it with this. */
const LAST = '\u{10FFFF}'

/** 'many': too many to be gathered and sorted. */
export async function findFew(q: Queries, term: string, listing: Listing): Promise<Found | 'many'> {
  const [row] = await q.query(
    `with ends as materialized (
       select website_id from website_suffixes where ${own} and suffix >= $1 and suffix < $2 limit ${FEW + 1}
     ), found as materialized (
       select id, domain from websites
        where ${own} and id = any (array(select website_id from ends where (select count(*) from ends) <= ${FEW}))
          ${flagOf(listing)}
     )
     select version, (select count(*) from ends) as ends, (select count(*) from found) as total,
            array(select id from found ${orderOf(listing)} limit $3 offset $4) as ids
       from website_counts where ${own}`,
    [term, term + LAST, listing.limit, listing.offset],
  )
  return row !== undefined && row['ends'] > FEW ? 'many' : foundOf(row)
}

/** Goes along the whole list in its order until the page is full, which is soon where much matches. */
export async function findMany(q: Queries, term: string, listing: Listing, known?: Count): Promise<Found> {
  const flag = flagOf(listing)
  const ends = `select website_id from website_suffixes where ${own} and suffix >= $1 and suffix < $2`
  const counted =
    flag === ''
      ? `select count(distinct website_id) from (${ends}) ends`
      : `select count(*) from websites where ${own} ${flag} and id in (${ends})`
  const [row] = await q.query(
    `select version, case when version = $5 then $6 else (${counted}) end as total,
            array(select id from websites
                   where ${own} ${flag} and (strpos(domain, $1) > 0 or strpos(unicode, $1) > 0)
                   ${orderOf(listing)} limit $3 offset $4) as ids
       from website_counts where ${own}`,
    [term, term + LAST, listing.limit, listing.offset, known?.version, known?.total],
  )
  return foundOf(row)
}

function foundOf(row: Record<string, unknown> | undefined): Found {
  // Whoever never had a website has no count either.
  if (row === undefined) return { version: '', total: 0, ids: [] }
  return { version: row['version'] as string, total: row['total'] as number, ids: (row['ids'] as string[]).map(Number) }
}
