/** Queries and transactions on the connections of one group. */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Statement, StatementResult } from './batch.ts'
import { ClientPool } from './client-pool.ts'
import { isDatabaseUnavailable, isDiskFull, isLockTimeout, translateDatabaseError } from './connection-loss.ts'
import type { Connector } from './connector.ts'
import { isDeadlock, retryOnDeadlock } from './deadlock.ts'
import { isOutcomeUnknown } from './no-server-error.ts'
import type { OpenConnection } from './open-connection.ts'
import { PipelinedPool } from './pipelined-pool.ts'
import { type PoolUsage, sumUsage } from './pool-usage.ts'
import { formatSessionSetup, type GroupLimits, limitStatements } from './session-setup.ts'
import { runInTransaction, type TransactionOptions, type TransactionQueries } from './transaction.ts'
import { WaitBudget } from './wait-budget.ts'

/** All callers share the pipelined connections; each transaction has a connection to itself. */
export interface PoolSizes {
  pipelined: number
  transactions: number
}

/** How long a batch avoids the shared connections after it had to wait for a lock. */
const BLOCKED_MS = 2_000
/** Delay before statements with an unknown outcome run again. */
const REPEAT_DELAY_MS = 50
/** Connections for batches that wait for a lock. */
const BLOCKED_POOL_SIZE = 2

export class ConnectionPools {
  readonly #connector: Connector
  readonly #limits: GroupLimits
  readonly #onDiskFull: (() => void) | undefined
  readonly #pipelined: PipelinedPool
  readonly #transactions: ClientPool
  readonly #blocked: ClientPool
  /** The batches that recently had to wait for a lock, with the time until which they are remembered. */
  readonly #blockedUntil = new Map<string, number>()

  constructor(options: {
    connector: Connector
    sizes: PoolSizes
    limits: GroupLimits
    onLoss: (error: Error) => void
    /** Called each time PostgreSQL refuses to write because its disk is full. */
    onDiskFull?: () => void
  }) {
    const { connector, sizes, limits } = options
    this.#onDiskFull = options.onDiskFull
    this.#connector = connector
    this.#limits = limits
    const { sharedLockTimeoutMs, lockTimeoutMs, statementTimeoutMs } = limits
    const createOptions = (size: number, lockMs: number) => ({
      ...options,
      size,
      setup: formatSessionSetup(limits, lockMs),
    })
    this.#pipelined = new PipelinedPool(createOptions(sizes.pipelined, sharedLockTimeoutMs))
    this.#transactions = new ClientPool(createOptions(sizes.transactions, lockTimeoutMs))
    this.#blocked = new ClientPool(createOptions(BLOCKED_POOL_SIZE, statementTimeoutMs))
  }

