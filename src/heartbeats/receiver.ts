/**
 * Stores beats in batches: the beats that arrive while one batch is being written form the next. The response to a beat is sent only after
 * its commit. The queue of waiting beats is bounded.
 */
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import { notFound, rateLimited, unavailable } from '../lib/problem.ts'
import { hashToken } from '../lib/token.ts'
import { type RateLimit, WindowCounter } from '../lib/window-counter.ts'
import type { Database } from '../storage/database.ts'
import type { BeatSignal } from './beats.ts'
import { type ReceivedBeat, storeBeats } from './receive-store.ts'

/** A job needs far fewer: the shortest period is 10 s, and a run sends two beats. */
const TOKEN_LIMIT: RateLimit = { count: 120, windowSeconds: 60 }
const MAX_BATCH_SIZE = 500
/** With the longest output, this many beats take 20 MB. */
const MAX_QUEUED_BEATS = 2_000
/** PostgreSQL can receive one batch while it commits another. */
const MAX_CONCURRENT_BATCHES = 2
/** Fewer beats are not worth a second batch while another is being written. */
const MIN_SECOND_BATCH_SIZE = 24

/** Beats with less time left are refused, because storing them would probably time out. */
const MIN_STORE_MS = 250

interface QueuedBeat {
  beat: ReceivedBeat
  /** When the request must have its response, by `performance.now()`. The time spent waiting for earlier batches counts, too. */
  deadline: number
  resolve(isKnown: boolean): void
  reject(error: unknown): void
}

interface Deps {
  clock: Clock
  config: Pick<Config, 'database' | 'rateLimit'>
  db: Database
}

export class BeatReceiver {
  readonly #deps: Deps
  readonly #counter: WindowCounter
  #queue: QueuedBeat[] = []
  #runningBatchCount = 0

  constructor(deps: Deps) {
    this.#deps = deps
    this.#counter = new WindowCounter(deps.clock)
  }

  /**
   * Counts the beat towards the limit of its token, and returns the token's hash. Each node counts only the beats that
   * it receives.
   */
  admit(token: string): string {
    const tokenHash = hashToken(token).toString('hex')
    if (this.#deps.config.rateLimit === 0) return tokenHash
    const { allowed, retryAfterSeconds } = this.#counter.take(tokenHash, TOKEN_LIMIT)
    if (allowed) return tokenHash
    throw rateLimited(
      `At most ${TOKEN_LIMIT.count} beats a minute. Try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    )
  }

  /** Resolves once the beat is stored. Throws if no heartbeat has this token. */
  async receive(tokenHash: string, signal: BeatSignal, output: string | null): Promise<void> {
    if (this.#queue.length >= MAX_QUEUED_BEATS) throw unavailable('Too many beats are waiting. Try again later.')
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const { kind, exitCode, isFailure } = signal
    const beat = { tokenHash, kind, exitCode, isFailure, output, receivedAt: this.#deps.clock.now() }
    const deadline = performance.now() + this.#deps.config.database.timeoutMs
    this.#queue.push({ beat, deadline, resolve, reject })
    // Waiting for the next turn of the event loop lets all requests of this turn join the batch.
    if (this.#queue.length === 1 || this.#queue.length === MIN_SECOND_BATCH_SIZE) setImmediate(() => this.#startBatch())
    if (!(await promise)) throw notFound()
  }

  #startBatch(): void {
    this.#refuseOverdue()
    const minBeats = this.#runningBatchCount === 0 ? 1 : MIN_SECOND_BATCH_SIZE
    if (this.#runningBatchCount >= MAX_CONCURRENT_BATCHES || this.#queue.length < minBeats) return
    const batch = this.#queue.splice(0, MAX_BATCH_SIZE)
    this.#runningBatchCount++
    void this.#storeBatch(batch).finally(() => {
      this.#runningBatchCount--
      this.#startBatch()
    })
  }

  #refuseOverdue(): void {
    const now = performance.now()
    const firstInTime = this.#queue.findIndex(({ deadline }) => deadline - now >= MIN_STORE_MS)
    const overdueBeats = this.#queue.splice(0, firstInTime === -1 ? this.#queue.length : firstInTime)
    for (const { reject } of overdueBeats) reject(unavailable('The database is busy.'))
  }

  /** The first beat has waited longest, so its deadline applies to the whole batch. */
  async #storeBatch(batch: readonly QueuedBeat[]): Promise<void> {
    try {
      const knownIndexes = await storeBeats(
        this.#deps.db,
        batch.map(({ beat }) => beat),
        (batch[0] as QueuedBeat).deadline - performance.now(),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(knownIndexes.has(index))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
