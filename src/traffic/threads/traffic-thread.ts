/** A thread that counts, packs and decodes traffic, so that the main thread stays free for other requests. */
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { BlockError } from '../blocks/column-bytes.ts'
import { listBuffers, packPart, readPart } from '../blocks/pack-part.ts'
import { countSources } from '../counting/count-sources.ts'
import type { Job, JobReply } from './jobs.ts'

/** The main thread and PostgreSQL go first. On Linux, this changes only the calling thread; elsewhere it would change the whole process. */
const NICENESS = 10
// Without privileges, a process that was started with a lower priority may not raise it.
if (process.platform === 'linux' && getPriority() < NICENESS) setPriority(0, NICENESS)

parentPort?.on('message', (job: Job) => {
  try {
    reply(run(job))
  } catch (error) {
    if (!(error instanceof BlockError)) throw error
    reply({ kind: 'damaged', message: error.message })
  }
})

function run(job: Job): JobReply {
  if (job.kind === 'count') return { kind: 'count', days: countSources(job) }
  if (job.kind === 'pack') return { kind: 'pack', blocks: packPart(job.sources) }
  return { kind: 'read', part: readPart(job.sources) }
}

function reply(jobReply: JobReply): void {
  const transferList = jobReply.kind === 'pack' ? jobReply.blocks.flatMap(({ columns }) => listBuffers(columns)) : []
  parentPort?.postMessage(jobReply, transferList)
}
