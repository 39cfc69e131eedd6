/**
 * Replaces connections that will never respond, sooner than the limits of their statements would. A slow statement and a dead
 * connection look the same. A new connection tells them apart: if PostgreSQL doesn't know the session, or runs nothing in it,
 * there will be no response.
 */
import type { Connector } from './connector.ts'
import type { OpenConnection } from './open-connection.ts'

const CHECK_INTERVAL_MS = 500
/** Most statements respond sooner, so that there is nothing to check. */
const SUSPICIOUS_MS = 2_000
const PROBE_TIMEOUT_MS = 2_000
/** A response that PostgreSQL has just sent may still be on its way. */
const MAX_DELIVERY_MS = 250

export class SilenceWatch {
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
    const sinceByConnection = new Map(suspects.map((connection) => [connection, connection.waitingSince]))
    const activePids = await this.#findActivePids(suspects)
    setTimeout(() => {
      this.#isChecking = false
      for (const [connection, since] of sinceByConnection) {
        // A response since then shows that the connection works.
        if (connection.waitingSince !== since || activePids.has(connection.pid)) continue
        connection.destroy()
        this.#connector.reportSilence(connection)
      }
    }, MAX_DELIVERY_MS).unref()
  }

  /** Returns an empty set if PostgreSQL doesn't respond. */
  async #findActivePids(suspects: readonly OpenConnection[]): Promise<Set<number>> {
    let probe: OpenConnection | undefined
    try {
      probe = await this.#connector.connect({ timeoutMs: PROBE_TIMEOUT_MS, setup: 'set search_path = belfry, public' })
      const pids = suspects.map(({ pid }) => pid)
      const [result] = await probe.run([{ text: FIND_ACTIVE_SESSIONS, values: [pids] }], PROBE_TIMEOUT_MS)
      return new Set(result?.rows.map(({ pid }) => pid))
    } catch {
      return new Set()
    } finally {
      void probe?.close()
    }
  }
}

const FIND_ACTIVE_SESSIONS = `select pid from pg_stat_activity
  where pid = any ($1) and usename = session_user and state is distinct from 'idle'
    and state is distinct from 'idle in transaction' and state is distinct from 'idle in transaction (aborted)'`

function isSuspicious({ waitingSince }: OpenConnection): boolean {
  return waitingSince !== undefined && performance.now() - waitingSince > SUSPICIOUS_MS
}
