/**
 * SQL for rolling up checks into hours, and hours into days. Each transaction handles a slice of the monitors, so that
 * it stays short. The table `rollups` stores the progress.
 */

import { queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'

export type RollupPeriod = 'hour' | 'day'

/** An hour or a day to roll up. */
export interface RollupInterval {
  period: RollupPeriod
  startsAt: Date
  endsAt: Date
}

/** Returns the end of the last hour that has been rolled up, and the end of the last day. */
export async function readRollupProgress(q: Queries): Promise<Record<RollupPeriod, Date>> {
  const rows = await q.query<{ period: RollupPeriod; done_until: Date }>('select period, done_until from rollups')
  return Object.fromEntries(rows.map(({ period, done_until }) => [period, done_until])) as Record<RollupPeriod, Date>
}

/**
 * Marks all hours before `untilHour` as rolled up. Before calling it, make sure that the hours which are not rolled up yet have
 * no checks. Also marks the days before `untilDay`, unless there are rolled-up hours that still have to be rolled up into a
 * day.
 */
export async function skipEmptyHours(q: Queries, untilHour: Date, untilDay: Date): Promise<void> {
  await q.batch(
    {
      text: `update rollups
                set done_until = $1
              where period = 'day' and done_until < $1
                and done_until >= (select done_until from rollups where period = 'hour')`,
      values: [untilDay],
    },
    { text: `update rollups set done_until = $1 where period = 'hour' and done_until < $1`, values: [untilHour] },
  )
}

interface SliceBoundary {
  teamId: number
  monitorId: number
}

/** A range of monitors, ordered by user and monitor id. `after` is exclusive, `upTo` is inclusive. */
export interface MonitorSlice {
  after: SliceBoundary
  upTo: SliceBoundary
}

/** An upper bound for ids, used for the last slice. */
const MAX_ID = 2 ** 53 - 1

/**
 * Returns the next monitors whose checks in this interval (an hour or a day) must be rolled up, at most `maxMonitors`. Locks
 * the period's row until the transaction ends, so that no other node rolls up the same monitors. Returns undefined if another
 * node is rolling up this interval, or if the interval is complete.
 */
export async function claimSlice(
  q: Queries,
  { period, startsAt }: RollupInterval,
  maxMonitors: number,
): Promise<MonitorSlice | undefined> {
  const [after] = await q.query<SliceBoundary>(
    `select after_user_id as "teamId", after_monitor_id as "monitorId"
       from rollups
      where period = $1 and done_until = $2
        for update skip locked`,
    [period, startsAt],
  )
  if (after === undefined) return undefined
  const [last] = await q.query<SliceBoundary>(
    `select user_id as "teamId", id as "monitorId"
       from monitors
      where (user_id, id) > ($1, $2)
      order by user_id, id
      limit 1 offset $3`,
    [after.teamId, after.monitorId, maxMonitors - 1],
  )
  return { after, upTo: last ?? { teamId: MAX_ID, monitorId: MAX_ID } }
}

/** Stores the progress. Returns whether these were the last monitors to roll up for this hour or day. */
export async function completeSlice(
  q: Queries,
  { period, endsAt }: RollupInterval,
  { upTo }: MonitorSlice,
): Promise<boolean> {
  const isLast = upTo.teamId === MAX_ID
  if (isLast) {
    await q.query(
      `update rollups
          set done_until = $2, after_user_id = 0, after_monitor_id = 0
        where period = $1`,
      [period, endsAt],
    )
  } else {
    await q.query(
      `update rollups
          set after_user_id = $2, after_monitor_id = $3
        where period = $1`,
      [period, upTo.teamId, upTo.monitorId],
    )
  }
  return isLast
}

/**
 * `locked` protects monitors from deletion until their rows are inserted, and excludes deleted monitors. `sums` is
 * materialized because PostgreSQL underestimates its rows and would otherwise compute it once per monitor. `offset 0`
 * is an optimization fence: PostgreSQL plans the query that reads `checks` separately from the grouping around it.
 */
const rollUpHourSql = `
  with locked as materialized (
    select user_id, id as monitor_id
      from monitors
     where (user_id, id) > ($1, $2) and (user_id, id) <= ($3, $4)
     order by user_id, id
       for key share
  ), by_bucket as (
    select user_id, monitor_id, bucket,
           count(*) as responses,
           count(*) as total,
           count(cause) as failed,
           sum(response_ms) as sum_ms
      from (
        select user_id, monitor_id, bucket, cause, response_ms
          from checks
         where (user_id, monitor_id) > ($1, $2) and (user_id, monitor_id) <= ($3, $4)
           and checked_at >= $5 and checked_at < $6
        offset 0
      ) slice
     group by user_id, monitor_id, bucket
  ), sums as materialized (
    select user_id, monitor_id,
           sum(total) as total,
           sum(failed) as failed,
           coalesce(sum(sum_ms), 0) as sum_ms,
           coalesce(array_agg(bucket order by bucket) filter (where bucket is not null), '{}') as buckets,
           coalesce(array_agg(responses order by bucket) filter (where bucket is not null), '{}') as counts
      from by_bucket
     group by user_id, monitor_id
  )
  insert into check_hours (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
  select user_id, monitor_id, $5, total, failed, sum_ms, buckets, counts
    from sums
    join locked using (user_id, monitor_id)
  on conflict do nothing`

/**
 * Unnesting the buckets repeats the totals of an hour in each row, so the sums include only the first row of each hour.
 * Everything else works as in `rollUpHourSql`.
 */
const rollUpDaySql = `
  with locked as materialized (
    select user_id, id as monitor_id
      from monitors
     where (user_id, id) > ($1, $2) and (user_id, id) <= ($3, $4)
     order by user_id, id
       for key share
  ), by_bucket as (
    select user_id, monitor_id, bucket,
           sum(responses) as responses,
           sum(total) filter (where is_first) as total,
           sum(failed) filter (where is_first) as failed,
           sum(sum_ms) filter (where is_first) as sum_ms
      from (
        select h.user_id, h.monitor_id, h.total, h.failed, h.sum_ms, b.bucket, b.responses,
               b.position is null or b.position = 1 as is_first
          from check_hours h
          left join lateral unnest(h.buckets, h.counts) with ordinality as b (bucket, responses, position) on true
         where (h.user_id, h.monitor_id) > ($1, $2) and (h.user_id, h.monitor_id) <= ($3, $4)
           and h.starts_at >= $5 and h.starts_at < $6
      ) hours
     group by user_id, monitor_id, bucket
  ), sums as materialized (
    select user_id, monitor_id,
           sum(total) as total,
           sum(failed) as failed,
           coalesce(sum(sum_ms), 0) as sum_ms,
           coalesce(array_agg(bucket order by bucket) filter (where bucket is not null), '{}') as buckets,
           coalesce(array_agg(responses order by bucket) filter (where bucket is not null), '{}') as counts
      from by_bucket
     group by user_id, monitor_id
  )
  insert into check_days (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
  select user_id, monitor_id, $5, total, failed, sum_ms, buckets, counts
    from sums
    join locked using (user_id, monitor_id)
  on conflict do nothing`

/**
 * Makes PostgreSQL scan the hour's partition sequentially for each slice. In index order, consecutive rows are on
 * different pages, so PostgreSQL would read each page many times. With 128 MB of buffers and 500 MB of checks, reading
 * in index order took 20 times as long. The settings apply only to this transaction.
 */
const forceSequentialScan = {
  text: `select set_config('plan_cache_mode', 'force_custom_plan', true),
                set_config('enable_indexscan', 'off', true),
                set_config('work_mem', '32MB', true)`,
}

export async function rollUpHourSlice(q: Queries, interval: RollupInterval, slice: MonitorSlice): Promise<void> {
  const values = [...toBoundaryParameters(slice), interval.startsAt, interval.endsAt]
  await q.batch(forceSequentialScan, { text: rollUpHourSql, values })
}

const deleteOldHoursSql = `
  delete from check_hours
   where (user_id, monitor_id) > ($1, $2) and (user_id, monitor_id) <= ($3, $4) and starts_at < $5`

const deleteOldDaysSql = `
  delete from check_days
   where (user_id, monitor_id) > ($1, $2) and (user_id, monitor_id) <= ($3, $4) and starts_at < $5`

/**
 * Rolls up a slice. Also deletes the hours and days of its monitors from before the retention periods, so that no other
 * job has to find them.
 */
export async function rollUpDaySlice(
  q: Queries,
  interval: RollupInterval,
  slice: MonitorSlice,
  retention: { hoursFrom: Date; daysFrom: Date },
): Promise<void> {
  const boundaries = toBoundaryParameters(slice)
  await queryWithFreshPlan(
    q,
    { text: rollUpDaySql, values: [...boundaries, interval.startsAt, interval.endsAt] },
    { text: deleteOldHoursSql, values: [...boundaries, retention.hoursFrom] },
    { text: deleteOldDaysSql, values: [...boundaries, retention.daysFrom] },
  )
}

/** The parameters $1 to $4 of the statements above. */
const toBoundaryParameters = ({ after, upTo }: MonitorSlice) => [
  after.teamId,
  after.monitorId,
  upTo.teamId,
  upTo.monitorId,
]
