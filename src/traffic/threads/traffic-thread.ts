/** A thread that counts, packs and decodes traffic, so that the main thread stays free for other requests. */
import { getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { ThreadYielder } from '../../lib/yield-to-requests.ts'
import { BlockError } from '../blocks/column-bytes.ts'
import { listBuffers, packPart, readPart } from '../blocks/pack-part.ts'
import { runCountJob } from '../counting/count-job.ts'
import type { ThreadJob, ThreadReply } from './thread-jobs.ts'

/** The main thread and PostgreSQL go first. On Linux, this changes only the calling thread; elsewhere it would change the whole process. */
const NICENESS = 10
// Without privileges, a process that was started with a lower priority may not raise it.
if (process.platform === 'linux' && getPriority() < NICENESS) setPriority(0, NICENESS)

const yielder = new ThreadYielder(workerData)

parentPort?.on('message', (job: ThreadJob) => {
  yielder.startJob()
  try {
    reply(run(job))
  } catch (error) {
    if (!(error instanceof BlockError)) throw error
    reply({ kind: 'damaged', message: error.message })
  } finally {
    yielder.endJob()
  }
})

function run(job: ThreadJob): ThreadReply {
  if (job.kind === 'count') return { kind: 'count', days: runCountJob(job, () => yielder.yieldToRequests()) }
  if (job.kind === 'pack') return { kind: 'pack', blocks: packPart(job.input) }
  return { kind: 'read', part: readPart(job.input) }
}

function reply(threadReply: ThreadReply): void {
  const transferList =
    threadReply.kind === 'pack' ? threadReply.blocks.flatMap(({ columns }) => listBuffers(columns)) : []
  parentPort?.postMessage(threadReply, transferList)
}
