/** Slow work in turns: a few at a time, and one a name, so that nobody's many keep everybody else waiting. */
export class Turns {
  readonly #most: number
  #underway = 0
  readonly #waiting: (() => void)[] = []
  /** The last of each name. */
  readonly #lasts = new Map<unknown, Promise<void>>()

  constructor(most: number) {
    this.#most = most
  }

  async take<T>(name: unknown, work: () => Promise<T>): Promise<T> {
    const before = this.#lasts.get(name)
    const { promise: done, resolve: finish } = Promise.withResolvers<void>()
    this.#lasts.set(name, done)
    await before
    if (this.#underway >= this.#most) await new Promise<void>((go) => this.#waiting.push(go))
    else this.#underway++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      // Whoever waited longest takes over the place.
      if (next !== undefined) next()
      else this.#underway--
      if (this.#lasts.get(name) === done) this.#lasts.delete(name)
      finish()
    }
  }
}
