/** Runs jobs in a worker thread, one at a time. */
import type { Worker } from 'node:worker_threads'

/** The thread ended before it replied, or the owner has closed it. */
export class WorkerEndedError extends Error {}

/**
 * Keeps the thread for the next job, because starting one takes longer than most jobs. The thread ends if it has had
 * nothing to do for a while, to free its memory, and after a job that failed.
 */
export class KeptWorker {
  readonly #start: () => Worker | Promise<Worker>
  readonly #idleMs: number
  #worker: Worker | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(start: () => Worker | Promise<Worker>, idleMs: number) {
    this.#start = start
    this.#idleMs = idleMs
  }

  /** Rejects if `useWorker` rejects. Wait for the result before you pass the next job. */
  async run<Result>(useWorker: (worker: Worker) => Promise<Result>): Promise<Result> {
    clearTimeout(this.#idleTimer)
    try {
      const result = await useWorker(await this.#open())
      this.#idleTimer = setTimeout(() => this.#terminate(), this.#idleMs).unref()
      return result
    } catch (error) {
      this.#terminate()
      throw this.#isClosed ? new WorkerEndedError('The worker thread was closed during the job') : error
    }
  }

  /** A running job and later ones reject with a `WorkerEndedError`. */
  close(): void {
    this.#isClosed = true
    this.#terminate()
  }

  async #open(): Promise<Worker> {
    if (this.#worker === undefined && !this.#isClosed) this.#worker = await this.#startUnreferenced()
    if (this.#worker === undefined || this.#isClosed) throw new WorkerEndedError('The worker thread is closed')
    return this.#worker
  }

  async #startUnreferenced(): Promise<Worker> {
    const worker = await this.#start()
    worker.unref()
    // An error of a thread without a job must not end this process.
    worker.on('error', () => {})
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    return worker
  }

  #terminate(): void {
    clearTimeout(this.#idleTimer)
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}

/**
 * Sends a job to the thread and resolves with its reply. Rejects if the thread fails or ends, and with the
 * reason of `signal` if it aborts. The buffers in `transferList` move to the thread without a copy, and are empty here afterwards.
 */
export async function askWorker<Reply>(
  worker: Worker,
  job: unknown,
  signal: AbortSignal,
  transferList: readonly ArrayBuffer[] = [],
): Promise<Reply> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const handleExit = () => reject(new WorkerEndedError('The worker thread ended before it replied'))
  const handleAbort = () => reject(signal.reason)
  worker.once('message', resolve).once('error', reject).once('exit', handleExit)
  signal.addEventListener('abort', handleAbort)
  worker.postMessage(job, transferList)
  try {
    return await promise
  } finally {
    worker.off('message', resolve).off('error', reject).off('exit', handleExit)
    signal.removeEventListener('abort', handleAbort)
  }
}
