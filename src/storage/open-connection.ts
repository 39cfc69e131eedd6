/** An open connection to PostgreSQL, with the state that pools need: how long it has been waiting, and whether it is closed. */
import type { EventEmitter } from 'node:events'
import type pg from 'pg'
import { runBatch, type Statement, type StatementResult } from './batch.ts'
import { copyRows } from './copy.ts'
import type { WaitLimit } from './wait-budget.ts'

interface ClientInternals {
  /** The process id that PostgreSQL, or a pooler, sent when the connection was opened. */
  processID: number
  connection: EventEmitter & { stream: SocketStream }
}

interface SocketStream {
  /** Includes bytes that wait in this process. */
  bytesWritten: number
  /** How many bytes wait in this process, because the network has not taken them yet. */
  writableLength: number
  writableCorked: number
  cork(): void
  uncork(): void
  destroy(error?: Error): void
}

interface ParameterStatus {
  parameterName: string
  parameterValue: string
}

/**
 * PostgreSQL cancels a statement at its own timeout. We wait this much longer for that response, because a cancelled statement
 * leaves the connection usable.
 */
export const RESPONSE_GRACE_MS = 250
const MAX_TERMINATE_MS = 1_000

/** Identifies a session in pg_stat_activity. Another server, or a later session, may use the same process id. */
export const sessionIdSql = `pid || '.' || extract(epoch from backend_start)`

export class OpenConnection {
  readonly client: pg.Client
  /** The process id of PostgreSQL's session. */
  readonly pid: number
  /** The value of `sessionIdSql`. */
  readonly sessionId: string
  /** Connections of an earlier generation may lead to a server that no longer accepts writes. */
  readonly generation: number
  #waitingSince: number | undefined
  /** How many bytes the network had taken when `noteProgress` was last called, or at an earlier call. */
  #bytesSentAtProgress = 0
  #isDestroyed = false
  #isSilent = false

  constructor(client: pg.Client, session: { pid: number; id: string }, generation: number) {
    this.client = client
    this.pid = session.pid
    this.sessionId = session.id
    this.generation = generation
  }

  /** Whether the connection leads through a pooler, which gives its clients process ids of its own, for cancel requests. */
  get isPooled(): boolean {
    return internalsOf(this.client).processID !== this.pid
  }

  /** Since when we have been waiting for PostgreSQL's next response. undefined if no statement is running. */
  get waitingSince(): number | undefined {
    return this.#waitingSince
  }

  /** PostgreSQL still has to receive at most this many bytes. They include all that were sent since the last response. */
  get maxBytesInTransit(): number {
    return internalsOf(this.client).connection.stream.bytesWritten - this.#bytesSentAtProgress
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed
  }

  /** Whether `run` or `copyRows` closed the connection because PostgreSQL didn't respond in time. */
  get isSilent(): boolean {
    return this.#isSilent
  }

  /** Call it when a response has arrived, or when a request is sent while no other request waits for a response. */
  noteProgress(isWaiting: boolean): void {
    this.#waitingSince = isWaiting ? performance.now() : undefined
    const { stream } = internalsOf(this.client).connection
    // Not while the stream is corked, because `bytesWritten` then adds up the lengths of all waiting messages, which can be hundreds. An
    // outdated value only delays the suspicion that the connection is dead.
    if (stream.writableCorked === 0) this.#bytesSentAtProgress = stream.bytesWritten - stream.writableLength
  }

  /**
   * Runs statements while nobody else uses the connection. If no response arrives in time, closes the connection. `per` says whether
   * `timeoutMs` limits all statements together or each of them.
   */
  run(
    statements: readonly Statement[],
    timeoutMs: number,
    per: WaitLimit['per'] = 'total',
  ): Promise<StatementResult[]> {
    return this.#waitFor(
      (restartTimer) => runBatch(this.client, statements, { onProgress: per === 'each' ? restartTimer : undefined }),
      timeoutMs,
    )
  }

  /** Like `run`, for the rows of a select in PostgreSQL's binary format. */
  copyRows(select: string, timeoutMs: number): Promise<Uint8Array[]> {
    return this.#waitFor(() => copyRows(this.client, select), timeoutMs)
  }

  async #waitFor<T>(send: (restartTimer: () => void) => Promise<T>, timeoutMs: number): Promise<T> {
    let immediate: NodeJS.Immediate | undefined
    const destroySilent = () => {
      this.#isSilent = true
      this.destroy()
    }
    const timer = setTimeout(() => {
      // After a pause of this process, the response may already be in the socket's buffer. Let the event loop read it first.
      immediate = setImmediate(destroySilent)
    }, timeoutMs + RESPONSE_GRACE_MS)
    const restartTimer = () => {
      clearImmediate(immediate)
      timer.refresh()
    }
    this.noteProgress(true)
    try {
      return await send(restartTimer)
    } finally {
      clearImmediate(immediate)
      clearTimeout(timer)
      this.noteProgress(false)
    }
  }

  /** Calls back when PostgreSQL announces that this session can no longer write. */
  onReadOnly(callback: () => void): void {
    internalsOf(this.client).connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (/^(in_hot_standby|default_transaction_read_only)$/.test(parameterName) && parameterValue === 'on') callback()
    })
  }

  /** Closes the socket immediately. Statements without a response fail. */
  destroy(): void {
    this.#isDestroyed = true
    destroyClient(this.client)
  }

  /** Sends PostgreSQL's Terminate message, and destroys the socket if the server doesn't close the connection in time. */
  async close(): Promise<void> {
    this.#isDestroyed = true
    const timer = setTimeout(() => this.destroy(), MAX_TERMINATE_MS)
    await this.client.end().catch(() => {})
    clearTimeout(timer)
  }

  /** Sends all messages of this turn of the event loop in one write, which wakes PostgreSQL only once. */
  corkUntilNextTurn(): void {
    const { stream } = internalsOf(this.client).connection
    if (stream.writableCorked > 0) return
    stream.cork()
    setImmediate(() => stream.uncork())
  }
}

export function destroyClient(client: pg.Client): void {
  internalsOf(client).connection.stream.destroy()
}

function internalsOf(client: pg.Client): ClientInternals {
  return client as unknown as ClientInternals
}
