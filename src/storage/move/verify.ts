/** Compares both databases by checksums that each computes from its stored rows. */
import pg, { type ClientBase } from 'pg'
import { StartupError } from '../../lib/startup-error.ts'
import type { TableShape } from '../backup/format.ts'
import { throwAsSourceError } from './failures.ts'

interface TableDigest {
  rows: string
  /** The sum of a hash of every row, which doesn't depend on the order of the rows. */
  checksum: string
}

async function readDigest(client: ClientBase, { name, columns }: TableShape): Promise<TableDigest> {
  const { rows } = await client.query<TableDigest>(`
    select count(*)::text as rows,
           coalesce(sum(('x' || encode(substr(sha256(convert_to(row(${columns.map(pg.escapeIdentifier).join(', ')})::text, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint), 0)::text as checksum
      from belfry.${pg.escapeIdentifier(name)}`)
  return rows[0] as TableDigest
}

export async function requireSameRows(source: ClientBase, target: ClientBase, table: TableShape): Promise<void> {
  const [expected, actual] = await Promise.all([
    readDigest(source, table).catch(throwAsSourceError),
    readDigest(target, table),
  ])
  if (actual.rows === expected.rows && actual.checksum === expected.checksum) return
  const difference =
    actual.rows === expected.rows
      ? 'the checksums of the rows differ'
      : `${expected.rows} rows were copied, but ${actual.rows} arrived`
  throw new StartupError(
    `The verification of ${table.name} failed: ${difference}.`,
    'Nothing was changed. Check the disks and memory of both machines, and try again.',
  )
}

/** A sequence that is behind its column would generate ids that exist already. */
export async function requireSequencesAhead(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ sequence: string; table: string; column: string }>(`
    select s.relname::text as sequence, t.relname::text as table, a.attname::text as column
      from pg_depend d
      join pg_class s on s.oid = d.objid and s.relkind = 'S' and s.relnamespace = 'belfry'::regnamespace
      join pg_class t on t.oid = d.refobjid
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
     where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')`)
  for (const { sequence, table, column } of rows) {
    const { rows: comparison } = await client.query(`
      select coalesce((select max(${pg.escapeIdentifier(column)}) from belfry.${pg.escapeIdentifier(table)}), 0)
               < last_value + is_called::int as is_ahead
        from belfry.${pg.escapeIdentifier(sequence)}`)
    if (comparison[0].is_ahead) continue
    throw new StartupError(
      `The sequence ${sequence} would hand out an id that ${table} contains already.`,
      'Correct the sequence in the source with setval(). Nothing was changed.',
    )
  }
}
