/**
 * The statements of one transaction. Those of the same turn of the event loop travel in one round trip, so `Promise.all` over several
 * reads waits for PostgreSQL once. On a busy machine, every round trip may wait for the CPU twice: in PostgreSQL and in our process.
 */
import type { Statement, StatementResult } from './batch.ts'

interface WaitingCall {
  statements: readonly Statement[]
  resolve(results: StatementResult[]): void
  reject(error: unknown): void
}

class TransactionEndedError extends Error {
  override message = 'The transaction has ended, so it can run no further statements.'
}

export class RoundTrips {
  readonly #send: (statements: readonly Statement[]) => Promise<StatementResult[]>
  readonly #waitingCalls: WaitingCall[] = []
  /** Ends with the round trip that was started last. Each begins after the one before it, so that no statement overtakes BEGIN. */
  #last: Promise<unknown> = Promise.resolve()
  #hasEnded = false

  constructor(send: (statements: readonly Statement[]) => Promise<StatementResult[]>) {
    this.#send = send
  }

  /** If one statement of a round trip fails, all its calls reject: PostgreSQL has ended the transaction. */
  run(statements: readonly Statement[]): Promise<StatementResult[]> {
    if (this.#hasEnded) return Promise.reject(new TransactionEndedError())
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult[]>()
    this.#waitingCalls.push({ statements, resolve, reject })
    if (this.#waitingCalls.length === 1) this.#last = this.#last.then(() => this.#sendWaiting())
    return promise
  }

  /** Something that needs a round trip of its own. It runs after all statements that were passed to `run` before. */
  async runAlone<T>(send: () => Promise<T>): Promise<T> {
    if (this.#hasEnded) throw new TransactionEndedError()
    const { promise: sendingEnded, resolve: endSending } = Promise.withResolvers<void>()
    const previous = this.#last
    this.#last = sendingEnded
    await previous
    try {
      return await send()
    } finally {
      endSending()
    }
  }

  /**
   * Rejects all later calls. If one read of a `Promise.all` fails, the others may still go on, while the connection already belongs to
   * another caller.
   */
  end(): void {
    this.#hasEnded = true
  }

  async #sendWaiting(): Promise<void> {
    const calls = this.#waitingCalls.splice(0)
    try {
      const results = await this.#send(calls.flatMap(({ statements }) => statements))
      for (const { statements, resolve } of calls) resolve(results.splice(0, statements.length))
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
  }
}
