/** SQL for the overview's websites and their traffic. */

import type { Privacy } from '../shared/websites.ts'
import { parseNumbers } from '../storage/parse-numbers.ts'
import { queryWithFreshPlan, SHARED_ROWS } from '../storage/statements.ts'
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

/** Reads what decides the order of the websites, sorted by domain. */
export function readWebsiteNames(q: Queries): Promise<WebsiteName[]> {
  return q.query<WebsiteName & Record<string, unknown>>(
    `select id, domain, favorite from websites where ${SHARED_ROWS} order by domain`,
  )
}

/** The visitors of all websites in one time zone on one day. */
export interface VisitorsOnDay {
  timeZone: string
  /** As YYYY-MM-DD. */
  day: string
  visitors: number
}

/** Reads the visitors of all websites from `sinceDay` on, without the sample website. */
export async function readVisitorsByDay(q: Queries, sinceDay: string): Promise<VisitorsOnDay[]> {
  const [result] = await queryWithFreshPlan(q, {
    text: `select time_zone as "timeZone", day::text as day, visitors from own_visitors_by_day($1)`,
    values: [sinceDay],
  })
  return (result?.rows ?? []) as unknown as VisitorsOnDay[]
}

/** Adds up the visitors of each website with an event after `since`, without the sample website. */
export async function readTotalVisitorsNow(q: Queries, since: Date): Promise<number> {
  const [result] = await queryWithFreshPlan(q, { text: 'select own_visitors_now($1) as visitors', values: [since] })
  return result?.rows[0]?.['visitors'] ?? 0
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
        from websites w join own_traffic($1, $2, $3) t on t.website_id = w.id where w.${SHARED_ROWS} order by w.domain`,
    values: [sinceDay, visitorsNowSince, ids],
  })
  return (result?.rows ?? []).map((row) => ({
    ...(row as unknown as StoredOverviewWebsite),
    days: parseNumbers(row['days']) as number[],
    visitors: parseNumbers(row['visitors']) as number[],
  }))
}
