/** SQL of the monthly partitions of events and visits, and of deleting old events in other tables. */
import pg from 'pg'
import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import { changeSchema } from '../../storage/change-schema.ts'
import { isLockTimeout } from '../../storage/connection-loss.ts'
import type { Database } from '../../storage/database.ts'
import type { Queries } from '../../storage/transaction.ts'

/** The column that each table is partitioned by. */
const partitionColumns = { events: 'at', visits: 'day' } as const
type PartitionedTable = keyof typeof partitionColumns
export const partitionedTables = Object.keys(partitionColumns) as PartitionedTable[]

/**
 * Percentage of a table page that new rows fill. Later events update visits. If a page has free space, PostgreSQL
 * updates a row without touching the indexes. That saves 15 % of the CPU time for rolling up events of returning
 * visitors.
 */
const fillFactors = { events: 100, visits: 80 } as const satisfies Record<PartitionedTable, number>

/** While a schema change waits for a table lock, all later statements on the table wait, too. So limit its wait. */
const CREATE_LOCK_TIMEOUT = '1s'
const DROP_LOCK_TIMEOUT = '100ms'
/** Table pages per statement. A page has 8 kB, about a hundred rows. */
const PAGES_PER_DELETE = 100

/** The first day of the month, as YYYY-MM-DD. */
export type Month = string

const formatPartitionName = (table: PartitionedTable, month: Month) => `${table}_${month.slice(0, 7).replace('-', '')}`

/**
 * Returns the months in which both tables have a partition, oldest first. `includePartial` adds the months in which only one
 * table has a partition: see `createMonthPartitions`.
 */
export async function listPartitionMonths(q: Queries, { includePartial = false } = {}): Promise<Month[]> {
  const rows = await q.query<{ month: Month }>(
    `select to_char(to_date(right(c.relname, 6), 'YYYYMM'), 'YYYY-MM-DD') as month
       from pg_inherits
       join pg_class c on c.oid = inhrelid
      where inhparent in ('events'::regclass, 'visits'::regclass) and c.relname ~ '_[0-9]{6}$'
      group by 1
     having count(*) >= $1
      order by 1`,
    [includePartial ? 1 : partitionedTables.length],
  )
  return rows.map(({ month }) => month)
}

/**
 * A month with rows in the default partition can't get its own partition, because PostgreSQL would have to move these
 * rows.
 */
async function hasRowsInDefaultPartition(
  q: Queries,
  table: PartitionedTable,
  month: Month,
  nextMonth: Month,
): Promise<boolean> {
  const column = partitionColumns[table]
  const [row] = await q.query(
    `select exists (select from ${table}_other where ${column} >= $1 and ${column} < $2) as has_rows`,
    [month, nextMonth],
  )
  return row?.['has_rows'] === true
}

/**
 * Creates the partitions of a month, except for a table whose default partition already has rows of this month. Resolves
 * with false if a backup, a migration or another node holds the migration lock.
 */
export async function createMonthPartitions(db: Database, month: Month, nextMonth: Month): Promise<boolean> {
  const tables: PartitionedTable[] = []
  for (const table of partitionedTables) {
    if (!(await hasRowsInDefaultPartition(db, table, month, nextMonth))) tables.push(table)
  }
  return changeSchema(db, CREATE_LOCK_TIMEOUT, async (client) => {
    for (const table of tables) {
      const partition = formatPartitionName(table, month)
      const { rows } = await client.query('select to_regclass($1) is not null as exists', [partition])
      if (rows[0].exists) continue
      // Attaching an existing table needs a weaker lock than `create table … partition of`.
      await client.query(`
        create table ${partition} (like ${table} including defaults) with (fillfactor = ${fillFactors[table]});
        select protect_partition('${partition}');
        alter table ${table} attach partition ${partition} for values from ('${month}') to ('${nextMonth}')`)
    }
  })
}

export function dropMonthPartitions(db: Database, month: Month): Promise<boolean> {
  return changeSchema(db, DROP_LOCK_TIMEOUT, async (client) => {
    for (const table of partitionedTables)
      await client.query(`drop table if exists ${formatPartitionName(table, month)}`)
  })
}

/** Whether a day has rows in the partitions of this month. In other time zones, the month begins a day earlier or ends a day later. */
export async function hasDaysWithRows(q: Queries, month: Month, nextMonth: Month): Promise<boolean> {
  const [row] = await q.query(
    `select exists (select from traffic_days where block_set is null and day between $1::date - 1 and $2)
         or exists (select from traffic_days where not is_packed and day between $1::date - 1 and $2) as has_rows`,
    [month, nextMonth],
  )
  return row?.['has_rows'] === true
}

/**
 * Drops a partition if it has no rows. Returns whether it did. If a row arrives in the meantime, the partition stays. Later rows of the
 * month go to the default partition.
 */
export async function dropEmptyPartition(db: Database, table: PartitionedTable, month: Month): Promise<boolean> {
  const partition = formatPartitionName(table, month)
  return changeEmptyPartition(db, table, partition, `drop table ${partition}`)
}

/** After the rows of a partition were deleted, its indexes keep their size. Smaller ones are not worth a lock. */
const MIN_INDEX_BYTES = 1_000_000

/** Frees the disk space of the indexes of an empty partition that is kept for later rows. Returns whether it did. */
export async function shrinkEmptyPartition(db: Database, table: PartitionedTable, month: Month): Promise<boolean> {
  const partition = formatPartitionName(table, month)
  const [row] = await db.query<{ bytes: number | null }>('select pg_indexes_size(to_regclass($1)) as bytes', [
    partition,
  ])
  if ((row?.bytes ?? 0) < MIN_INDEX_BYTES) return false
  return changeEmptyPartition(db, table, partition, `truncate ${partition}`)
}

