/** SQL for the nodes table. It uses only PostgreSQL's clock, so the nodes' clocks may differ. */
import { randomInt } from 'node:crypto'
import type { Role } from '../config/config.ts'
import { readSupportedVersion } from '../storage/migrations.ts'
import type { Queries } from '../storage/transaction.ts'

/** A node without a heartbeat for this long has expired, and others may claim its work. */
const EXPIRES_AFTER = `interval '6 seconds'`
/**
 * A node that was silent for longer than this continues under a new id, because others may have released its claims.
 * This is shorter than EXPIRES_AFTER, so that no node decides that an id has expired while its heartbeat is being
 * stored.
 */
const RENEWABLE_FOR = `interval '5 seconds'`

/** A process that runs Belfry. It has one row for each kind of work that it claims. */
export interface NodeProcess {
  processId: number
  roles: readonly Role[]
}

export interface LiveLease {
  processId: number
  roles: Role[]
  /** The newest schema version that the node knows. */
  schemaVersion: number
}

export interface Heartbeat {
  /** The ids that had not expired. */
  renewedIds: number[]
  /** The leases of all nodes. */
  liveLeases: LiveLease[]
  databaseTimeMs: number
}

export const createRandomId = () => randomInt(1, 2 ** 48 - 1)

export async function insertNodes(q: Queries, { processId, roles }: NodeProcess, count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, createRandomId)
  await q.query(
    `insert into nodes (id, seen_at, process_id, roles, schema_version)
     select id, now(), $2, $3, $4 from unnest($1::bigint[]) id`,
    // A later version of Belfry reads which schema version this node knows, before it migrates the database.
    [ids, processId, roles, await readSupportedVersion()],
  )
  return ids
}

/**
 * Renews the lease of `ids`, deletes `abandonedIds` and the expired ids of all nodes, and reads all live leases and PostgreSQL's
 * time.
 */
export async function sendHeartbeat(
  q: Queries,
  ids: readonly number[],
  abandonedIds: readonly number[],
): Promise<Heartbeat> {
  const [, renewed, , live, time] = await q.batch(
    // The heartbeat waits neither for the disk nor for a synchronous replica. If it is lost, the next one follows in a second.
    { text: `select set_config('synchronous_commit', 'off', true)` },
    {
      text: `update nodes set seen_at = now() where id = any ($1) and seen_at >= now() - ${RENEWABLE_FOR} returning id`,
      values: [ids],
    },
    {
      text: `delete from nodes where seen_at < now() - ${EXPIRES_AFTER} or id = any ($1)`,
      values: [abandonedIds],
    },
    { text: 'select process_id as "processId", roles, schema_version as "schemaVersion" from nodes' },
    { text: readTimeSql },
  )
  return {
    renewedIds: renewed?.rows.map(({ id }) => id) ?? [],
    liveLeases: (live?.rows ?? []) as LiveLease[],
    databaseTimeMs: time?.rows[0]?.['ms'],
  }
}

const readTimeSql = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms'

export async function readDatabaseTimeMs(q: Queries): Promise<number> {
  const [row] = await q.query(readTimeSql)
  return row?.['ms']
}

export async function deleteNodes(q: Queries, ids: readonly number[]): Promise<void> {
  await q.query('delete from nodes where id = any ($1)', [ids])
}

/** SQL condition: the node whose id is in this column has expired. Its row may not have been deleted yet. */
export const buildNodeHasExpiredSql = (nodeIdColumn: string) =>
  `not exists (select from nodes n where n.id = ${nodeIdColumn} and n.seen_at >= now() - ${EXPIRES_AFTER})`

/** Whether a node that knows only earlier schema versions than this one is running. */
export async function hasNodeBefore(q: Queries, schemaVersion: number): Promise<boolean> {
  const [row] = await q.query<{ has_node: boolean }>(
    `select exists (select from nodes
                     where coalesce(schema_version, 0) < $1 and seen_at > now() - ${EXPIRES_AFTER}) as has_node`,
    [schemaVersion],
  )
  return row?.has_node === true
}
