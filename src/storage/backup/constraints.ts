import pg, { type ClientBase } from 'pg'
import type { TableShape } from './format.ts'

/** A table with foreign keys or triggers, and the actions of ALTER TABLE that remove them and bring them back. */
interface ConstrainedTable {
  name: string
  removal: string
  restoration: string
}

/**
 * Empties the tables and fills them while foreign keys and triggers are off. So tables can be filled in any order, rows can
 * reference later rows, and PostgreSQL checks each foreign key with one query at the end instead of queueing a check per
 * row. The triggers need not run again, because the backup already contains the rows and values that they wrote.
 */
export async function fillWithoutConstraints(
  client: ClientBase,
  tables: readonly TableShape[],
  fill: () => Promise<void>,
): Promise<void> {
  const constrainedTables = await readConstrainedTables(client)
  for (const { name, removal } of constrainedTables) await client.query(`alter table ${name} ${removal}`)
  // Migrations have inserted a few rows, which the backup contains, too. TRUNCATE would create every file of the new tables again.
  await client.query(tables.map(({ name }) => `delete from belfry.${pg.escapeIdentifier(name)}`).join(';'))
  await fill()
  for (const { name, restoration } of constrainedTables) await client.query(`alter table ${name} ${restoration}`)
}

/**
 * Omits partitions, because PostgreSQL changes their foreign keys and triggers together with those of the parent table. Combines
 * the actions of each table, because most of the time of a small restore goes into statements such as these.
 */
async function readConstrainedTables(client: ClientBase): Promise<ConstrainedTable[]> {
  const { rows } = await client.query<ConstrainedTable>(`
    with actions as (
      select conrelid as table_id, oid, format('drop constraint %I', conname) as removal,
             format('add constraint %I %s', conname, pg_get_constraintdef(oid)) as restoration
        from pg_constraint
       where contype = 'f' and connamespace = 'belfry'::regnamespace and conparentid = 0
      union all
      select c.oid, 0, 'disable trigger user', 'enable trigger user'
        from pg_class c
       where c.relnamespace = 'belfry'::regnamespace and not c.relispartition
         and exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal)
    )
    select table_id::regclass::text as name, string_agg(removal, ', ' order by oid) as removal,
           string_agg(restoration, ', ' order by oid) as restoration
      from actions group by table_id order by max(oid), table_id`)
  return rows
}
