/** Limits concurrent work to a fixed number in total and to one per key, so that no user can block the others. */
export class ConcurrencyLimiter {
  readonly #maxConcurrent: number
  #running = 0
  readonly #queue: (() => void)[] = []
  /** Holds for each key a promise that resolves when the key's most recently submitted work has ended. */
  readonly #lastByKey = new Map<unknown, Promise<void>>()

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent
  }

  async run<T>(key: unknown, work: () => Promise<T>): Promise<T> {
    const previous = this.#lastByKey.get(key)
    const { promise: done, resolve: finish } = Promise.withResolvers<void>()
    this.#lastByKey.set(key, done)
    await previous
    if (this.#running >= this.#maxConcurrent) await new Promise<void>((start) => this.#queue.push(start))
    else this.#running++
    try {
      return await work()
    } finally {
      const startNext = this.#queue.shift()
      // The next work in the queue inherits this slot, so #running stays the same.
      if (startNext !== undefined) startNext()
      else this.#running--
      if (this.#lastByKey.get(key) === done) this.#lastByKey.delete(key)
      finish()
    }
  }
}
