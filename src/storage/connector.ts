/** Opens connections to the server that accepts writes, and retires them when it becomes read-only or stops responding. */
import { Socket } from 'node:net'
import pg from 'pg'
import { endsConnection, isLostSession, isReadOnlyServerError, mayBeLostSession } from './connection-loss.ts'
import type { ConnectionAlternative, ConnectionSettings } from './connection-settings.ts'
import { type HostFailure, NoServerError, ReadOnlyServer } from './no-server-error.ts'
import { destroyClient, OpenConnection, sessionIdSql } from './open-connection.ts'
import { PoolerMode, TransactionModeError } from './pooler.ts'
// This replaces how pg reads rows.
import './row-fields.ts'
import { SharedBufferSocket } from './shared-buffer-socket.ts'

/** How long an attempt to connect to one server may take, unless DATABASE_URL has a `connect_timeout`. */
const HOST_TIMEOUT_MS = 3_000
/** With this delay, the operating system notices after about 15 s that the other side of an idle connection has disappeared. */
const KEEP_ALIVE_DELAY_MS = 5_000
/** A statement that does nothing, for connections that only test the pooler. */
const NO_SETUP = 'select'
/**
 * How long a test of the pooler's mode may take. The test opens a second connection, which waits if the pooler has no
 * free session.
 */
const POOLER_TEST_TIMEOUT_MS = 2_000

export interface ConnectOptions {
  timeoutMs: number
  /** SQL that sets up the session. */
  setup: string
  isPipelined?: boolean
  /** Uses a `SharedBufferSocket`, except with TLS. Must be false if pg-copy-streams reads from the connection. */
  usesSharedBuffer?: boolean
  /** Accepts a read-only server if no server accepts writes. */
  acceptsReadOnly?: boolean
}

export class Connector {
  readonly #settings: ConnectionSettings
  readonly #poolerMode: PoolerMode
  readonly #retireCallbacks: (() => void)[] = []
  #generation = 0
  /**
   * The host of the last connection that was opened. It is tried first, so that after a failover only one connection
   * has to wait for the server that doesn't respond.
   */
  #lastGoodHost: string | undefined

  /** `onTransactionMode` is called when a pooler was switched to transaction mode (true) or back (false). */
  constructor(settings: ConnectionSettings, onTransactionMode: (isOn: boolean) => void = () => {}) {
    this.#settings = settings
    this.#poolerMode = new PoolerMode(onTransactionMode)
  }

