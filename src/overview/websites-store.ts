/** SQL for the overview's websites and their traffic. */

import type { Privacy } from '../shared/websites.ts'
import { parseNumbers } from '../storage/parse-numbers.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'

export interface StoredOverviewWebsite {
  id: number
  domain: string
  favorite: boolean
  privacy: Privacy
  time_zone: string
  is_sample: boolean
  tags: string[]
  has_traffic: boolean
  visitors_now: number
  /** The days that had visitors, each as the number of days after `sinceDay`. */
  days: number[]
  /** The number of visitors on each day in `days`, in the same order. */
  visitors: number[]
}

export type WebsiteName = Pick<StoredOverviewWebsite, 'id' | 'domain' | 'favorite'>

/** Reads what decides the order of the websites. */
export function readWebsiteNames(q: Queries): Promise<WebsiteName[]> {
  return q.query<WebsiteName & Record<string, unknown>>(`select id, domain, favorite from websites where ${OWN_ROWS}`)
}

/**
 * Reads websites, sorted by domain. Without `ids`, reads all. `visitors` begins on `sinceDay`. `visitors_now` counts the
 * visitors with an event after `visitorsNowSince`.
 */
export async function readOverviewWebsites(
  q: Queries,
  sinceDay: string,
  visitorsNowSince: Date,
  ids: readonly number[] | null = null,
): Promise<StoredOverviewWebsite[]> {
  const [result] = await queryWithFreshPlan(q, {
    text: `select w.id, w.domain, w.favorite, w.privacy, w.time_zone, w.is_sample, w.tags,
             t.has_traffic, t.visitors_now, t.days, t.visitors
        from websites w join own_traffic($1, $2, $3) t on t.website_id = w.id where w.${OWN_ROWS} order by w.domain`,
    values: [sinceDay, visitorsNowSince, ids],
  })
  return (result?.rows ?? []).map((row) => ({
    ...(row as unknown as StoredOverviewWebsite),
    days: parseNumbers(row['days']) as number[],
    visitors: parseNumbers(row['visitors']) as number[],
  }))
}
