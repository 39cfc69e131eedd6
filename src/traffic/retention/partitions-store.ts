/** SQL of the monthly partitions of events and visits. */
import { changeSchema } from '../../storage/change-schema.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'

/** The column that each table is partitioned by. */
const partitionColumns = { events: 'at', visits: 'day' } as const
type PartitionedTable = keyof typeof partitionColumns
export const partitionedTables = Object.keys(partitionColumns) as PartitionedTable[]

/** While we wait for a table lock, everybody who needs the table waits behind us. */
const CREATE_LOCK_TIMEOUT = '1s'
const DROP_LOCK_TIMEOUT = '100ms'
/** Table pages per statement: 8 kB each, about a hundred rows. */
const PAGES_PER_DELETE = 100

/** The first day of the month, as YYYY-MM-DD. */
export type Month = string

const partitionOf = (table: PartitionedTable, month: Month) => `${table}_${month.slice(0, 7).replace('-', '')}`

/**
 * Oldest first. By default only months that have a partition of both tables; `includePartial` adds those of one table. See
 * `createMonthPartitions` for why a month may be incomplete.
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

/** PostgreSQL refuses to create a partition for rows that are in the default partition already. */
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

/** Creates the partitions that are possible. false: a backup, a migration or another node holds the lock. */
export async function createMonthPartitions(db: Database, month: Month, nextMonth: Month): Promise<boolean> {
  const tables: PartitionedTable[] = []
  for (const table of partitionedTables) {
    if (!(await hasRowsInDefaultPartition(db, table, month, nextMonth))) tables.push(table)
  }
  return changeSchema(db, CREATE_LOCK_TIMEOUT, async (client) => {
    for (const table of tables) {
      const partition = partitionOf(table, month)
      const { rows } = await client.query('select to_regclass($1) is not null as exists', [partition])
      if (rows[0].exists) continue
      // Attaching an existing table needs a weaker lock than `create table … partition of`.
      await client.query(`
        create table ${partition} (like ${table} including defaults);
        select protect_partition('${partition}');
        alter table ${table} attach partition ${partition} for values from ('${month}') to ('${nextMonth}')`)
    }
  })
}

export function dropMonthPartitions(db: Database, month: Month): Promise<boolean> {
  return changeSchema(db, DROP_LOCK_TIMEOUT, async (client) => {
    for (const table of partitionedTables) await client.query(`drop table if exists ${partitionOf(table, month)}`)
  })
}

/**
 * Deletes old rows from some pages of the default partition. Selecting them by page keeps each call fast, while a search from
 * the beginning would read past everything that earlier calls deleted. Returns the next page; undefined at the end.
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

/** Packed visits are events in another form, so they are deleted with them. false: none are left. */
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
