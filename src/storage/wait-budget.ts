import { unavailable } from '../lib/problem.ts'

/** How long a piece of work may wait for the database. */
export interface WaitLimit {
  timeoutMs: number
  /** `total` limits all waits together. `each` limits every single wait, for work that may take long but must make progress. */
  per: 'total' | 'each'
}

/** Counts the waits of one piece of work: for a connection, for locks and for results. Its own computing doesn't count. */
export class WaitBudget {
  readonly per: WaitLimit['per']
  readonly #timeoutMs: number
  #remainingMs: number

  constructor({ timeoutMs, per }: WaitLimit) {
    this.per = per
    this.#timeoutMs = timeoutMs
    this.#remainingMs = timeoutMs
  }

  /** `wait` gets the time that is left, and must end within it. */
  async spend<T>(wait: (timeoutMs: number) => Promise<T>): Promise<T> {
    if (this.#remainingMs <= 0) throw unavailable('The database is busy.')
    const startedAt = performance.now()
    try {
      const result = await wait(this.#remainingMs)
      if (this.per === 'each') this.#remainingMs = this.#timeoutMs
      return result
    } finally {
      if (this.per === 'total') this.#remainingMs -= performance.now() - startedAt
    }
  }
}
