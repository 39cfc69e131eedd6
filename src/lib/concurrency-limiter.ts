/** Limits concurrent work to a fixed number in total and to one per key, so that no user can block the others. */
export class ConcurrencyLimiter {
  readonly #maxConcurrent: number
  #runningCount = 0
  readonly #queue: (() => void)[] = []
  /** Holds for each key a promise that resolves when the key's most recently submitted work has ended. */
  readonly #lastByKey = new Map<unknown, Promise<void>>()

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent
  }

  async run<T>(key: unknown, work: () => Promise<T>): Promise<T> {
    const previousWork = this.#lastByKey.get(key)
    const { promise: workEnded, resolve: resolveWorkEnded } = Promise.withResolvers<void>()
    this.#lastByKey.set(key, workEnded)
    await previousWork
    if (this.#runningCount >= this.#maxConcurrent) await new Promise<void>((start) => this.#queue.push(start))
    else this.#runningCount++
    try {
      return await work()
    } finally {
      const startNext = this.#queue.shift()
      // The next work in the queue inherits this slot, so #runningCount stays the same.
      if (startNext !== undefined) startNext()
      else this.#runningCount--
      if (this.#lastByKey.get(key) === workEnded) this.#lastByKey.delete(key)
      resolveWorkEnded()
    }
  }
}
