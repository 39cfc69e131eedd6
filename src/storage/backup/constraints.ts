import pg, { type ClientBase } from 'pg'
import type { TableShape } from './format.ts'

interface ForeignKey {
  table: string
  name: string
  definition: string
}

/**
 * Empties the tables and fills them without foreign keys and triggers. So their order does not matter, rows may point at
 * later ones, and PostgreSQL checks each key with one query at the end instead of remembering every row. What triggers
 * once did is in the rows already.
 */
export async function withoutConstraints(
  client: ClientBase,
  tables: readonly TableShape[],
  fill: () => Promise<void>,
): Promise<void> {
  const names = tables.map(({ name }) => `belfry.${pg.escapeIdentifier(name)}`)
  const keys = await readForeignKeys(client)
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`)
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  // Migrations insert rows of their own; the backup has them too.
  if (names.length > 0) await client.query(`truncate ${names.join(', ')}`)
  await fill()
  for (const name of names) await client.query(`alter table ${name} enable trigger user`)
  for (const { table, name, definition } of keys) {
    await client.query(`alter table ${table} add constraint ${name} ${definition}`)
  }
}

/** Leaves out foreign keys of partitions, which PostgreSQL drops and adds with those of the parent table. */
async function readForeignKeys(client: ClientBase): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(`
    select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
      from pg_constraint
     where contype = 'f' and connamespace = 'belfry'::regnamespace and conparentid = 0
     order by oid`)
  return rows
}
