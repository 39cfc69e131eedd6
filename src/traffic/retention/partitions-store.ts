/** SQL of the monthly partitions of events and visits. */
import { changeSchema } from '../../storage/change-schema.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'

/** Both are cut by the month, events by the moment and visits by their day. */
const tables = { events: 'at', visits: 'day' } as const
type Table = keyof typeof tables
export const partitionedTables = Object.keys(tables) as Table[]

/** For as long as somebody waits for a lock, everybody who comes later waits behind them. */
const MAKE_WAIT = '1s'
const DROP_WAIT = '100ms'
/** Of the partition that cannot be dropped, at a time: 8 kB each, of a hundred rows or so. */
const PAGES = 100

/** A month, by its first day. */
export type Month = string

const nameOf = (table: Table, month: Month) => `${table}_${month.slice(0, 7).replace('-', '')}`

/** Those that have partitions of both, or, `halfToo`, of one: strays may have kept the other from being made. Oldest first. */
export async function listPartitionMonths(q: Queries, { halfToo = false } = {}): Promise<Month[]> {
  const rows = await q.query<{ month: Month }>(
    `select to_char(to_date(right(c.relname, 6), 'YYYYMM'), 'YYYY-MM-DD') as month
       from pg_inherits join pg_class c on c.oid = inhrelid
      where inhparent in ('events'::regclass, 'visits'::regclass) and c.relname ~ '_[0-9]{6}$'
      group by 1 having count(*) >= $1 order by 1`,
    [halfToo ? 1 : partitionedTables.length],
  )
  return rows.map(({ month }) => month)
}

/** Rows that have gone elsewhere already stay there: a month that has any gets no partition. */
async function hasStrays(q: Queries, table: Table, month: Month, next: Month): Promise<boolean> {
  const [row] = await q.query(
    `select exists (select from ${table}_other where ${tables[table]} >= $1 and ${tables[table]} < $2) as there`,
    [month, next],
  )
  return row?.['there'] === true
}

/** Attached last, which locks least and shortest. false: a backup, a migration or another node is at it. */
export async function createMonthPartitions(db: Database, month: Month, next: Month): Promise<boolean> {
  const free: Table[] = []
  for (const table of partitionedTables) if (!(await hasStrays(db, table, month, next))) free.push(table)
  return changeSchema(db, MAKE_WAIT, async (client) => {
    for (const table of free) {
      const name = nameOf(table, month)
      const { rows } = await client.query('select to_regclass($1) is not null as there', [name])
      if (rows[0].there) continue
      await client.query(`
        create table ${name} (like ${table} including defaults);
        select protect_partition('${name}');
        alter table ${table} attach partition ${name} for values from ('${month}') to ('${next}')`)
    }
  })
}

export function dropMonthPartitions(db: Database, month: Month): Promise<boolean> {
  return changeSchema(db, DROP_WAIT, async (client) => {
    for (const table of partitionedTables) await client.query(`drop table if exists ${nameOf(table, month)}`)
  })
}

/**
 * What no month took, from one page of the table on. By its place: whoever looks for the next batch from the beginning goes
 * past everything that was deleted before. Answers where to go on; undefined at the end.
 */
export async function deleteFromDefaultPartition(
  q: Queries,
  table: Table,
  before: Month,
  page: number,
): Promise<number | undefined> {
  const next = page + PAGES
  const [, size] = await q.batch(
    {
      text: `delete from ${table}_other where ctid >= $1::tid and ctid < $2::tid and ${tables[table]} < $3`,
      values: [`(${page},0)`, `(${next},0)`, before],
    },
    {
      text: `select pg_relation_size('${table}_other') / current_setting('block_size')::integer > $1 as has_more`,
      values: [next],
    },
  )
  return size?.rows[0]?.['has_more'] === true ? next : undefined
}

const DAYS_AT_A_TIME = 1_000

/** Packed visits are events in another form: they go with them. false: there are none left. */
export async function clearPackedVisits(q: Queries, before: Month): Promise<boolean> {
  const [row] = await q.query<{ count: number }>(
    `with old as (
       select website_id, day from traffic_days where packed_visits is not null and day < $1 limit $2
     ), forgotten as (
       update traffic_days d set packed_visits = null from old where (d.website_id, d.day) = (old.website_id, old.day)
       returning 1
     )
     select count(*)::integer as count from forgotten`,
    [before, DAYS_AT_A_TIME],
  )
  return row?.count === DAYS_AT_A_TIME
}
