/** The batches that were sent on one pipelined connection and wait for their results. */
import { runBatch, type Statement, type StatementResult } from './batch.ts'
import { connectionLostProblem, endsConnection, isConnectionLoss } from './connection-loss.ts'
import type { Connector } from './connector.ts'
import { noServerProblem } from './no-server-error.ts'
import { type OpenConnection, RESPONSE_GRACE_MS } from './open-connection.ts'

interface PendingBatch {
  sentAt: number
  timeoutMs: number
  /** Set once the batch was rejected because its time is up. Its response may still arrive. */
  isOverdue: boolean
  resolve(results: StatementResult[]): void
  reject(error: unknown): void
}

interface Deps {
  connector: Connector
  onLoss: (error: Error) => void
  /** Called when the connection takes no further batches. */
  onRetire: () => void
  /** Called when the connection is closed. */
  onEnd: () => void
}

export class Pipeline {
  readonly #deps: Deps
  readonly #connection: Promise<OpenConnection>
  readonly #batches = new Set<PendingBatch>()
  #openConnection: OpenConnection | undefined
  #isRetired = false

  constructor(connection: Promise<OpenConnection>, deps: Deps) {
    this.#deps = deps
    this.#connection = connection
    connection.then((openConnection) => this.#start(openConnection), deps.onEnd)
  }

  get openConnection(): OpenConnection | undefined {
    return this.#openConnection
  }

  get queueLength(): number {
    return this.#batches.size
  }

  #start(connection: OpenConnection): void {
    this.#openConnection = connection
    connection.client.on('error', (error) => {
      this.#deps.onEnd()
      this.#deps.onLoss(error)
    })
    connection.client.on('end', this.#deps.onEnd)
    if (this.#isRetired) void connection.close()
  }

  run(statements: readonly Statement[], timeoutMs: number): Promise<StatementResult[]> {
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult[]>()
    const batch: PendingBatch = { sentAt: performance.now(), timeoutMs, isOverdue: false, resolve, reject }
    this.#batches.add(batch)
    if (this.#openConnection !== undefined) this.#send(this.#openConnection, statements, batch)
    else void this.#sendWhenOpen(statements, batch)
    return promise
  }

  async #sendWhenOpen(statements: readonly Statement[], batch: PendingBatch): Promise<void> {
    try {
      this.#send(await this.#connection, statements, batch)
    } catch (error) {
      this.#batches.delete(batch)
      batch.reject(noServerProblem(error))
    }
  }

  /** Thousands of statements a second pass through here, so it creates as few promises as possible. */
  #send(connection: OpenConnection, statements: readonly Statement[], batch: PendingBatch): void {
    if (connection.waitingSince === undefined) connection.noteProgress(true)
    connection.corkUntilNextTurn()
    runBatch(connection.client, statements, { isObsolete: () => batch.isOverdue }).then(
      (results) => {
        this.#finish(connection, batch)
        batch.resolve(results)
      },
      (error) => void this.#fail(connection, batch, error),
    )
  }

  async #fail(connection: OpenConnection, batch: PendingBatch, error: unknown): Promise<void> {
    const { connector } = this.#deps
    connector.report(connection, error)
    // PostgreSQL reports a shutdown before it closes the connection. Batches sent in between should open a new connection.
    if (endsConnection(error)) this.retire()
    this.#finish(connection, batch)
    const cause = await connector.explain(connection, error)
    batch.reject(isConnectionLoss(cause) ? connectionLostProblem(cause) : cause)
  }

  #finish(connection: OpenConnection, batch: PendingBatch): void {
    this.#batches.delete(batch)
    const isWaiting = this.#batches.size > 0
    connection.noteProgress(isWaiting)
    if (this.#isRetired && !isWaiting) void connection.close()
  }

  /** Takes no further batches, and closes the connection after the results of those that were sent. */
  retire(): void {
    if (this.#isRetired) return
    this.#isRetired = true
    this.#deps.onRetire()
    if (this.#batches.size === 0) void this.#openConnection?.close()
  }

  /** Rejects batches that wait for too long, whether PostgreSQL is running them or they wait behind another one. */
  rejectOverdue(): void {
    const now = performance.now()
    for (const batch of this.#batches) {
      if (batch.isOverdue || now < batch.sentAt + batch.timeoutMs + RESPONSE_GRACE_MS) continue
      batch.isOverdue = true
      batch.reject(connectionLostProblem(new Error('PostgreSQL did not respond in time')))
      this.retire()
      this.#destroyIfSilent(batch.timeoutMs)
    }
  }

  /** A connection without any response in `timeoutMs` is dead: PostgreSQL would have cancelled a statement by now. */
  #destroyIfSilent(timeoutMs: number): void {
    const connection = this.#openConnection
    if (connection?.waitingSince === undefined || performance.now() - connection.waitingSince < timeoutMs) return
    connection.destroy()
    this.#deps.connector.reportSilence(connection)
  }

  async close(): Promise<void> {
    this.#isRetired = true
    const connection = await this.#connection.catch(() => undefined)
    await connection?.close()
  }
}
