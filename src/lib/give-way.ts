/**
 * Lets requests go before the work of threads. The kernel doesn't do that well enough: whatever the priority of a thread, it may keep a core
 * for 4 ms while others wait for that core. A small request wakes the main thread and PostgreSQL several times, and each time it may wait.
 * So a thread sleeps between two steps of its work: for a moment every millisecond, and for longer while requests are in progress.
 */

/** A request that takes longer is not a small one, or waits for the threads itself. */
const MAX_REQUEST_MS = 20
const MAX_RUN_MS = 1
/** Enough for the kernel to run what waits for the core. */
const NAP_MS = 0.05
/** Nothing wakes the thread when the last request ends, because whoever gets the response may need the core next. */
const PAUSE_STEP_MS = 0.3
/** Without any other request, threads owe this much at most. */
const MAX_CREDIT_MS = 30

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
    const timer = setTimeout(end, MAX_REQUEST_MS).unref()
    return end
  }
}

interface GiveWayDeps {
  now(): number
  sleep(ms: number): void
}

const neverNotified = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
const threadDeps: GiveWayDeps = {
  now: () => performance.now(),
  sleep: (ms) => Atomics.wait(neverNotified, 0, 0, ms),
}

/** `memory` is that of `RequestsInProgress`. Returns a function to call between two steps, each of which takes a millisecond or less. */
export function createGiveWay(memory: SharedArrayBuffer, { now, sleep } = threadDeps): () => void {
  const counts = new Int32Array(memory)
  let resumedAt = now()
  /** As long as the thread has run, it may pause. So requests take at most half of its time, however many there are. */
  let creditMs = 0
  return () => {
    const ranMs = now() - resumedAt
    const hasRequests = Atomics.load(counts, 0) > 0
    if (ranMs < MAX_RUN_MS && !hasRequests) return
    creditMs = Math.min(MAX_CREDIT_MS, creditMs + ranMs)
    if (hasRequests) creditMs -= pauseForRequests()
    else sleep(NAP_MS)
    resumedAt = now()
  }

  function pauseForRequests(): number {
    const startedAt = now()
    while (Atomics.load(counts, 0) > 0 && now() - startedAt + PAUSE_STEP_MS <= creditMs) sleep(PAUSE_STEP_MS)
    return now() - startedAt
  }
}
