/** The thread that tests assertions which may take long. `worker-client.ts` starts it. */
import { parentPort } from 'node:worker_threads'
import { isSingularPath } from '../../../../lib/json-path.ts'
import { findJsonProblem, type JsonJob } from './find-problem.ts'

/** `ready` is sent once, when the thread can take jobs. Then each job gets one reply. */
type JsonWorkerReply = 'ready' | { problem: string | null }

const reply = (message: JsonWorkerReply) => parentPort?.postMessage(message)

parentPort?.on('message', (job: JsonJob) => reply({ problem: findJsonProblem(job) }))

// Loads the JSONPath library, so that its loading time doesn't count towards the first job.
isSingularPath('$')
reply('ready')
