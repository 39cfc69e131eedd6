/** SQL for lists of websites, with and without a search. */

import type { Row } from '../storage/batch.ts'
import { OWN_ROWS, queryWithFreshPlan, SHARED_ROWS } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import type { SortDirection, WebsiteSortKey } from './schema.ts'
import { websiteColumns } from './store.ts'

export interface WebsiteListOptions {
  /** Lists only favorites (true), only other websites (false), or all websites (undefined). */
  favorite: boolean | undefined
  /** Lists only websites that have all these tags, which are folded to one case. */
  tagKeys: readonly string[]
  sortBy: WebsiteSortKey
  direction: SortDirection
  limit: number
  offset: number
}

export interface WebsiteListPage {
  /** The records as JSON text, built while reading from PostgreSQL. */
  json: string
  /** The number of records on this page. */
  count: number
  /** The number of records on all pages. */
  total: number
}

/**
 * The number of websites that match a search. It is valid while `version` stays the same: adding, deleting, or changing the
 * favorite flag of a website changes the version.
 */
export interface MatchCount {
  version: string
  total: number
}

/** The websites on one page of a search. They, too, are valid while `version` stays the same, because domains never change. */
export interface MatchedPage extends MatchCount {
  ids: number[]
}

const orderByOf = ({ sortBy, direction }: WebsiteListOptions) => `order by ${sortBy} ${direction}`
const favoriteFilterOf = ({ favorite }: WebsiteListOptions) =>
  favorite === undefined ? '' : `and favorite = ${favorite}`

/** Finds no row for guests, because the counts include what is not shared with them. A team that never had a website has no row either. */
const countQuery = { text: `select total, favorites, version from website_counts where ${OWN_ROWS}` }

/** Returns undefined if there is no count for the caller, or if a website changed between reading the page and its count. */
export async function listWebsitePage(q: Queries, options: WebsiteListOptions): Promise<WebsiteListPage | undefined> {
  const text = `select ${websiteColumns} from websites where ${SHARED_ROWS} ${favoriteFilterOf(options)} ${orderByOf(options)} limit $1 offset $2`
  const pageQuery = { text, values: [options.limit, options.offset], asJson: true }
  const [countsBefore, rows, countsAfter] = await queryWithFreshPlan(q, countQuery, pageQuery, countQuery)
  const { favorite, offset } = options
  if (countsBefore?.rows[0] === undefined && rows?.count === 0 && offset === 0) return { json: '', count: 0, total: 0 }
  const { total = 0, favorites = 0, version = NO_VERSION } = countsBefore?.rows[0] ?? {}
  if (version === NO_VERSION || version !== versionOf(countsAfter?.rows[0])) return undefined
  return {
    json: rows?.json ?? '',
    count: rows?.count ?? 0,
    total: favorite === undefined ? total : favorite ? favorites : total - favorites,
  }
}

/**
 * Reads all websites that the caller may see. Needed for tags, which have no index, and for guests, for whom no counts are stored. An empty
 * term matches every domain.
 */
export async function scanWebsitePage(q: Queries, term: string, options: WebsiteListOptions): Promise<WebsiteListPage> {
  const filter = `${SHARED_ROWS} ${favoriteFilterOf(options)} and tag_keys @> $1::text[]
    and (strpos(domain, $2) > 0 or strpos(unicode, $2) > 0)`
  const [counted, rows] = await queryWithFreshPlan(
    q,
    { text: `select count(*) as total from websites where ${filter}`, values: [options.tagKeys, term] },
    {
      text: `select ${websiteColumns} from websites where ${filter} ${orderByOf(options)} limit $3 offset $4`,
      values: [options.tagKeys, term, options.limit, options.offset],
      asJson: true,
    },
  )
  return { json: rows?.json ?? '', count: rows?.count ?? 0, total: counted?.rows[0]?.['total'] ?? 0 }
}

