/**
 * Connections for transactions. Only one caller at a time uses a connection. pg's own pool can't choose between
 * servers, and doesn't replace idle connections to a server that was demoted. It also limits the wait for a free
 * connection and the wait for a new one separately, so a caller could wait for twice the limit.
 */
import { STOPPING_DETAIL, unavailable } from '../lib/problem.ts'
import { endsConnection } from './connection-loss.ts'
import type { Connector } from './connector.ts'
import { noServerProblem } from './no-server-error.ts'
import type { OpenConnection } from './open-connection.ts'
import type { PoolUsage } from './pool-usage.ts'

export interface ClientPoolOptions {
  connector: Connector
  size: number
  /** SQL that sets up a session. */
  setup: string
  onLoss: (error: Error) => void
}

interface Waiter {
  resolve(connection: OpenConnection | undefined): void
  timer: NodeJS.Timeout
}

const MAX_IDLE_MS = 60_000
const MAX_CLOSE_MS = 3_000

export class ClientPool {
  readonly #options: ClientPoolOptions
  readonly #connections = new Set<OpenConnection>()
  /** The connections that nobody uses, with the timers that will close them. */
  readonly #idle = new Map<OpenConnection, NodeJS.Timeout>()
  readonly #waiters: Waiter[] = []
  #openingCount = 0
  #isClosed = false
  #resolveAllClosed: (() => void) | undefined

  constructor(options: ClientPoolOptions) {
    this.#options = options
    options.connector.onRetire(() => this.#closeRetired())
  }

  get connections(): Iterable<OpenConnection> {
    return this.#connections
  }

  get usage(): PoolUsage {
    return {
      inUse: this.#connections.size - this.#idle.size,
      idle: this.#idle.size,
      waiting: this.#waiters.length,
    }
  }

  /** Returns a connection that the caller must release. Rejects with a Problem if there is none in time. */
  async acquire(timeoutMs: number): Promise<OpenConnection> {
    const deadline = performance.now() + timeoutMs
    if (this.#isClosed) throw unavailable(STOPPING_DETAIL)
    const idleConnection = this.#takeIdle()
    if (idleConnection !== undefined) return idleConnection
    if (this.#connections.size + this.#openingCount < this.#options.size) {
      this.#openingCount++
    } else {
      const releasedConnection = await this.#waitForRelease(deadline)
      if (releasedConnection !== undefined) return releasedConnection
    }
    return this.#open(deadline)
  }

  /** `error` is the error that the caller's work on the connection failed with. */
  release(connection: OpenConnection, error?: unknown): void {
    const { connector } = this.#options
    if (error !== undefined) connector.report(connection, error)
    if (connection.isSilent) connector.reportSilence(connection)
    if (error !== undefined && endsConnection(error)) connection.destroy()
    else if (this.#isRetired(connection)) void connection.close()
    if (!connection.isDestroyed && this.#connections.has(connection)) {
      this.#makeAvailable(connection)
    } else {
      this.#forget(connection)
      this.#wakeWaiter(undefined)
    }
  }

  #takeIdle(): OpenConnection | undefined {
    // The connection that was used last is the most likely to work.
    const connection = [...this.#idle.keys()].at(-1)
    if (connection === undefined) return undefined
    clearTimeout(this.#idle.get(connection))
    this.#idle.delete(connection)
    return connection
  }

  /** Resolves with a released connection, or with undefined if the caller should open a new one. */
  #waitForRelease(deadline: number): Promise<OpenConnection | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
          reject(unavailable('The database is busy.'))
        },
        Math.max(0, deadline - performance.now()),
      )
      const waiter: Waiter = { resolve, timer }
      this.#waiters.push(waiter)
    })
  }

  /** The caller has counted the new connection in `#openingCount`. */
  async #open(deadline: number): Promise<OpenConnection> {
    const { connector, setup, onLoss } = this.#options
    try {
      const connection = await connector.connect({
        timeoutMs: deadline - performance.now(),
        setup,
        usesSharedBuffer: true,
      })
      connection.client.on('error', onLoss)
      connection.client.on('end', () => this.#forget(connection))
      if (!this.#isClosed) {
        this.#connections.add(connection)
        return connection
      }
      await connection.close()
    } catch (error) {
      // This attempt has failed, but that of a waiting caller may succeed, for example with another server.
      setImmediate(() => this.#wakeWaiter(undefined))
      throw noServerProblem(error)
    } finally {
      this.#openingCount--
    }
    throw unavailable(STOPPING_DETAIL)
  }

  /** Gives the connection to the first waiting caller, or keeps it open for a while. */
  #makeAvailable(connection: OpenConnection): void {
    if (this.#wakeWaiter(connection)) return
    const timer = setTimeout(() => {
      this.#forget(connection)
      void connection.close()
    }, MAX_IDLE_MS)
    this.#idle.set(connection, timer.unref())
  }

  #wakeWaiter(connection: OpenConnection | undefined): boolean {
    const waiter = this.#waiters.shift()
    if (waiter === undefined) return false
    clearTimeout(waiter.timer)
    if (connection === undefined) this.#openingCount++
    waiter.resolve(connection)
    return true
  }

  #forget(connection: OpenConnection): void {
    clearTimeout(this.#idle.get(connection))
    this.#idle.delete(connection)
    this.#connections.delete(connection)
    if (this.#connections.size === 0) this.#resolveAllClosed?.()
  }

  #isRetired(connection: OpenConnection): boolean {
    return this.#isClosed || this.#options.connector.isRetired(connection)
  }

  #closeRetired(): void {
    for (const connection of [...this.#idle.keys()]) {
      if (!this.#isRetired(connection)) continue
      this.#forget(connection)
      void connection.close()
    }
  }

  /** Waits for the work in progress, but at most `MAX_CLOSE_MS`. */
  async close(): Promise<void> {
    this.#isClosed = true
    const idleConnections = [...this.#idle.keys()]
    for (const connection of idleConnections) this.#forget(connection)
    await Promise.all(idleConnections.map((connection) => connection.close()))
    if (this.#connections.size === 0) return
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy()
    }, MAX_CLOSE_MS)
    await new Promise<void>((resolve) => {
      this.#resolveAllClosed = resolve
    })
    clearTimeout(timer)
  }
}
