/**
 * SQL for the hourly partitions of the table `checks`. Checks of an hour without a partition go to the default
 * partition, `checks_other`.
 */

import { addMs } from '../lib/clock.ts'
import { HOUR_MS } from '../shared/time.ts'
import { changeSchema } from '../storage/change-schema.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'

/**
 * How long creating a partition waits for its exclusive lock on the default partition. In the meantime, later statements that
 * use the default partition queue behind it, such as those that read recent checks.
 */
const CREATE_LOCK_TIMEOUT = '1s'
/**
 * This timeout is shorter than `CREATE_LOCK_TIMEOUT`, because dropping a partition needs an exclusive lock on the whole
 * table: recording checks waits, too.
 */
const DROP_LOCK_TIMEOUT = '100ms'
const DELETE_BATCH_SIZE = 10_000

/**
 * Makes autovacuum process a partition while it grows. The first read of a page sets hint bits on its rows, and then
 * PostgreSQL logs and writes the page again. When the hourly rollup was the first reader, it took 60 s for the checks
 * of 100,000 monitors. Autovacuum reads the page while it is still in memory, which is cheap.
 *
 * Analyze is off, because queries of a partition don't depend on statistics: they use the index, except the rollup,
 * whose settings force its plan.
 */
const storageParameters = `autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000,
    autovacuum_analyze_threshold = 2147483647`

export const getPartitionName = (hour: Date) => `checks_${hour.toISOString().slice(0, 13).replaceAll(/\D/g, '')}`

/** Returns the hours that have a partition, oldest first. */
export async function listPartitionHours(q: Queries): Promise<Date[]> {
  const rows = await q.query<{ hour: Date }>(
    `select to_timestamp(substr(c.relname, 8), 'YYYYMMDDHH24') as hour
       from pg_inherits
       join pg_class c on c.oid = inhrelid
      where inhparent = 'checks'::regclass and c.relname ~ '^checks_[0-9]{10}$'
      order by hour`,
  )
  return rows.map(({ hour }) => hour)
}

/**
 * Returns the first hour that has its own partition (even an empty one) or rows in the default partition. `from` is inclusive,
 * `to` is exclusive.
 */
export async function findHourWithChecks(q: Queries, from: Date, to: Date): Promise<Date | undefined> {
  const [row] = await q.query<{ hour: Date | null }>(
    `with hours as (
       select to_timestamp(substr(c.relname, 8), 'YYYYMMDDHH24') as hour
         from pg_inherits
         join pg_class c on c.oid = inhrelid
        where inhparent = 'checks'::regclass and c.relname ~ '^checks_[0-9]{10}$'
       union all
       select date_trunc('hour', min(checked_at))
         from checks_other
        where checked_at >= $1 and checked_at < $2
     )
     select min(hour) as hour
       from hours
      where hour >= $1 and hour < $2`,
    [from, to],
  )
  return row?.hour ?? undefined
}

/**
 * An hour with checks in the default partition can't get its own partition, because PostgreSQL would have to move these
 * checks.
 */
export async function hasChecksInDefaultPartition(q: Queries, hour: Date): Promise<boolean> {
  const [row] = await q.query(
    `select exists (select from checks_other where checked_at >= $1 and checked_at < $2) as has_checks`,
    [hour, addMs(hour, HOUR_MS)],
  )
  return row?.['has_checks'] === true
}

/**
 * Creates the table first and attaches it at the end, so that `checks` is locked only briefly. Returns false if a
 * backup, a migration or another node holds the migration lock.
 */
export function createPartition(db: Database, hour: Date): Promise<boolean> {
  const name = getPartitionName(hour)
  return changeSchema(db, CREATE_LOCK_TIMEOUT, async (client) => {
    const { rows } = await client.query('select to_regclass($1) is not null as exists', [name])
    if (rows[0].exists) return
    await client.query(`
      create table ${name} (like checks) with (${storageParameters});
      select protect_partition('${name}');
      alter table checks attach partition ${name}
        for values from ('${hour.toISOString()}') to ('${addMs(hour, HOUR_MS).toISOString()}')`)
  })
}

export function dropPartition(db: Database, hour: Date): Promise<boolean> {
  return changeSchema(db, DROP_LOCK_TIMEOUT, async (client) => {
    await client.query(`drop table if exists ${getPartitionName(hour)}`)
  })
}

/** Returns the time up to which all checks have been rolled up into hours. */
export async function readRolledUpUntil(q: Queries): Promise<Date> {
  const [row] = await q.query<{ done_until: Date }>(`select done_until from rollups where period = 'hour'`)
  return row?.done_until as Date
}

/** Deletes a batch of old checks from the default partition. Returns whether there may be more. */
export async function deleteChecksFromDefaultPartition(q: Queries, before: Date): Promise<boolean> {
  const [deleted] = await q.batch({
    text: `delete from checks_other
            where ctid = any (array(select ctid from checks_other where checked_at < $1 limit $2))`,
    values: [before, DELETE_BATCH_SIZE],
  })
  return deleted?.count === DELETE_BATCH_SIZE
}