  /** Runs several statements in one round trip and one transaction. Work that has already waited passes a shorter `timeoutMs`. */
  run(statements: readonly Statement[], timeoutMs = this.#limits.timeoutMs): Promise<StatementResult[]> {
    if (this.#blockedUntil.size > 0) return this.#runWithin(timeoutMs, statements)
    // Nearly all batches succeed at the first attempt, so only a failed one gets a WaitBudget for its retries.
    const startedAt = performance.now()
    return this.#pipelined.run(statements, timeoutMs).catch((error) => {
      if (isLockTimeout(error)) this.#rememberBlocked(statements)
      else if (!isDeadlock(error)) throw this.#translate(error)
      return this.#runWithin(timeoutMs - (performance.now() - startedAt), statements)
    })
  }

  /**
   * Like `run`, for idempotent statements. If the connection is lost, nobody knows whether they
   * took effect. So they run again on another connection, until the timeout of a single `run` is over.
   */
  async runRepeatable(statements: readonly Statement[]): Promise<StatementResult[]> {
    const deadline = performance.now() + this.#limits.timeoutMs
    try {
      return await this.run(statements)
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error
      return this.#repeatUntil(deadline, statements, error)
    }
  }

  /** While the database restarts, it refuses connections immediately, so attempts need a delay. */
  async #repeatUntil(deadline: number, statements: readonly Statement[], error: unknown): Promise<StatementResult[]> {
    let lastError = error
    while (performance.now() + REPEAT_DELAY_MS < deadline && isDatabaseUnavailable(lastError)) {
      await delay(REPEAT_DELAY_MS)
      try {
        return await this.#runWithin(deadline - performance.now(), statements)
      } catch (error) {
        lastError = error
      }
    }
    throw lastError
  }

  async #runWithin(timeoutMs: number, statements: readonly Statement[]): Promise<StatementResult[]> {
    const budget = new WaitBudget({ timeoutMs, per: 'total' })
    try {
      return await retryOnDeadlock(() => this.#runOnce(statements, budget))
    } catch (error) {
      throw this.#translate(error)
    }
  }

  /**
   * A batch that has to wait for a lock gives up its place on a shared connection, where other batches wait behind it, and
   * waits on a connection of its own.
   */
  async #runOnce(statements: readonly Statement[], budget: WaitBudget): Promise<StatementResult[]> {
    if (!this.#isBlocked(statements)) {
      try {
        return await budget.spend((timeoutMs) => this.#pipelined.run(statements, timeoutMs))
      } catch (error) {
        if (!isLockTimeout(error)) throw error
        this.#rememberBlocked(statements)
      }
    }
    return this.#useConnection(this.#blocked, budget, (connection) =>
      budget.spend(async (timeoutMs) => {
        // The statement timeout of the session is too long, because some of the time has already passed. If we gave up
        // before PostgreSQL cancels the statement, the connection would be lost, and the statement could still take
        // effect. Setting a shorter timeout needs a round trip of its own, because preparing a statement already waits
        // for a locked table.
        await connection.run([limitStatements(timeoutMs)], timeoutMs)
        return connection.run(statements, timeoutMs)
      }),
    )
  }

  #rememberBlocked(statements: readonly Statement[]): void {
    this.#blockedUntil.set(nameBatch(statements), performance.now() + BLOCKED_MS)
  }

  #isBlocked(statements: readonly Statement[]): boolean {
    const now = performance.now()
    for (const [name, until] of this.#blockedUntil) if (until < now) this.#blockedUntil.delete(name)
    return this.#blockedUntil.has(nameBatch(statements))
  }

  /** Repeats `work` after a deadlock, unless it only reads. So `work` must have no side effects outside the database. */
  async transaction<T>(options: TransactionOptions, work: (queries: TransactionQueries) => Promise<T>): Promise<T> {
    const { isSnapshot = false } = options
    const { timeoutMs, per } = this.#limits
    const budget = new WaitBudget({ timeoutMs, per: isSnapshot ? 'each' : per })
    const runOnce = () => {
      // The caller gets the result of a snapshot before COMMIT. If COMMIT then fails, that affects only the connection.
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      this.#useConnection(this.#transactions, budget, (connection) =>
        runInTransaction({ ...options, connection, budget, limits: this.#limits, onSnapshotResult: resolve }, work),
      ).then(resolve, reject)
      return promise
    }
    try {
      return await (isSnapshot ? runOnce() : retryOnDeadlock(runOnce))
    } catch (error) {
      throw this.#translate(error)
    }
  }

  /** Lends a connection, for COPY and anything else that isn't a plain query. */
  async withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const budget = new WaitBudget(this.#limits)
    try {
      return await this.#useConnection(this.#transactions, budget, ({ client }) => work(client))
    } catch (error) {
      throw this.#translate(error)
    }
  }

  async #useConnection<T>(
    pool: ClientPool,
    budget: WaitBudget,
    work: (connection: OpenConnection) => Promise<T>,
  ): Promise<T> {
    const connection = await budget.spend((timeoutMs) => pool.acquire(timeoutMs))
    try {
      const result = await work(connection)
      pool.release(connection)
      return result
    } catch (error) {
      pool.release(connection, error)
      throw await this.#connector.explain(connection, error)
    }
  }

  #translate(error: unknown): unknown {
    if (isDiskFull(error)) this.#onDiskFull?.()
    return translateDatabaseError(error)
  }

  get connections(): OpenConnection[] {
    return [...this.#pipelined.connections, ...this.#transactions.connections, ...this.#blocked.connections]
  }

  get usage(): PoolUsage {
    return sumUsage([this.#pipelined.usage, this.#transactions.usage, this.#blocked.usage])
  }

  async close(): Promise<void> {
    await Promise.all([this.#pipelined.close(), this.#transactions.close(), this.#blocked.close()])
  }
}

/** Batches of the same statements have the same name. The first statement only sets the caller and doesn't count. */
function nameBatch(statements: readonly Statement[]): string {
  return statements
    .slice(1)
    .map(({ text }) => text)
    .join(';')
}
