/**
 * Replaces connections that will never respond, sooner than the limits of their statements would. A slow statement and a dead
 * connection look the same. A new connection tells them apart: if PostgreSQL doesn't know the session, or runs nothing in it,
 * there will be no response.
 */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Row } from './batch.ts'
import type { Connector } from './connector.ts'
import { NoServerError } from './no-server-error.ts'
import { type OpenConnection, sessionIdSql } from './open-connection.ts'

const CHECK_INTERVAL_MS = 500
/** PostgreSQL responds to most statements within this time, so there is rarely a connection to check. */
const SUSPICIOUS_MS = 2_000
/**
 * PostgreSQL runs nothing until it has received a statement completely, so a connection that is still sending a long statement looks
 * dead. In addition to `SUSPICIOUS_MS`, it gets the time that sending takes at this rate (100 kB a second).
 */
const MIN_SEND_BYTES_PER_MS = 100
const PROBE_TIMEOUT_MS = 2_000
/** A response that PostgreSQL has just sent may still be on its way. It arrives within this time. */
const MAX_DELIVERY_MS = 250

export class DeadConnections {
  readonly #connector: Connector
  readonly #listConnections: () => OpenConnection[]
  readonly #timer: NodeJS.Timeout
  #isChecking = false

  constructor(connector: Connector, listConnections: () => OpenConnection[]) {
    this.#connector = connector
    this.#listConnections = listConnections
    this.#timer = setInterval(() => void this.#check(), CHECK_INTERVAL_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #check(): Promise<void> {
    const suspects = this.#listConnections().filter(isSuspicious)
    if (this.#isChecking || suspects.length === 0) return
    this.#isChecking = true
    await this.#replaceDead(suspects)
    this.#isChecking = false
  }

  async #replaceDead(suspects: readonly OpenConnection[]): Promise<void> {
    const sinceByConnection = new Map(suspects.map((connection) => [connection, connection.waitingSince]))
    let probe: OpenConnection | undefined
    try {
      probe = await this.#connector.connect({ timeoutMs: PROBE_TIMEOUT_MS, setup: 'select' })
    } catch (error) {
      // A server that refuses a new connection, for example because it has too many connections, may still respond on
      // the open ones.
      if (error instanceof NoServerError && error.errors.some((reason) => reason instanceof pg.DatabaseError)) return
    }
    const activeIds = new Set((await runOnProbe(probe, FIND_ACTIVE_SESSIONS, suspects)).map(({ id }) => id))
    await delay(MAX_DELIVERY_MS, undefined, { ref: false })
    const deadConnections = suspects.filter(
      // A response since the check began shows that the connection works.
      (connection) =>
        connection.waitingSince === sinceByConnection.get(connection) && !activeIds.has(connection.sessionId),
    )
    for (const connection of deadConnections) {
      connection.destroy()
      this.#connector.reportSilence(connection)
    }
    // PostgreSQL may take long to notice that a connection is lost, and its session keeps its locks until then. So end
    // the session.
    await runOnProbe(probe, END_IDLE_SESSIONS, deadConnections)
    await probe?.close()
  }
}

/** Returns no rows if there is no probe, or PostgreSQL doesn't respond. */
async function runOnProbe(
  probe: OpenConnection | undefined,
  text: string,
  connections: readonly OpenConnection[],
): Promise<Row[]> {
  if (probe === undefined || connections.length === 0) return []
  const values = [connections.map(({ sessionId }) => sessionId)]
  const results = await probe.run([{ text, values }], PROBE_TIMEOUT_MS).catch(() => [])
  return results[0]?.rows ?? []
}

const FIND_ACTIVE_SESSIONS = `select ${sessionIdSql} as id from pg_stat_activity
  where ${sessionIdSql} = any ($1) and usename = session_user and state is distinct from 'idle'
    and state is distinct from 'idle in transaction' and state is distinct from 'idle in transaction (aborted)'`

const END_IDLE_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where ${sessionIdSql} = any ($1) and usename = session_user
    and state in ('idle', 'idle in transaction', 'idle in transaction (aborted)')`

function isSuspicious({ waitingSince, maxBytesInTransit }: OpenConnection): boolean {
  if (waitingSince === undefined) return false
  return performance.now() - waitingSince > SUSPICIOUS_MS + maxBytesInTransit / MIN_SEND_BYTES_PER_MS
}
