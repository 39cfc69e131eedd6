/** Work that is repeated at intervals. Runs never overlap, and a failed run is retried at the next interval. */
import type { Logger } from 'pino'

export interface PeriodicJobOptions {
  /** For log lines, as "roll up events". */
  name: string
  everyMs: number
  log: Logger
  /** Should return early when the signal is aborted. */
  run(signal: AbortSignal): Promise<unknown>
}

export class PeriodicJob {
  readonly #options: PeriodicJobOptions
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #runsAgain = false
  #hasFailed = false

  constructor(options: PeriodicJobOptions) {
    this.#options = options
  }

  /** The first run begins after one interval. */
  schedule(): void {
    this.#timer = setInterval(() => void this.run(), this.#options.everyMs).unref()
  }

  /** The first run begins now; waits until it has ended, even if it fails. */
  async start(): Promise<void> {
    this.schedule()
    await this.run()
  }

  /** Never rejects. While a run is in progress, this waits for that run instead of beginning another. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#runsAgain) this.trigger()
    })
    return this.#running
  }

  /** Runs as soon as possible: now, or after the run in progress, which may have missed the reason for this one. */
  trigger(): void {
    this.#runsAgain = this.#running !== undefined
    if (!this.#runsAgain) void this.run()
  }

  /** Waits for the run in progress. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { log, name, run } = this.#options
    const { signal } = this.#stopping
    if (signal.aborted) return
    try {
      await run(signal)
      this.#hasFailed = false
    } catch (error) {
      if (signal.aborted) return
      // During a database outage a job may fail every second. One warning is enough.
      const level = this.#hasFailed ? 'debug' : 'warn'
      log[level]({ reason: (error as Error).message }, `job failed, retrying later: ${name}`)
      this.#hasFailed = true
    }
  }
}
