/** Runs a migration while other nodes use the database: waits for locks only briefly, and tries again until it gets them. */
import { setTimeout as delay } from 'node:timers/promises'
import pg, { type ClientBase } from 'pg'
import type { Logger } from 'pino'
import { StartupError } from '../lib/startup-error.ts'
import { MINUTE_MS, SECOND_MS } from '../shared/time.ts'

/**
 * The key of an advisory lock. A schema change takes the lock exclusively, and a backup shares it. The number is
 * arbitrary, and other programs are unlikely to use it.
 */
export const MIGRATION_LOCK = 2_358_001

/**
 * While a migration waits for the lock on a table, the queries of running nodes on that table wait behind it. After this time
 * the migration rolls back and lets them pass. PostgreSQL looks for deadlocks only after a second, so it never aborts a query
 * of a node because of the migration.
 */
const LOCK_TIMEOUT_MS = 400
const MIN_RETRY_DELAY_MS = 250
const MAX_RETRY_DELAY_MS = SECOND_MS
const MAX_TABLE_WAIT_MS = MINUTE_MS
/**
 * Waiting for the migration of another node or for a backup blocks no queries, and both can take minutes. So this wait
 * can be long.
 */
const MAX_MIGRATION_LOCK_WAIT_MS = 10 * MINUTE_MS

/** SQLSTATE codes of a lock timeout and of a deadlock. */
const lockErrorCodes: readonly (string | undefined)[] = ['55P03', '40P01']

export interface SchemaChangeOptions {
  log?: Logger
  /** Aborted when the server stops. */
  signal?: AbortSignal
  /** How long the change waits for locks on tables. Tests set a shorter time than the default. */
  maxTableWaitMs?: number
}

type AttemptResult<T> = { value: T } | { blockedBy: 'tables' | 'migration lock' }

/** Runs `work` in a transaction that holds the migration lock. Rolls back and tries again while other sessions block it. */
export async function applySchemaChange<T>(
  client: ClientBase,
  work: () => Promise<T>,
  { log, signal, maxTableWaitMs = MAX_TABLE_WAIT_MS }: SchemaChangeOptions = {},
): Promise<T> {
  const maxWaitMs = { tables: maxTableWaitMs, 'migration lock': MAX_MIGRATION_LOCK_WAIT_MS }
  const blockedSince = new Map<string, number>()
  for (let delayMs = MIN_RETRY_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_RETRY_DELAY_MS)) {
    signal?.throwIfAborted()
    const result = await attemptChange(client, work)
    if ('value' in result) return result.value
    const { blockedBy } = result
    const sessions = await describeBlockingSessions(client)
    if (!blockedSince.has(blockedBy)) log?.info({ sessions }, `the migration waits for ${waitsFor[blockedBy]}`)
    const waitedMs = performance.now() - blockedSince.getOrInsertComputed(blockedBy, () => performance.now())
    if (waitedMs >= maxWaitMs[blockedBy]) throw createBlockedError(blockedBy, waitedMs, sessions)
    await delay(delayMs, undefined, { signal })
  }
}

const waitsFor = {
  tables: 'transactions that use its tables',
  'migration lock': 'the migration of another node, or a backup',
}

async function attemptChange<T>(client: ClientBase, work: () => Promise<T>): Promise<AttemptResult<T>> {
  await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
  try {
    const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as locked', [MIGRATION_LOCK])
    if (!rows[0].locked) {
      await client.query('rollback')
      return { blockedBy: 'migration lock' }
    }
    const value = await work()
    await client.query('commit')
    return { value }
  } catch (error) {
    // The rollback fails if the connection is lost. `error` already reports the loss.
    await client.query('rollback').catch(() => {})
    if (error instanceof pg.DatabaseError && lockErrorCodes.includes(error.code)) return { blockedBy: 'tables' }
    throw error
  }
}

/**
 * Lists the sessions that have used our tables for longer than the lock timeout, or hold the migration lock, such as
 * "4711 (pg_dump, 75 s)". PostgreSQL hides how long the transactions of other logins have lasted.
 */
async function describeBlockingSessions(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ pid: number; name: string; seconds: number | null }>(
    `select distinct a.pid, a.application_name as name, floor(extract(epoch from now() - a.xact_start))::int as seconds
       from pg_locks l
       join pg_stat_activity a on a.pid = l.pid
       left join pg_class c on c.oid = l.relation and l.locktype = 'relation'
      where l.granted and l.pid <> pg_backend_pid()
        and l.database = (select oid from pg_database where datname = current_database())
        and (c.relnamespace = to_regnamespace('belfry') or l.locktype = 'advisory' and l.objid = $1)
        and coalesce(a.xact_start < now() - $2 * interval '1 ms', true)
      order by seconds desc nulls last, pid
      limit 5`,
    [MIGRATION_LOCK, LOCK_TIMEOUT_MS],
  )
  return rows.map(({ pid, name, seconds }) => {
    const details = [name, seconds === null ? '' : `${seconds} s`].filter(Boolean)
    return details.length === 0 ? String(pid) : `${pid} (${details.join(', ')})`
  })
}

function createBlockedError(
  blockedBy: 'tables' | 'migration lock',
  waitedMs: number,
  sessions: readonly string[],
): StartupError {
  const seconds = Math.round(waitedMs / SECOND_MS)
  const blockers =
    sessions.length === 0 ? '' : ` Process ids of database sessions with open transactions: ${sessions.join(', ')}.`
  return new StartupError(
    `The database was not migrated: the migration waited ${seconds} s for ${waitsFor[blockedBy]}.${blockers} Nothing was changed.`,
    'Wait until the transactions have ended, or end their sessions with pg_terminate_backend(<pid>), and start again.',
  )
}