/**
 * PostgreSQL locks the partitioned table to drop a partition, and all statements on the table wait for that. To look for a row
 * among a million deleted ones takes 160 ms. VACUUM takes 430 ms for them, but blocks nobody, and then truncates the file. A
 * file without pages has no rows, so the table is locked for about a millisecond.
 */
async function changeEmptyPartition(
  db: Database,
  table: PartitionedTable,
  partition: string,
  statement: string,
): Promise<boolean> {
  if ((await readPageCount(db, partition)) !== 0) await vacuum(db, partition)
  if ((await readPageCount(db, partition)) !== 0) return false
  let isChanged = false
  await changeSchema(db, DROP_LOCK_TIMEOUT, async (client) => {
    try {
      // All statements lock the partitioned table first. The same order here prevents deadlocks.
      await client.query(`lock table only ${table} in access exclusive mode`)
      await client.query(`lock table ${partition} in access exclusive mode`)
      const { rows } = await client.query(`select pg_relation_size('${partition}') = 0 as "isEmpty"`)
      if (!rows[0].isEmpty) return
      await client.query(statement)
      isChanged = true
    } catch (error) {
      // A long query uses the table, so the next run tries again. Or another node has just dropped the partition.
      if (!isLockTimeout(error) && !isMissingTable(error)) throw error
    }
  })
  return isChanged
}

/** Returns undefined if the table doesn't exist. */
async function readPageCount(q: Queries, partition: string): Promise<number | undefined> {
  const [row] = await q.query<{ pages: number | null }>(
    `select pg_relation_size(to_regclass($1)) / current_setting('block_size')::integer as pages`,
    [partition],
  )
  return row?.pages ?? undefined
}

async function vacuum(db: Database, partition: string): Promise<void> {
  await db.withConnection(async (client) => {
    // By default, VACUUM leaves deleted rows in the indexes if few pages have some. Then it can't truncate the file.
    await client.query(`vacuum (skip_locked, truncate, index_cleanup on) ${partition}`).catch((error) => {
      // With tens of millions of rows it may take longer than a statement is allowed to. Then autovacuum, which has no limit, does it.
      if (!isMissingTable(error) && !isTimeout(error)) throw error
    })
  })
}

const isMissingTable = (error: unknown) => error instanceof pg.DatabaseError && error.code === '42P01'
const isTimeout = (error: unknown) => error instanceof pg.DatabaseError && error.code === '57014'

/**
 * Deletes old rows from some pages of the default partition. Selecting them by page keeps each call fast, while a search from
 * the beginning would read past everything that earlier calls deleted. Returns the next page, or undefined at the end.
 */
export async function deleteFromDefaultPartition(
  q: Queries,
  table: PartitionedTable,
  before: string,
  page: number,
): Promise<number | undefined> {
  const nextPage = page + PAGES_PER_DELETE
  const [, size] = await q.batch(
    {
      text: `delete from ${table}_other where ctid >= $1::tid and ctid < $2::tid and ${partitionColumns[table]} < $3`,
      values: [`(${page},0)`, `(${nextPage},0)`, before],
    },
    {
      text: `select pg_relation_size('${table}_other') / current_setting('block_size')::integer > $1 as has_more`,
      values: [nextPage],
    },
  )
  return size?.rows[0]?.['has_more'] === true ? nextPage : undefined
}

const DAYS_PER_UPDATE = 1_000

/**
 * Earlier versions stored the visits of a day in `packed_visits`, too. They hold the data of events, so they are deleted together
 * with the events. Returns whether there may be more days to clear.
 */
export async function clearPackedVisits(q: Queries, before: Month): Promise<boolean> {
  const [row] = await q.query<{ count: number }>(
    `with old_days as (
       select website_id, day
         from traffic_days
        where packed_visits is not null and day < $1
        limit $2
     ), cleared as (
       update traffic_days d
          set packed_visits = null
         from old_days o
        where d.website_id = o.website_id and d.day = o.day
       returning 1
     )
     select count(*)::integer as count from cleared`,
    [before, DAYS_PER_UPDATE],
  )
  return row?.count === DAYS_PER_UPDATE
}

/** A large block takes about 2 MB. */
export const BLOCKS_PER_DELETE = 20

/**
 * Deletes the blocks of the oldest days. All blocks of a day are deleted together. Returns whether there may be more. Skips days that
 * are just being packed; the next run deletes them.
 */
export async function deleteOldBlocks(db: Database, before: string): Promise<boolean> {
  return db.transaction(async (q) => {
    // The lock keeps others from changing the blocks of these days. The next statement then sees all blocks that they have written.
    const days = await q.query<{ websiteId: number; day: string }>(
      `select website_id as "websiteId", day::text as day
         from traffic_days
        where (website_id, day) in (
                select website_id, day
                  from traffic_blocks
                 where day < $1
                 order by traffic_blocks.day
                 limit $2
              )
          for update skip locked`,
      [before, BLOCKS_PER_DELETE],
    )
    if (days.length === 0) return false
    const values = [numbersLiteral(days.map(({ websiteId }) => websiteId)), textsLiteral(days.map(({ day }) => day))]
    await q.batch(
      {
        text: `delete from traffic_blocks b
                using unnest($1::bigint[], $2::date[]) as o (website_id, day)
                where b.website_id = o.website_id and b.day = o.day`,
        values,
      },
      {
        text: `update traffic_days d
                  set block_set = 0
                 from unnest($1::bigint[], $2::date[]) as o (website_id, day)
                where d.website_id = o.website_id and d.day = o.day`,
        values,
      },
    )
    return true
  })
}
