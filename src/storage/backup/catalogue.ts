/** Reads from PostgreSQL's catalogue what a backup or a move must contain, so that new tables need no code here. */
import pg, { type ClientBase } from 'pg'
import { formatCommand } from '../../lib/program.ts'
import { StartupError } from '../../lib/startup-error.ts'
import type { Partition, Sequence, TableShape } from './format.ts'

/** Why rows are copied: to keep them in a file, or to continue with them in another database. */
export type CopyPurpose = 'backup' | 'move'

/**
 * Backups and moves omit unlogged tables, which don't survive a crash either; `migrations`, which the migrations fill;
 * and `nodes`, which lists running processes.
 *
 * A backup also omits `beat_reception`, which says when this server was able to receive beats, and `visitor_salts`,
 * because with a saved salt an attacker could identify visitors after the day has ended. A move copies both tables:
 * after it, the server must know that it could not receive beats during the move, and must recognize the visitors of
 * this day.
 */
const isCopiedSql = (purpose: CopyPurpose) => `c.relnamespace = to_regnamespace('belfry') and c.relpersistence = 'p'
    and c.relname not in ('migrations', 'nodes'${purpose === 'backup' ? `, 'visitor_salts', 'beat_reception'` : ''})`

/** Lists a partitioned table once, without its partitions, and omits generated columns. */
export async function readTables(client: ClientBase, purpose: CopyPurpose): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape>(`
    select c.relname::text as name,
           array(select a.attname::text from pg_attribute a
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  order by a.attnum) as columns
      from pg_class c
     where ${isCopiedSql(purpose)} and c.relkind in ('r', 'p') and not c.relispartition
     order by c.relname`)
  return rows
}

/** Parents come before their partitions. */
export async function readPartitions(client: ClientBase, purpose: CopyPurpose): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(`
    select child.relname::text as name, parent.relname::text as parent,
           pg_get_expr(child.relpartbound, child.oid) as bound, pg_get_partkeydef(child.oid) as key
      from pg_class c cross join pg_partition_tree(c.oid) tree
      join pg_class child on child.oid = tree.relid
      join pg_class parent on parent.oid = tree.parentrelid
     where ${isCopiedSql(purpose)} and c.relkind = 'p' and not c.relispartition
     order by tree.level, child.relname`)
  return rows
}

/** Call it after reading the rows: sequences aren't part of the snapshot, and must not lag behind the ids in the rows. */
export async function readSequences(client: ClientBase, purpose: CopyPurpose): Promise<Sequence[]> {
  const { rows } =
    await client.query(`select c.relname::text as name from pg_class c where ${isCopiedSql(purpose)} and c.relkind = 'S'
    order by c.relname`)
  const sequences: Sequence[] = []
  for (const { name } of rows) {
    const state = await client.query(
      `select last_value::text as value, is_called as called from belfry.${pg.escapeIdentifier(name)}`,
    )
    sequences.push({ name, ...state.rows[0] })
  }
  return sequences
}

/** Row level security hides rows silently, so the copy fails if a table hides rows from this login. */
export async function requireAllRowsVisible(client: ClientBase, purpose: CopyPurpose): Promise<void> {
  const { rows } = await client.query(`
    select c.relname::text as name from pg_class c
     where ${isCopiedSql(purpose)} and c.relkind in ('r', 'p') and not c.relispartition and row_security_active(c.oid)
       and not exists (
         select from pg_policy p
          where p.polrelid = c.oid and p.polname = 'across_users' and p.polpermissive and p.polcmd in ('*', 'r')
            and (select oid from pg_roles where rolname = current_user) = any (p.polroles))`)
  if (rows.length === 0) return
  throw new StartupError(
    `This database login can't see every row of ${rows.map(({ name }) => name).join(', ')}.`,
    `Use the login that the Belfry server uses. For details run \`${formatCommand('doctor')}\`.`,
  )
}
