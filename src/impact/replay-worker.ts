/** The thread that replays the silence watch over a year, which takes up to 300 ms. `replay.ts` starts it. */
import { parentPort, workerData } from 'node:worker_threads'
import { replaySilence } from './silence-replay.ts'
import type { VisitHistory } from './visit-history.ts'

export interface ReplayJob {
  history: VisitHistory
  alarmsAYear: number
}

const { history, alarmsAYear } = workerData as ReplayJob
parentPort?.postMessage(replaySilence(history, alarmsAYear))