  /**
   * Throws a NoServerError if no server accepts writes, and a TransactionModeError if a pooler shares the session with
   * other clients. Tests the pooler only after an error that a shared session would explain.
   */
  async connect(options: ConnectOptions): Promise<OpenConnection> {
    const deadline = performance.now() + options.timeoutMs
    this.#poolerMode.throwIfTransactionMode()
    const connection = await this.#connectUntested(options)
    const timeoutMs = Math.min(POOLER_TEST_TIMEOUT_MS, deadline - performance.now())
    const timer = setTimeout(() => connection.destroy(), timeoutMs)
    try {
      const openOther = () => this.#connectUntested({ timeoutMs, setup: NO_SETUP })
      await this.#poolerMode.requireOwnSession(connection, openOther)
      return connection
    } catch (error) {
      connection.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  async #connectUntested(options: ConnectOptions): Promise<OpenConnection> {
    try {
      return await this.#tryServers({ ...options, acceptsReadOnly: false })
    } catch (error) {
      if (!options.acceptsReadOnly || !(error instanceof NoServerError) || !error.isReadOnly) throw error
      return this.#tryServers(options)
    }
  }

  /** Tries every server, for `doctor`. `problem` says why Belfry can't use the server. */
  async listServers(
    options: ConnectOptions,
  ): Promise<{ host: string; isStandby: boolean; problem: string | undefined }[]> {
    const attemptsByHost = Map.groupBy(this.#settings.alternatives ?? [this.#settings], nameHost)
    return Promise.all(
      [...attemptsByHost].map(async ([host, alternatives]) => {
        try {
          const connection = await new Connector({ ...this.#settings, alternatives }).connect(options)
          await connection.close()
          return { host, isStandby: false, problem: undefined }
        } catch (error) {
          const isStandby = error instanceof NoServerError && error.isReadOnly
          return { host, isStandby, problem: (error as Error).message }
        }
      }),
    )
  }

  async #tryServers(options: ConnectOptions): Promise<OpenConnection> {
    const deadline = performance.now() + options.timeoutMs
    const failures: HostFailure[] = []
    const remainingAttempts = this.#listAttempts()
    for (let attempt = remainingAttempts.shift(); attempt !== undefined; attempt = remainingAttempts.shift()) {
      const host = nameHost(attempt)
      if (failures.some((failure) => failure.host === host && !mayAcceptOtherTlsMode(failure.error))) continue
      const hostCount = new Set([attempt, ...remainingAttempts].map(nameHost)).size
      const { hostTimeoutMs = HOST_TIMEOUT_MS } = this.#settings
      try {
        const timeoutMs = Math.min(hostTimeoutMs, (deadline - performance.now()) / hostCount)
        const connection = await this.#open(attempt, { ...options, timeoutMs })
        this.#lastGoodHost = host
        return connection
      } catch (error) {
        failures.push({ host, error })
      }
    }
    throw new NoServerError(failures)
  }

  #listAttempts(): ConnectionAlternative[] {
    const attempts = [...(this.#settings.alternatives ?? [this.#settings])]
    return attempts.sort(
      (a, b) => Number(nameHost(b) === this.#lastGoodHost) - Number(nameHost(a) === this.#lastGoodHost),
    )
  }

  async #open(
    attempt: ConnectionAlternative,
    { timeoutMs, setup, isPipelined = false, usesSharedBuffer = false, acceptsReadOnly = false }: ConnectOptions,
  ): Promise<OpenConnection> {
    const { alternatives: _, hostTimeoutMs: __, ...settings } = this.#settings
    const client = new pg.Client({
      ...settings,
      ...attempt,
      // pg takes 0 for "no timeout".
      connectionTimeoutMillis: Math.max(1, Math.round(timeoutMs)),
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      pipeline: isPipelined,
      stream: () => (usesSharedBuffer && !attempt.ssl ? new SharedBufferSocket() : new Socket()),
    } as pg.ClientConfig)
    client.on('error', () => {}) // This error can be ignored, because a running statement reports it, too.
    const timer = setTimeout(() => destroyClient(client), timeoutMs)
    try {
      await client.connect()
      // Read the generation before the setup. If connections are retired during the setup, this connection may lead to
      // the same server, so it has to count as retired, too.
      const generation = this.#generation
      const { pid, session_id, is_standby, is_read_only } = await setUpSession(client, setup)
      if (is_standby && !acceptsReadOnly) {
        await endPooledSession(client, pid)
        throw new ReadOnlyServer('the server is a standby and read-only')
      }
      if (is_read_only && !acceptsReadOnly)
        throw new ReadOnlyServer('the server is read-only: default_transaction_read_only is on')
      const connection = new OpenConnection(client, { pid, id: session_id }, generation)
      connection.onReadOnly(() => this.#retire(connection))
      return connection
    } catch (error) {
      destroyClient(client)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Pools call this for every error of a connection. Retires all connections if the server has become read-only, or if
   * a pooler mixes up the sessions.
   */
  report(connection: OpenConnection, error: unknown): void {
    const hasLostSession = isLostSession(error)
    if (hasLostSession) this.#poolerMode.requestTest()
    if (hasLostSession || isReadOnlyServerError(error)) this.#retire(connection)
  }

  /**
   * Returns the error that the caller of a failed statement gets. If a pooler in transaction mode may explain `error`,
   * tests the pooler first.
   */
  async explain(connection: OpenConnection, error: unknown): Promise<unknown> {
    if (!connection.isPooled || !mayBeLostSession(error)) return error
    if (!this.#poolerMode.wasJustTested) this.#poolerMode.requestTest()
    try {
      await (await this.connect({ timeoutMs: POOLER_TEST_TIMEOUT_MS, setup: NO_SETUP })).close()
    } catch (testError) {
      if (!(testError instanceof TransactionModeError)) return error
      this.#retire(connection)
      return testError
    }
    return error
  }

  /**
   * Call it if a connection gets no response at all. Retires all open connections, because they are probably dead, too.
   */
  reportSilence(connection: OpenConnection): void {
    this.#retire(connection)
  }

  #retire({ generation }: OpenConnection): void {
    if (generation < this.#generation) return
    this.#generation++
    for (const callback of this.#retireCallbacks) callback()
  }

  isRetired({ generation }: OpenConnection): boolean {
    return generation < this.#generation
  }

  /** Calls `callback` when connections are retired, so that a pool can close its idle ones. */
  onRetire(callback: () => void): void {
    this.#retireCallbacks.push(callback)
  }
}

interface SessionFacts {
  pid: number
  session_id: string
  is_standby: boolean
  is_read_only: boolean
}

/**
 * Belfry's statements take milliseconds, and compiling one takes up to seconds. PostgreSQL compiles those with high estimated
 * costs, and before version 18 every planner setting such as `enable_sort = off` adds 1e10 to the estimate.
 */
const disableJitSql = 'set jit = off'

/** Sets up the session and reads its SessionFacts in one round trip. */
async function setUpSession(client: pg.Client, setup: string): Promise<SessionFacts> {
  const results = await client.query(
    `${disableJitSql}; ${setup}; select pid, ${sessionIdSql} as session_id, pg_is_in_recovery() as is_standby,
       current_setting('default_transaction_read_only') = 'on' as is_read_only
       from pg_stat_activity where pid = pg_backend_pid()`,
  )
  // With several statements, `query` returns an array of results.
  return [results].flat().at(-1)?.rows[0] as SessionFacts
}

/**
 * A pooler keeps its session with the standby when our connection ends. It would give that session to our next
 * connection, even if the pooler's address leads to another server by then. So PostgreSQL itself has to end the
 * session.
 */
async function endPooledSession(client: pg.Client, pid: number): Promise<void> {
  // Without a pooler, both process ids are PostgreSQL's. A pooler gives its clients process ids of its own.
  if ((client as pg.Client & { processID: number }).processID === pid) return
  await client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => {})
}

function nameHost({ host = 'localhost', port = 5432 }: ConnectionAlternative): string {
  return host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Whether an attempt with the other TLS mode may succeed: with TLS instead of without it, or the reverse. */
function mayAcceptOtherTlsMode(error: unknown): boolean {
  return !(error instanceof ReadOnlyServer) && !endsConnection(error)
}
