/**
 * The statements of one transaction. Calls that are made without an `await` between them, or while another round trip is running, share a round
 * trip. So `Promise.all` over several reads waits for PostgreSQL once. On a busy machine, every wait may take milliseconds.
 */
import type { Statement, StatementResult } from './batch.ts'

interface Call {
  statements: readonly Statement[]
  resolve(results: StatementResult[]): void
  reject(error: unknown): void
}

class TransactionEndedError extends Error {
  override message = 'The transaction has ended, so it can run no further statements.'
}

type Send = (statements: readonly Statement[]) => Promise<StatementResult[]>

export class RoundTrips {
  readonly #send: Send
  /** The calls of the next round trip. New calls join them until it is sent. */
  #nextCalls: Call[] | undefined
  /** Resolves when the last queued round trip has ended. Round trips run one after the other, so that no statement overtakes BEGIN. */
  #last: Promise<void> = Promise.resolve()
  /** Whether the first round trip, which has BEGIN, has succeeded. Otherwise, later statements would run outside the transaction. */
  #hasBegun = false
  #hasEnded = false

  constructor(send: Send) {
    this.#send = send
  }

  /** If one statement fails, all calls of its round trip reject, because PostgreSQL has aborted the transaction or not even begun it. */
  run(statements: readonly Statement[]): Promise<StatementResult[]> {
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult[]>()
    if (this.#nextCalls === undefined) {
      const calls: Call[] = []
      this.#nextCalls = calls
      this.#last = this.#last.then(() => this.#sendCalls(calls))
    }
    this.#nextCalls.push({ statements, resolve, reject })
    return promise
  }

  /** Calls `send` after all round trips that were queued before, and before any later one. */
  async runAlone<T>(send: () => Promise<T>): Promise<T> {
    const previous = this.#last
    const { promise, resolve: endRoundTrip } = Promise.withResolvers<void>()
    this.#nextCalls = undefined
    this.#last = promise
    await previous
    try {
      if (this.#hasEnded) throw new TransactionEndedError()
      return await send()
    } finally {
      endRoundTrip()
    }
  }

  /**
   * Waits for the round trip that is running, and rejects all calls that were not sent before. Call it before COMMIT and before ROLLBACK: if one
   * read of a `Promise.all` fails, the others may go on, and their statements must not run on a connection that already belongs to another
   * caller.
   */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#last
  }

  async #sendCalls(calls: readonly Call[]): Promise<void> {
    if (this.#nextCalls === calls) this.#nextCalls = undefined
    try {
      if (this.#hasEnded) throw new TransactionEndedError()
      const results = await this.#send(calls.flatMap(({ statements }) => statements))
      this.#hasBegun = true
      for (const { statements, resolve } of calls) resolve(results.splice(0, statements.length))
    } catch (error) {
      if (!this.#hasBegun) this.#hasEnded = true
      for (const { reject } of calls) reject(error)
    }
  }
}