/**
 * Reads websites by ID, in the order of `ids`. The returned `version` tells the caller whether a website has changed since the
 * search that found these IDs.
 */
export async function readMatchedPage(q: Queries, ids: readonly number[]) {
  const text = `select ${websiteColumns} from websites where ${SHARED_ROWS} and id = any ($1::bigint[])
    order by array_position($1::bigint[], id)`
  const [rows, counts] = await queryWithFreshPlan(q, { text, values: [ids], asJson: true }, countQuery)
  return { json: rows?.json ?? '', count: rows?.count ?? 0, version: versionOf(counts?.rows[0]) }
}

/** Stands for the version if there are no counts for the caller, such as for a guest. Don't cache such results: members see more. */
export const NO_VERSION = ''

const versionOf = (row: Row | undefined): string => row?.['version'] ?? NO_VERSION

/**
 * A domain contains the term if one of the domain's suffixes starts with the term. Collecting and sorting 300 such
 * suffixes takes 2 ms. If there are more, it is faster to walk through all websites in order until the page is full.
 */
const MAX_SORTED_MATCHES = 300

/** Sorts after every other character, so `suffix >= term and suffix < term + LAST_CHARACTER` finds all suffixes that start with the term. */
const LAST_CHARACTER = '\u{10FFFF}'

/** Returns 'many' if there are too many matches to collect and sort. */
export async function findFewMatches(
  q: Queries,
  term: string,
  options: WebsiteListOptions,
): Promise<MatchedPage | 'many'> {
  const text = `with suffixes as materialized (
       select website_id from website_suffixes where ${OWN_ROWS} and suffix >= $1 and suffix < $2 limit ${MAX_SORTED_MATCHES + 1}
     ), matches as materialized (
       select id, domain from websites
        where ${SHARED_ROWS} and id = any (array(select website_id from suffixes where (select count(*) from suffixes) <= ${MAX_SORTED_MATCHES}))
          ${favoriteFilterOf(options)}
     )
     select version, (select count(*) from suffixes) as suffixes, (select count(*) from matches) as total,
            array(select id from matches ${orderByOf(options)} limit $3 offset $4) as ids
       from website_counts where ${OWN_ROWS}`
  const [result] = await queryWithFreshPlan(q, {
    text,
    values: [term, term + LAST_CHARACTER, options.limit, options.offset],
  })
  const row = result?.rows[0]
  return row !== undefined && row['suffixes'] > MAX_SORTED_MATCHES ? 'many' : toMatchedPage(row)
}

/** Walks through all websites in order until the page is full, which is fast if many match. */
export async function findManyMatches(
  q: Queries,
  term: string,
  options: WebsiteListOptions,
  cachedCount?: MatchCount,
): Promise<MatchedPage> {
  const favoriteFilter = favoriteFilterOf(options)
  const suffixes = `select website_id from website_suffixes where ${OWN_ROWS} and suffix >= $1 and suffix < $2`
  const countMatches =
    favoriteFilter === ''
      ? `select count(distinct website_id) from (${suffixes}) suffixes`
      : `select count(*) from websites where ${SHARED_ROWS} ${favoriteFilter} and id in (${suffixes})`
  const text = `select version, case when version = $5 then $6 else (${countMatches}) end as total,
            array(select id from websites
                   where ${SHARED_ROWS} ${favoriteFilter} and (strpos(domain, $1) > 0 or strpos(unicode, $1) > 0)
                   ${orderByOf(options)} limit $3 offset $4) as ids
       from website_counts where ${OWN_ROWS}`
  const parameters = [term, term + LAST_CHARACTER, options.limit, options.offset]
  const [result] = await queryWithFreshPlan(q, {
    text,
    values: [...parameters, cachedCount?.version, cachedCount?.total],
  })
  return toMatchedPage(result?.rows[0])
}

function toMatchedPage(row: Row | undefined): MatchedPage {
  return { version: versionOf(row), total: row?.['total'] ?? 0, ids: row?.['ids'] ?? [] }
}
