/** SQL of the hourly partitions of checks. */

import { addMs } from '../lib/clock.ts'
import { HOUR_MS } from '../shared/time.ts'
import { changeSchema } from '../storage/change-schema.ts'
import type { Queries } from '../storage/client.ts'
import type { Database } from '../storage/database.ts'

/** For as long as somebody waits for a lock, everybody who comes later waits behind them, recorders too. */
const MAKE_WAIT = '1s'
/** Shorter: dropping locks the parent, which every recorder needs. */
const DROP_WAIT = '100ms'
/** Rows at a time, of the partition that cannot be dropped. */
const BATCH = 10_000

/**
 * Vacuumed all the time while it grows, if it grows fast: whoever reads a page first notes on it which rows are valid. An
 * hour later that meant reading, logging and writing every page once more (60 s for the checks of 100,000 monitors), a minute
 * later it is still in memory. Nothing depends on statistics: every question comes by the index.
 */
const storage = `autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000,
    autovacuum_analyze_threshold = 2147483647`

export const partitionName = (hour: Date) => `checks_${hour.toISOString().slice(0, 13).replaceAll(/\D/g, '')}`

const hours = `select to_timestamp(substr(c.relname, 8), 'YYYYMMDDHH24') as hour
    from pg_inherits join pg_class c on c.oid = inhrelid
   where inhparent = 'checks'::regclass and c.relname ~ '^checks_[0-9]{10}$'`

/** Those that have a partition, oldest first. */
export async function listPartitionHours(q: Queries): Promise<Date[]> {
  return (await q.query<{ hour: Date }>(`${hours} order by 1`)).map(({ hour }) => hour)
}

/** The first one from `from` on, before `to`, that may have rows. */
export async function findHourWithChecks(q: Queries, from: Date, to: Date): Promise<Date | undefined> {
  const [row] = await q.query<{ hour: Date | null }>(
    `select min(hour) as hour from (
       ${hours} union all
       select date_trunc('hour', min(checked_at)) from checks_other where checked_at >= $1 and checked_at < $2
     ) found where hour >= $1 and hour < $2`,
    [from, to],
  )
  return row?.hour ?? undefined
}

/** Rows that have gone elsewhere already stay there: an hour that has any gets no partition. */
export async function hasChecksInDefault(q: Queries, hour: Date): Promise<boolean> {
  const [row] = await q.query(
    `select exists (select from checks_other where checked_at >= $1 and checked_at < $2) as there`,
    [hour, addMs(hour, HOUR_MS)],
  )
  return row?.['there'] === true
}

/** Attached last, which locks least and shortest. false: a backup, a migration or another node is at it. */
export function createPartition(db: Database, hour: Date): Promise<boolean> {
  const name = partitionName(hour)
  return changeSchema(db, MAKE_WAIT, async (client) => {
    const { rows } = await client.query('select to_regclass($1) is not null as there', [name])
    if (rows[0].there) return
    await client.query(`
      create table ${name} (like checks) with (${storage});
      select protect_partition('${name}');
      alter table checks attach partition ${name}
        for values from ('${hour.toISOString()}') to ('${addMs(hour, HOUR_MS).toISOString()}')`)
  })
}

export function dropPartition(db: Database, hour: Date): Promise<boolean> {
  return changeSchema(db, DROP_WAIT, async (client) => {
    await client.query(`drop table if exists ${partitionName(hour)}`)
  })
}

/** Until how far every check is in the hours. */
export async function readRolledUpUntil(q: Queries): Promise<Date> {
  const [row] = await q.query<{ done_until: Date }>(`select done_until from rollups where period = 'hour'`)
  return row?.done_until as Date
}

/** A batch of what no partition took. Answers whether there may be more. */
export async function deleteFromDefault(q: Queries, before: Date): Promise<boolean> {
  const [deleted] = await q.batch({
    text: `delete from checks_other where ctid = any (
             array(select ctid from checks_other where checked_at < $1 limit ${BATCH}))`,
    values: [before],
  })
  return deleted?.count === BATCH
}
