/**
 * A few threads for jobs that take much CPU time. Websites take turns, so that one with many jobs doesn't block the others. A counting
 * job takes about 30 ms, a packing job up to 5 s.
 */
import { availableParallelism } from 'node:os'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { askWorker, KeptWorker, WorkerEndedError } from '../../lib/kept-worker.ts'
import { unavailable } from '../../lib/problem.ts'
import { findSeparateModule } from '../../lib/separate-module.ts'
import { RequestsInProgress } from '../../lib/yield-to-requests.ts'
import { SECOND_MS } from '../../shared/time.ts'
import type { NewBlock } from '../blocks/block-store.ts'
import { BlockError } from '../blocks/column-bytes.ts'
import type { PartInput } from '../blocks/pack-part.ts'
import type { RawRows } from '../blocks/row-store.ts'
import type { TrafficPart } from '../blocks/traffic-part.ts'
import type { CountJob } from '../counting/count-job.ts'
import type { DayCounts } from '../counting/question.ts'
import type { ThreadJob, ThreadReply } from './thread-jobs.ts'

const MAX_THREADS = 2
/** The threads end if they have had nothing to do for this long, to free their memory. */
const IDLE_MS = 10 * SECOND_MS
/** On an overloaded machine, a thread may get hardly any CPU time. */
const MAX_JOB_MS = 30 * SECOND_MS
/** Typed arrays are not part of these limits. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 }

interface WaitingJob {
  job: ThreadJob
  transferList: ArrayBuffer[]
  resolve(reply: ThreadReply): void
  reject(error: unknown): void
}

export class TrafficThreads {
  readonly threadCount: number
  readonly #freeThreads: KeptWorker[]
  readonly #threads: readonly KeptWorker[]
  /** The waiting jobs of each website. The next job is the first one of the first website, which then goes to the end. */
  readonly #jobsByWebsite = new Map<number, WaitingJob[]>()

  /** Only counting blocks yields to `requestsInProgress`. Counting rows, packing and reading don't. */
  constructor({
    threadCount = Math.min(MAX_THREADS, availableParallelism()),
    requestsInProgress = new RequestsInProgress(),
  } = {}) {
    this.threadCount = threadCount
    const workerOptions: WorkerOptions = { resourceLimits, workerData: requestsInProgress.memory }
    this.#threads = Array.from(
      { length: this.threadCount },
      () =>
        new KeptWorker(() => new Worker(findSeparateModule('traffic-thread', import.meta.url), workerOptions), IDLE_MS),
    )
    this.#freeThreads = [...this.#threads]
  }

  /** Ends the threads. Running jobs and later ones fail. */
  close(): void {
    for (const thread of this.#threads) thread.close()
  }

  /** The bytes of `job` move to the thread. Rejects with a `BlockError` if a block is damaged. */
  async count(websiteId: number, job: CountJob): Promise<DayCounts[]> {
    const buffers = job.days.flatMap(({ blocks, rowVisitors, rows }) => [
      ...blocks.flat(),
      ...(rowVisitors ?? []),
      ...listRawRows(rows),
    ])
    const reply = await this.#run(websiteId, { kind: 'count', ...job }, buffers)
    return (reply as Extract<ThreadReply, { kind: 'count' }>).days
  }

  /** Makes blocks of everything in the input. */
  async pack(websiteId: number, input: PartInput): Promise<NewBlock[]> {
    const reply = await this.#run(websiteId, { kind: 'pack', input }, listInputRows(input))
    return (reply as Extract<ThreadReply, { kind: 'pack' }>).blocks
  }

  /** Decodes everything in the input. */
  async read(websiteId: number, input: PartInput): Promise<TrafficPart> {
    const reply = await this.#run(websiteId, { kind: 'read', input }, listInputRows(input))
    return (reply as Extract<ThreadReply, { kind: 'read' }>).part
  }

  async #run(websiteId: number, job: ThreadJob, rows: readonly Uint8Array[]): Promise<ThreadReply> {
    const { promise, resolve, reject } = Promise.withResolvers<ThreadReply>()
    const transferList = rows.map(({ buffer }) => buffer as ArrayBuffer)
    this.#jobsByWebsite.getOrInsertComputed(websiteId, () => []).push({ job, transferList, resolve, reject })
    this.#startJobs()
    const reply = await promise
    if (reply.kind === 'damaged') throw new BlockError(reply.message)
    return reply
  }

  #startJobs(): void {
    while (this.#freeThreads.length > 0) {
      const waitingJob = this.#dequeueJob()
      if (waitingJob === undefined) return
      void this.#runOn(this.#freeThreads.pop() as KeptWorker, waitingJob)
    }
  }

  #dequeueJob(): WaitingJob | undefined {
    for (const [websiteId, jobs] of this.#jobsByWebsite) {
      this.#jobsByWebsite.delete(websiteId)
      const job = jobs.shift()
      if (jobs.length > 0) this.#jobsByWebsite.set(websiteId, jobs)
      return job
    }
    return undefined
  }

  async #runOn(thread: KeptWorker, { job, transferList, resolve, reject }: WaitingJob): Promise<void> {
    const signal = AbortSignal.timeout(MAX_JOB_MS)
    try {
      resolve(await thread.run((worker) => askWorker<ThreadReply>(worker, job, signal, transferList)))
    } catch (error) {
      const isInterrupted = signal.aborted || error instanceof WorkerEndedError
      reject(
        isInterrupted
          ? unavailable('The server is too busy to process visits, or is restarting. Try again in a minute.')
          : error,
      )
    } finally {
      this.#freeThreads.push(thread)
      this.#startJobs()
    }
  }
}

const listRawRows = (rows: RawRows | undefined) => (rows === undefined ? [] : [...rows.visits, ...rows.events])
const listInputRows = ({ rows, blocks }: PartInput) => [...blocks, ...listRawRows(rows)]
