/** SQL that reads the visits of watched websites, across users. `visits` has a partition for each month, so every query limits the day. */
import { DAY_MS } from '../../shared/time.ts'
import { numbersLiteral } from '../../storage/array-literal.ts'
import type { Queries } from '../../storage/transaction.ts'

export interface SlotVisits {
  websiteId: number
  /** Number of slots since 1970. */
  slot: number
  visits: number
  lastVisitAt: Date
}

/**
 * Counts the visits that began at `from` or later, but not after `now`, for each slot that has any. The first part of
 * the statement converts the times, because under row level security, PostgreSQL uses no index for a condition that
 * calls a function.
 */
export async function countVisitsBySlot(
  q: Queries,
  websites: readonly { id: number; from: number }[],
  now: Date,
): Promise<SlotVisits[]> {
  const firstFrom = Math.min(...websites.map(({ from }) => from))
  return q.query<SlotVisits & Record<string, unknown>>(
    `with websites as materialized (
       select id, to_timestamp(from_ms * 0.001) as since from unnest($1::bigint[], $2::float8[]) w (id, from_ms)
     )
     select w.id as "websiteId", floor(extract(epoch from v.started_at)::float8 / 300)::int as slot, count(*)::int as visits,
            max(v.started_at) as "lastVisitAt"
       from websites w
       join visits v on v.website_id = w.id and v.started_at >= w.since and v.started_at <= $3 and v.day >= $4
      group by 1, 2`,
    [
      numbersLiteral(websites.map(({ id }) => id)),
      numbersLiteral(websites.map(({ from }) => from)),
      now,
      new Date(firstFrom - DAY_MS).toISOString().slice(0, 10),
    ],
  )
}

/** Returns the last visit of each website since `from`. Websites without a visit are left out. */
export async function readLastVisits(
  q: Queries,
  websiteIds: readonly number[],
  from: Date,
  now: Date,
): Promise<Map<number, Date>> {
  const rows = await q.query<{ id: number; started_at: Date }>(
    `select w.id, v.started_at
       from unnest($1::bigint[]) w (id)
      cross join lateral (
        select started_at
          from visits
         where website_id = w.id and started_at between $2 and $3 and day >= ($2 at time zone 'UTC')::date - 1
         order by started_at desc
         limit 1
      ) v`,
    [numbersLiteral(websiteIds), from, now],
  )
  return new Map(rows.map(({ id, started_at }) => [id, started_at]))
}

export interface VisitsAfterSilence {
  visits: number
  firstVisitAt: Date
}

/** Counts the visits since each silence began. Websites without a visit are left out. */
export async function countVisitsAfterSilences(
  q: Queries,
  silences: readonly { id: number; silentAfter: Date }[],
  now: Date,
): Promise<Map<number, VisitsAfterSilence>> {
  const rows = await q.query<VisitsAfterSilence & { id: number }>(
    `select w.id, v.visits, v."firstVisitAt"
       from unnest($1::bigint[], $2::timestamptz[]) w (id, silent_after)
      cross join lateral (
        select count(*)::int as visits, min(started_at) as "firstVisitAt"
          from visits
         where website_id = w.id and started_at > w.silent_after and started_at <= $3
           and day >= (w.silent_after at time zone 'UTC')::date - 1
      ) v
      where v.visits > 0`,
    [numbersLiteral(silences.map(({ id }) => id)), silences.map(({ silentAfter }) => silentAfter), now],
  )
  return new Map(rows.map(({ id, ...after }) => [id, after]))
}

export interface TopSource {
  source: string
  visits: number
}

/** Returns the source of the most visits that began from `from` on and before `to`. */
export async function findTopSource(
  q: Queries,
  websiteId: number,
  from: Date,
  to: Date,
): Promise<TopSource | undefined> {
  const [row] = await q.query<TopSource & Record<string, unknown>>(
    `select t.value as source, v.visits
       from (select source, count(*)::int as visits
               from visits
              where website_id = $1 and started_at >= $2 and started_at < $3 and day >= ($2 at time zone 'UTC')::date - 1
              group by source
              order by visits desc
              limit 1) v
       join traffic_values t on t.website_id = $1 and t.id = v.source`,
    [websiteId, from, to],
  )
  return row
}
