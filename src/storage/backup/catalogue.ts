/** What there is to save, as PostgreSQL's catalogue knows it: tables of later migrations are in it by themselves. */
import pg, { type ClientBase } from 'pg'
import { StartupError } from '../../lib/startup-error.ts'
import type { Partition, Sequence, TableShape } from './format.ts'

/**
 * Left out: what is unlogged counts as lost in a crash, and `migrations` is written by migrating. With its salt in a file a
 * visitor could still be found out when the day is long over.
 */
const saved = `c.relnamespace = to_regnamespace('belfry') and c.relpersistence = 'p'
    and c.relname not in ('migrations', 'visitor_salts')`

/** Roots of partitioned tables stand for their partitions. What PostgreSQL computes is not copied. */
export async function readTables(client: ClientBase): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape>(`
    select c.relname::text as name,
           array(select a.attname::text from pg_attribute a
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  order by a.attnum) as columns
      from pg_class c
     where ${saved} and c.relkind in ('r', 'p') and not c.relispartition
     order by c.relname`)
  return rows
}

/** Parents before their children. */
export async function readPartitions(client: ClientBase): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(`
    select child.relname::text as name, parent.relname::text as parent,
           pg_get_expr(child.relpartbound, child.oid) as bound, pg_get_partkeydef(child.oid) as key
      from pg_class c cross join pg_partition_tree(c.oid) tree
      join pg_class child on child.oid = tree.relid
      join pg_class parent on parent.oid = tree.parentrelid
     where ${saved} and c.relkind = 'p' and not c.relispartition
     order by tree.level, child.relname`)
  return rows
}

/** After the rows: a sequence is no part of a snapshot, and must not lag behind them. */
export async function readSequences(client: ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query(`select c.relname::text as name from pg_class c where ${saved} and c.relkind = 'S'
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

/** Row level security hides rows without a word. A table that hides any from us must not pass for saved. */
export async function requireOpenTables(client: ClientBase): Promise<void> {
  const { rows } = await client.query(`
    select c.relname::text as name from pg_class c
     where ${saved} and c.relkind in ('r', 'p') and not c.relispartition and row_security_active(c.oid)
       and not exists (
         select from pg_policy p
          where p.polrelid = c.oid and p.polname = 'across_users' and p.polpermissive and p.polcmd in ('*', 'r')
            and (select oid from pg_roles where rolname = current_user) = any (p.polroles))`)
  if (rows.length === 0) return
  throw new StartupError(
    `This login cannot see every row of ${rows.map(({ name }) => name).join(', ')}.`,
    'Use the login that Belfry itself uses; `npm run belfry -- doctor` tells more.',
  )
}
