/**
 * Makes threads yield the CPU to requests. A lower priority is not enough: a Linux kernel with 250 ticks a second may let a thread keep a core
 * for up to 4 ms while others wait for it. A small request wakes the main thread and PostgreSQL several times, and each time it may wait. So
 * a thread sleeps between two steps of its work: briefly every millisecond, and longer while requests are in progress.
 */

/** A request counts for at most this long. One that takes longer is large, or waits for the threads, so that a pause doesn't help it. */
const MAX_COUNTED_MS = 20
/** After a longer time without a job, a thread probably works for another request. */
const MAX_GAP_MS = 20
const MAX_RUN_MS = 1
/** Long enough for the kernel to switch to a thread that waits for the core. */
const SHORT_SLEEP_MS = 0.05
/**
 * A paused thread checks this often whether requests are in progress. It is not notified when the last one ends, because the client, or a proxy
 * on this machine, needs a core to receive the response.
 */
const PAUSE_STEP_MS = 0.3
/** The longest pause, however long the thread has run before. */
const MAX_PAUSE_MS = 30

/** Counts the requests in progress, in memory that threads can read. */
export class RequestsInProgress {
  readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  readonly #counts = new Int32Array(this.memory)

  /** Call the returned function when the request ends. */
  begin(): () => void {
    Atomics.add(this.#counts, 0, 1)
    let isCounted = true
    const end = () => {
      if (!isCounted) return
      isCounted = false
      clearTimeout(timer)
      Atomics.sub(this.#counts, 0, 1)
    }
    const timer = setTimeout(end, MAX_COUNTED_MS).unref()
    return end
  }
}

interface ThreadYielderDeps {
  now(): number
  sleep(ms: number): void
}

const neverNotified = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
const threadDeps: ThreadYielderDeps = {
  now: () => performance.now(),
  sleep: (ms) => Atomics.wait(neverNotified, 0, 0, ms),
}

export class ThreadYielder {
  readonly #requestCounts: Int32Array
  readonly #deps: ThreadYielderDeps
  /** When the current series of jobs began. A gap of more than `MAX_GAP_MS` ends a series. */
  #busySince = Number.NEGATIVE_INFINITY
  /** When the last job ended. */
  #idleSince = Number.NEGATIVE_INFINITY
  /** When the last sleep ended, or else when the job started. */
  #runningSince = Number.NEGATIVE_INFINITY
  /**
   * How long the thread may still pause: as long as it has run before. So pauses take at most half of its time, however many requests there are.
   * Negative after a sleep that took too long.
   */
  #pauseBudgetMs = 0

  /** `requestMemory` is that of `RequestsInProgress`. */
  constructor(requestMemory: SharedArrayBuffer, deps = threadDeps) {
    this.#requestCounts = new Int32Array(requestMemory)
    this.#deps = deps
  }

  /** Call it at the start of each job, because the time without a job is not time that the thread has run. */
  startJob(): void {
    const now = this.#deps.now()
    if (now - this.#idleSince > MAX_GAP_MS) {
      this.#busySince = now
      this.#pauseBudgetMs = 0
    }
    this.#runningSince = now
  }

  endJob(): void {
    this.#idleSince = this.#deps.now()
  }

  /** Call it between two steps of about a millisecond. */
  yieldToRequests(): void {
    const { now, sleep } = this.#deps
    const ranMs = now() - this.#runningSince
    const canPause = this.#pauseBudgetMs + ranMs >= PAUSE_STEP_MS && this.#shouldPause()
    if (ranMs < MAX_RUN_MS && !canPause) return
    this.#pauseBudgetMs = Math.min(MAX_PAUSE_MS, this.#pauseBudgetMs + ranMs)
    if (canPause) this.#pause()
    else sleep(SHORT_SLEEP_MS)
    this.#runningSince = now()
  }

  /** Until a thread has been busy for a while, the request that it works for may itself be among those in progress. */
  #shouldPause(): boolean {
    return Atomics.load(this.#requestCounts, 0) > 0 && this.#deps.now() - this.#busySince > MAX_COUNTED_MS
  }

  #pause(): void {
    while (this.#pauseBudgetMs >= PAUSE_STEP_MS && this.#shouldPause()) {
      const startedAt = this.#deps.now()
      this.#deps.sleep(PAUSE_STEP_MS)
      this.#pauseBudgetMs -= this.#deps.now() - startedAt
    }
  }
}
