/** Detects a connection pooler that gives every transaction another PostgreSQL session. */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { StartupError } from '../lib/startup-error.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import { Connector } from './connector.ts'

/** A pooler without a free session lets the second connection wait. */
const TIMEOUT_MS = 5_000

/**
 * Belfry prepares statements and holds advisory locks, which belong to a session. Behind a pooler in transaction mode they
 * would end up in other clients' sessions.
 */
export async function requireOwnSession(client: pg.Client, settings: ConnectionSettings): Promise<void> {
  if (!(await isPooled(client)) || !(await sharesSession(client, settings))) return
  throw new StartupError(
    'The connection pooler in front of PostgreSQL runs in transaction mode, which Belfry does not support.',
    'Set session mode for this database (pgbouncer: pool_mode = session), or point DATABASE_URL at PostgreSQL itself.',
  )
}

/** A pooler cannot pass on the process id of PostgreSQL, because it needs ids of its own for cancel requests. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return rows[0].pid !== (client as pg.Client & { processID: number }).processID
}

/**
 * Marks our session. Then a second connection begins a transaction, which takes a session out of the pool. In transaction
 * mode it gets the marked session, or our next query gets another one.
 */
async function sharesSession(client: pg.Client, settings: ConnectionSettings): Promise<boolean> {
  const mark = randomUUID()
  const connectOptions = {
    timeoutMs: TIMEOUT_MS,
    setup: `set statement_timeout = ${TIMEOUT_MS}`,
    acceptsReadOnly: true,
  }
  const otherConnection = await new Connector(settings).connect(connectOptions)
  const otherClient = otherConnection.client
  try {
    await client.query(`select set_config('belfry.pooler_mark', $1, false)`, [mark])
    await otherClient.query('begin')
    if ((await readMark(otherClient)) === mark) return true
    return (await readMark(client)) !== mark
  } finally {
    await otherConnection.close()
  }
}

async function readMark(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query(`select current_setting('belfry.pooler_mark', true) as mark`)
  return rows[0].mark
}
