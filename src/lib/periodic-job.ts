/** Work that is repeated at intervals. Runs never overlap, and a failed run is retried at the next interval. */
import type { Logger } from 'pino'

export interface PeriodicJobOptions {
  /** The name in log lines, such as "roll up events". */
  name: string
  everyMs: number
  /** The job ends after its first successful run. */
  isOnce?: boolean
  log: Logger
  /** Should return early when the signal is aborted. */
  run(signal: AbortSignal): Promise<unknown>
}

export class PeriodicJob {
  readonly #options: PeriodicJobOptions
  readonly #stopController = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #currentRun: Promise<void> | undefined
  #mustRunAgain = false
  #hasFailed = false

  constructor(options: PeriodicJobOptions) {
    this.#options = options
  }

  /** Starts the interval. The first run begins after one interval. */
  schedule(): void {
    this.#timer = setInterval(() => void this.run(), this.#options.everyMs).unref()
  }

  /** Starts the interval and a first run, and waits for that run, even if it fails. */
  async start(): Promise<void> {
    this.schedule()
    await this.run()
  }

  /** Never rejects. While a run is in progress, this waits for that run instead of beginning another. */
  run(): Promise<void> {
    this.#currentRun ??= this.#run().finally(() => {
      this.#currentRun = undefined
      if (this.#mustRunAgain) this.trigger()
    })
    return this.#currentRun
  }

  /**
   * Runs as soon as possible: now, or after the run in progress, which may have begun too early to see the reason for
   * this call.
   */
  trigger(): void {
    this.#mustRunAgain = this.#currentRun !== undefined
    if (!this.#mustRunAgain) void this.run()
  }

  /** Starts no more runs, and waits for the run in progress. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopController.abort()
    await this.#currentRun
  }

  async #run(): Promise<void> {
    const { log, name, run, isOnce = false } = this.#options
    const { signal } = this.#stopController
    if (signal.aborted) return
    try {
      await run(signal)
      this.#hasFailed = false
      if (isOnce) clearInterval(this.#timer)
    } catch (error) {
      if (signal.aborted) return
      // During a database outage a job may fail every second. One warning is enough.
      const level = this.#hasFailed ? 'debug' : 'warn'
      log[level]({ reason: (error as Error).message }, `job failed, retrying later: ${name}`)
      this.#hasFailed = true
    }
  }
}
