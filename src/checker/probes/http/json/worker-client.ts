/**
 * Tests assertions in a worker thread, because JSONPath allows expressions that take exponential time, such as nested descendant
 * segments and regular expressions with backtracking. The thread is terminated if a job exceeds its limit of CPU time or memory.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { askWorker, KeptWorker, WorkerEndedError } from '../../../../lib/kept-worker.ts'
import { findSeparateModule } from '../../../../lib/separate-module.ts'
import { FairWorkQueue } from '../../fair-work-queue.ts'
import type { Inconclusive } from '../../probe.ts'
import type { JsonJob } from './find-problem.ts'

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
  readonly #worker = new KeptWorker(startWorker, IDLE_MS)

  /** Limits CPU time, so that checks don't fail only because the machine is busy. */
  constructor(maxCpuMs: number) {
    this.#maxCpuMs = maxCpuMs
  }

  /** `teamId` is the owner of the check. A user with many slow jobs delays their own jobs, but hardly those of others. */
  run(teamId: number, job: JsonJob): Promise<JsonVerdict> {
    return this.#queue.run(teamId, () => this.#runNext(job))
  }

  close(): void {
    this.#worker.close()
  }

  async #runNext(job: JsonJob): Promise<JsonVerdict> {
    try {
      return await this.#worker.run((worker) => runJob(worker, job, this.#maxCpuMs))
    } catch (error) {
      if (error instanceof AbortedJobError) return error.verdict
      if (error instanceof WorkerEndedError) return stoppedVerdict
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return tooLargeVerdict
      throw error
    }
  }
}

/** The job took too long, so its thread has to end. */
class AbortedJobError extends Error {
  readonly verdict: JsonVerdict

  constructor(verdict: JsonVerdict) {
    super()
    this.verdict = verdict
  }
}

/** Waits until the thread has loaded its modules, so that this time doesn't count towards the first job. */
async function startWorker(): Promise<Worker> {
  const worker = new Worker(findSeparateModule('worker', import.meta.url), { resourceLimits })
  await once(worker, 'message')
  return worker
}

async function runJob(worker: Worker, job: JsonJob, maxCpuMs: number): Promise<JsonVerdict> {
  const controller = new AbortController()
  const abort = (verdict: JsonVerdict) => controller.abort(new AbortedJobError(verdict))
  const startedAt = performance.now()
  const cpuAtStart = await worker.cpuUsage()
  const timer = setInterval(async () => {
    // `cpuUsage` fails for a worker that has just ended.
    const { user, system } = await worker.cpuUsage(cpuAtStart).catch(() => ({ user: 0, system: 0 }))
    if ((user + system) / 1000 > maxCpuMs) {
      abort({ problem: `JSON assertions need more than ${maxCpuMs} ms: use simpler paths` })
    } else if (performance.now() - startedAt > MAX_JOB_MS) abort(tooBusyVerdict)
  }, CPU_TEST_INTERVAL_MS)
  try {
    return await askWorker<JsonVerdict>(worker, job, controller.signal)
  } finally {
    clearInterval(timer)
  }
}
