import pg, { type ClientBase } from 'pg'
import type { TableShape } from './format.ts'

interface ForeignKey {
  table: string
  name: string
  definition: string
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
  const names = tables.map(({ name }) => `belfry.${pg.escapeIdentifier(name)}`)
  const foreignKeys = await readForeignKeys(client)
  for (const { table, name } of foreignKeys) await client.query(`alter table ${table} drop constraint ${name}`)
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  // Migrations have inserted a few rows, which the backup contains, too.
  if (names.length > 0) await client.query(`truncate ${names.join(', ')}`)
  await fill()
  for (const name of names) await client.query(`alter table ${name} enable trigger user`)
  for (const { table, name, definition } of foreignKeys) {
    await client.query(`alter table ${table} add constraint ${name} ${definition}`)
  }
}

/**
 * Omits the foreign keys of partitions, because PostgreSQL drops and adds them together with those of the parent table.
 */
async function readForeignKeys(client: ClientBase): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(`
    select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
      from pg_constraint
     where contype = 'f' and connamespace = 'belfry'::regnamespace and conparentid = 0
     order by oid`)
  return rows
}
