/** The thread that replays the silence watch over a year, which takes up to 300 ms. `replay.ts` starts it. */
import { parentPort, workerData } from 'node:worker_threads'
import type { VisitHistory } from '../model/visit-history.ts'
import { replaySilence } from '../silence/silence-replay.ts'

export interface ReplayJob {
  history: VisitHistory
  alarmsAYear: number
}

const { history, alarmsAYear } = workerData as ReplayJob
parentPort?.postMessage(replaySilence(history, alarmsAYear))
