/** SQL about all websites of this installation: the visits of the busiest ones, and the hosts with an ongoing incident. */

import { parseMonitorHost } from '../../monitors/target.ts'
import type { MonitorType } from '../../shared/monitors.ts'
import type { Queries } from '../../storage/transaction.ts'
import { removeWwwLabel } from '../history/website-store.ts'

export interface BusyWebsite {
  id: number
  domain: string
  /** The website's last visit, or a week ago if there has been no visit since then. */
  lastVisitAt: Date
}

/**
 * Only the websites with the most visits on the same weekday of last week are counted. This many are enough to decide,
 * and few enough for one query.
 */
const MAX_WEBSITES = 50

export async function listBusiestWebsites(q: Queries, now: Date): Promise<BusyWebsite[]> {
  return q.query<BusyWebsite & Record<string, unknown>>(
    `with busiest as materialized (
       select w.id, w.domain
         from websites w
         join traffic_days d on d.website_id = w.id and d.day = ($1::timestamptz at time zone w.time_zone)::date - 7
        where d.visits > 0 and not w.is_sample
        order by d.visits desc
        limit $2
     )
     select b.id, b.domain, coalesce(v.started_at, $1::timestamptz - interval '7 days') as "lastVisitAt"
       from busiest b
       left join lateral (
         select started_at
           from visits
          where website_id = b.id and started_at between $1::timestamptz - interval '7 days' and $1
            and day >= ($1 at time zone 'UTC')::date - 8
          order by started_at desc
          limit 1
       ) v on true`,
    [now, MAX_WEBSITES],
  )
}

/** Returns how many visits each website had between the same times of the week, on average over the last four weeks. */
export async function countUsualVisits(
  q: Queries,
  websiteIds: readonly number[],
  from: Date,
  to: Date,
): Promise<{ websiteId: number; visits: number }[]> {
  return q.query(
    `select w.id as "websiteId", v.visits::float8 / 4 as visits
       from unnest($1::bigint[]) w (id)
      cross join lateral (
        select count(*) as visits
          from generate_series(1, 4) week
          join visits on visits.website_id = w.id
                     and visits.started_at > $2::timestamptz - week * interval '7 days'
                     and visits.started_at <= $3::timestamptz - week * interval '7 days'
                     and visits.day between ($2 at time zone 'UTC')::date - 29 and ($3 at time zone 'UTC')::date - 6
      ) v`,
    [websiteIds, from, to],
  )
}

/** The hosts of monitors with an ongoing incident, without `www.`. */
export async function listHostsWithIncidents(q: Queries): Promise<Set<string>> {
  const rows = await q.query<{ type: MonitorType; url: string }>(
    `select m.type, m.url
       from incidents i
       join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
      where i.resolved_at is null and m.type not in ('traffic', 'heartbeat')`,
  )
  return new Set(rows.map((monitor) => removeWwwLabel(parseMonitorHost(monitor) ?? '')))
}
