import { HOUR_MS } from '../shared/time.ts'
import { queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'

/**
 * While an hour is being rolled up, `checks` and `check_hours` both contain it, with the same average. Adding up both
 * rows doesn't change the average.
 */
const readHourlyResponsesSql = `
  select monitor_id, starts_at, sum(sum_ms) as sum_ms, sum(responses) as responses
    from (
      select monitor_id, starts_at, sum_ms, (select sum(count) from unnest(counts) count) as responses
        from check_hours
       where user_id = own_team() and monitor_id = any ($1) and starts_at >= $2 and starts_at <= $4
      union all
      select monitor_id, date_trunc('hour', checked_at), sum(response_ms), count(response_ms)
        from checks
       where user_id = own_team() and monitor_id = any ($1) and checked_at >= $3 and checked_at <= $4
       group by 1, 2
    ) hours
   where responses > 0
   group by 1, 2`

interface HourlyResponse {
  monitorId: number
  /** Hours after `startsAt`. */
  hour: number
  averageMs: number
}

/**
 * Reads the averages of hours from `startsAt` on, which must be the start of an hour. Uses raw checks from `rawFrom`
 * on.
 */
export async function readHourlyResponses(
  q: Queries,
  monitorIds: readonly number[],
  { startsAt, rawFrom, until }: { startsAt: Date; rawFrom: Date; until: Date },
): Promise<HourlyResponse[]> {
  const [result] = await queryWithFreshPlan(q, {
    text: readHourlyResponsesSql,
    values: [monitorIds, startsAt, rawFrom, until],
  })
  return (result?.rows ?? []).map((row) => ({
    monitorId: row['monitor_id'],
    hour: (row['starts_at'].getTime() - startsAt.getTime()) / HOUR_MS,
    averageMs: Math.round(Number(row['sum_ms']) / Number(row['responses'])),
  }))
}

/** Averages steps of equal length from `startsAt` on. All checks of the last hours are still stored one by one. */
const readRecentResponsesSql = `
  select monitor_id, date_bin(make_interval(secs => $4::float8 / 1000), checked_at, $2) as starts_at,
         avg(response_ms) as average_ms
    from checks
   where user_id = own_team() and monitor_id = any ($1) and checked_at >= $2 and checked_at <= $3
     and response_ms is not null
   group by 1, 2`

interface RecentResponse {
  monitorId: number
  /** Counted from `startsAt`. */
  step: number
  averageMs: number
}

export async function readRecentResponses(
  q: Queries,
  monitorIds: readonly number[],
  { startsAt, until, stepMs }: { startsAt: Date; until: Date; stepMs: number },
): Promise<RecentResponse[]> {
  const [result] = await queryWithFreshPlan(q, {
    text: readRecentResponsesSql,
    values: [monitorIds, startsAt, until, stepMs],
  })
  return (result?.rows ?? []).map((row) => ({
    monitorId: row['monitor_id'],
    step: (row['starts_at'].getTime() - startsAt.getTime()) / stepMs,
    averageMs: Math.round(Number(row['average_ms'])),
  }))
}
