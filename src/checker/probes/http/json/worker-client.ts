/**
 * Tests assertions in a worker thread, because JSONPath allows expressions that take exponential time, such as nested descendant
 * segments and regular expressions with backtracking. The thread is terminated if a job exceeds its limit of CPU time or memory.
 */
import { Worker } from 'node:worker_threads'
import { findSeparateModule } from '../../../../lib/separate-module.ts'
import { FairWorkQueue } from '../../fair-work-queue.ts'
import type { Inconclusive } from '../../probe.ts'
import type { JsonJob } from './find-problem.ts'
import type { JsonWorkerReply } from './worker.ts'

const CPU_TEST_INTERVAL_MS = 50
/**
 * A job that takes longer is inconclusive. On an overloaded machine, a job may get hardly any CPU time, and would never
 * reach its limit of CPU time.
 */
const MAX_JOB_MS = 10_000
/** The thread needs about 15 MB, so it ends if it has nothing to do. */
const IDLE_MS = 60_000
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 }

/** The queue always keeps one slot free, so two slots mean one running job. Users take turns. */
const QUEUE_SLOTS = 2

export type JsonVerdict = { problem: string | null } | Inconclusive

const tooLargeVerdict: JsonVerdict = {
  problem: 'JSON assertions need too much memory: use paths that select fewer values',
}
const tooBusyVerdict: JsonVerdict = { inconclusive: 'The Belfry server was too busy to test the JSON' }
const stoppedVerdict: JsonVerdict = { inconclusive: 'The Belfry server stopped during the check' }

export class JsonWorkerClient {
  readonly #queue = new FairWorkQueue(QUEUE_SLOTS)
  readonly #maxCpuMs: number
  #worker: Worker | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #isClosed = false

  /** Limits CPU time, so that checks don't fail only because the machine is busy. */
  constructor(maxCpuMs: number) {
    this.#maxCpuMs = maxCpuMs
  }

  /** `userId` is the owner of the check. A user with many slow jobs delays their own jobs, but hardly those of others. */
  run(userId: number, job: JsonJob): Promise<JsonVerdict> {
    return this.#queue.run(userId, () => this.#runNext(job))
  }

  close(): void {
    this.#isClosed = true
    this.#terminate()
  }

  async #runNext(job: JsonJob): Promise<JsonVerdict> {
    clearTimeout(this.#idleTimer)
    if (this.#isClosed) return stoppedVerdict
    let isWorkerUsable = false
    try {
      this.#worker ??= await startWorker()
      const result = await runJob(this.#worker, job, this.#maxCpuMs)
      isWorkerUsable = result.isWorkerUsable && !this.#isClosed
      return result.verdict
    } finally {
      if (isWorkerUsable) this.#idleTimer = setTimeout(() => this.#terminate(), IDLE_MS).unref()
      else this.#terminate()
    }
  }

  #terminate(): void {
    clearTimeout(this.#idleTimer)
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(findSeparateModule('worker', import.meta.url), { resourceLimits })
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // This listener stays, because an error of a worker that has no job, or was given up, must not end this process.
  worker.on('error', reject)
  worker.once('message', (_ready: JsonWorkerReply) => resolve())
  await promise
  return worker
}

interface JobResult {
  verdict: JsonVerdict
  isWorkerUsable: boolean
}

async function runJob(worker: Worker, job: JsonJob, maxCpuMs: number): Promise<JobResult> {
  const { promise, resolve, reject } = Promise.withResolvers<JobResult>()
  const giveUp = (verdict: JsonVerdict) => resolve({ verdict, isWorkerUsable: false })
  const handleError = (error: NodeJS.ErrnoException) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? giveUp(tooLargeVerdict) : reject(error)
  const handleExit = () => giveUp(stoppedVerdict)
  worker.on('error', handleError)
  worker.on('exit', handleExit)
  worker.once('message', (verdict: JsonVerdict) => {
    worker.off('error', handleError).off('exit', handleExit)
    resolve({ verdict, isWorkerUsable: true })
  })
  const startedAt = performance.now()
  const cpuAtStart = await worker.cpuUsage()
  worker.postMessage(job)
  const timer = setInterval(async () => {
    // `cpuUsage` fails for a worker that has just ended.
    const { user, system } = await worker.cpuUsage(cpuAtStart).catch(() => ({ user: 0, system: 0 }))
    if ((user + system) / 1000 > maxCpuMs) {
      giveUp({ problem: `JSON assertions need more than ${maxCpuMs} ms: use simpler paths` })
    } else if (performance.now() - startedAt > MAX_JOB_MS) giveUp(tooBusyVerdict)
  }, CPU_TEST_INTERVAL_MS)
  return promise.finally(() => clearInterval(timer))
}
