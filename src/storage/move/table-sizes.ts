/** Reads the sizes of the source's tables, for the progress of a move. */
import pg, { type ClientBase } from 'pg'
import type { TableShape } from '../backup/format.ts'

export interface TableSize {
  rows: number
  /** Bytes on the source's disk, with all partitions. */
  bytes: number
}

export async function readTableSizes(
  client: ClientBase,
  tables: readonly TableShape[],
): Promise<Map<string, TableSize>> {
  const sizes = new Map<string, TableSize>()
  for (const { name } of tables) {
    const { rows } = await client.query<TableSize>(
      `select (select count(*)::float8 from belfry.${pg.escapeIdentifier(name)}) as rows,
              pg_table_size(c.oid)::float8
                + coalesce((select sum(pg_table_size(relid)) from pg_partition_tree(c.oid)), 0)::float8 as bytes
         from pg_class c where c.relnamespace = 'belfry'::regnamespace and c.relname = $1`,
      [name],
    )
    if (rows[0] !== undefined) sizes.set(name, rows[0])
  }
  return sizes
}
