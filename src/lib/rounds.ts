/** Work that is done again and again, one round at a time. What fails waits for the next round: the database may be away. */
import type { Logger } from 'pino'

export interface RoundsOptions {
  /** For the log: what failed. */
  name: string
  everyMs: number
  log: Logger
  /** Ends early once the signal says so. */
  work(signal: AbortSignal): Promise<void>
}

export class Rounds {
  readonly #options: RoundsOptions
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #underway: Promise<void> | undefined

  constructor(options: RoundsOptions) {
    this.#options = options
  }

  /** Returns after the first round, whatever became of it. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.run(), this.#options.everyMs).unref()
    await this.run()
  }

  /** One round; never rejects. Whoever asks while one is under way waits for that one. */
  run(): Promise<void> {
    this.#underway ??= this.#round().finally(() => {
      this.#underway = undefined
    })
    return this.#underway
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort()
    await this.#underway
  }

  async #round(): Promise<void> {
    const { log, name, work } = this.#options
    const { signal } = this.#stopping
    if (signal.aborted) return
    await work(signal).catch((error) => {
      if (!signal.aborted) log.warn({ reason: error.message }, `${name} failed, trying again later`)
    })
  }
}
