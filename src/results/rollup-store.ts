/** SQL that adds checks up to hours, and hours to days: a slice of the monitors at a time, each in a short transaction. */

import type { Queries } from '../storage/client.ts'
import { queryWithFreshPlan } from '../storage/statements.ts'

export type RollupPeriod = 'hour' | 'day'

/** An hour or a day. */
export interface RollupInterval {
  period: RollupPeriod
  startsAt: Date
  endsAt: Date
}

/** Until how far each is done. */
export async function readRollupProgress(q: Queries): Promise<Record<RollupPeriod, Date>> {
  const rows = await q.query<{ period: RollupPeriod; done_until: Date }>('select period, done_until from rollups')
  return Object.fromEntries(rows.map(({ period, done_until }) => [period, done_until])) as Record<RollupPeriod, Date>
}

/** There is nothing before `hour` that has not been added up. Days of which no hour is there need no look either. */
export async function skipEmptyHours(q: Queries, hour: Date, day: Date): Promise<void> {
  await q.batch(
    {
      text: `update rollups set done_until = $1 where period = 'day' and done_until < $1
                and done_until >= (select done_until from rollups where period = 'hour')`,
      values: [day],
    },
    { text: `update rollups set done_until = $1 where period = 'hour' and done_until < $1`, values: [hour] },
  )
}

export interface MonitorKey {
  userId: number
  monitorId: number
}

/** The monitors after one, up to and with another. */
export interface MonitorSlice {
  after: MonitorKey
  upTo: MonitorKey
}

/** Above every id there is. */
const LAST = 2 ** 53 - 1

/**
 * The next monitors that are not in it yet; nobody else takes a slice of the period until the transaction ends.
 * undefined: another node is at it, or it is done.
 */
export async function claimSlice(
  q: Queries,
  { period, startsAt }: RollupInterval,
  monitors: number,
): Promise<MonitorSlice | undefined> {
  const [after] = await q.query<MonitorKey>(
    `select after_user_id as "userId", after_monitor_id as "monitorId" from rollups
      where period = $1 and done_until = $2 for update skip locked`,
    [period, startsAt],
  )
  if (after === undefined) return undefined
  const [last] = await q.query<MonitorKey>(
    `select user_id as "userId", id as "monitorId" from monitors where (user_id, id) > ($1, $2)
      order by user_id, id limit 1 offset $3`,
    [after.userId, after.monitorId, monitors - 1],
  )
  return { after, upTo: last ?? { userId: LAST, monitorId: LAST } }
}

/** Remembers that the slice is in it. Answers whether it was the last one. */
export async function completeSlice(
  q: Queries,
  { period, endsAt }: RollupInterval,
  { upTo }: MonitorSlice,
): Promise<boolean> {
  const isLast = upTo.userId === LAST
  if (isLast) {
    await q.query('update rollups set done_until = $2, after_user_id = 0, after_monitor_id = 0 where period = $1', [
      period,
      endsAt,
    ])
  } else {
    await q.query('update rollups set after_user_id = $2, after_monitor_id = $3 where period = $1', [
      period,
      upTo.userId,
      upTo.monitorId,
    ])
  }
  return isLast
}

const inSlice = (id: string) => `(user_id, ${id}) > ($1, $2) and (user_id, ${id}) <= ($3, $4)`

/**
 * Monitors are locked so that none is deleted under the row that refers to it; of one that was, nothing is added up.
 * `materialized`, because PostgreSQL expects a handful of rows here and would add everything up again for each of them.
 */
const insertSums = (table: string, spread: string) => `with locked as materialized (
    select user_id, id as monitor_id from monitors where ${inSlice('id')} order by 1, 2 for key share
  ), sums as materialized (
    select user_id, monitor_id, sum(total) as total, sum(failed) as failed, coalesce(sum(ms), 0) as ms,
           coalesce(array_agg(bucket order by bucket) filter (where bucket is not null), '{}') as buckets,
           coalesce(array_agg(n order by bucket) filter (where bucket is not null), '{}') as counts
      from (${spread}) spread group by 1, 2
  )
  insert into ${table} (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
  select user_id, monitor_id, $5, total, failed, ms, buckets, counts from sums join locked using (user_id, monitor_id)
  on conflict do nothing`

const addHours = insertSums(
  'check_hours',
  `select user_id, monitor_id, bucket, count(*) as n, count(*) as total, count(cause) as failed, sum(response_ms) as ms
     from (select user_id, monitor_id, bucket, cause, response_ms from checks
            where ${inSlice('monitor_id')} and checked_at >= $5 and checked_at < $6 offset 0) each
    group by 1, 2, 3`,
)

// The sums of an hour go with the first of its buckets.
const addDays = insertSums(
  'check_days',
  `select user_id, monitor_id, bucket, sum(n) as n, sum(total) filter (where is_first) as total,
          sum(failed) filter (where is_first) as failed, sum(sum_ms) filter (where is_first) as ms
     from (select user_id, monitor_id, total, failed, sum_ms, bucket, n, place is null or place = 1 as is_first
             from check_hours left join lateral unnest(buckets, counts) with ordinality as e (bucket, n, place) on true
            where ${inSlice('monitor_id')} and starts_at >= $5 and starts_at < $6) each
    group by 1, 2, 3`,
)

/**
 * Reads the hour from its first page to its last for each slice. In the order of the index it would fetch every row from
 * another page, again and again: with 128 MB of buffers and 500 MB of checks that took 20 times as long. The settings end with
 * the transaction.
 */
const settings = `select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_indexscan', 'off', true),
    set_config('work_mem', '32MB', true)`

export async function rollUpHourSlice(q: Queries, stretch: RollupInterval, slice: MonitorSlice): Promise<void> {
  await q.batch({ text: settings }, { text: addHours, values: [...keysOf(slice), stretch.startsAt, stretch.endsAt] })
}

const removeOld = (table: string) => `delete from ${table} where ${inSlice('monitor_id')} and starts_at < $5`

/** Removes on the way what is too old, so that nothing else has to look for it. */
export async function rollUpDaySlice(
  q: Queries,
  stretch: RollupInterval,
  slice: MonitorSlice,
  keep: { hoursFrom: Date; daysFrom: Date },
): Promise<void> {
  const keys = keysOf(slice)
  await queryWithFreshPlan(
    q,
    { text: addDays, values: [...keys, stretch.startsAt, stretch.endsAt] },
    { text: removeOld('check_hours'), values: [...keys, keep.hoursFrom] },
    { text: removeOld('check_days'), values: [...keys, keep.daysFrom] },
  )
}

const keysOf = ({ after, upTo }: MonitorSlice) => [after.userId, after.monitorId, upTo.userId, upTo.monitorId]
