/** Limits concurrent work to a fixed number in total and to one per key, so that no user can block the others. */
export class ConcurrencyLimiter {
  readonly #maxRunningCount: number
  #runningCount = 0
  readonly #queue: (() => void)[] = []
  /** Holds for each key a promise that resolves when the key's most recently submitted work has ended. */
  readonly #lastWorkByKey = new Map<unknown, Promise<void>>()

  constructor(maxRunningCount: number) {
    this.#maxRunningCount = maxRunningCount
  }

  async run<T>(key: unknown, work: () => Promise<T>): Promise<T> {
    const previousWork = this.#lastWorkByKey.get(key)
    const { promise: workEnded, resolve: resolveWorkEnded } = Promise.withResolvers<void>()
    this.#lastWorkByKey.set(key, workEnded)
    await previousWork
    if (this.#runningCount >= this.#maxRunningCount) await new Promise<void>((start) => this.#queue.push(start))
    else this.#runningCount++
    try {
      return await work()
    } finally {
      const startNext = this.#queue.shift()
      // The next work in the queue inherits this slot, so #runningCount stays the same.
      if (startNext !== undefined) startNext()
      else this.#runningCount--
      if (this.#lastWorkByKey.get(key) === workEnded) this.#lastWorkByKey.delete(key)
      resolveWorkEnded()
    }
  }
}
