/** The thread that replays traffic alerts over a year, which takes up to 300 ms. `silence-replays.ts` starts it. */
import { parentPort } from 'node:worker_threads'
import type { VisitHistory } from '../model/visit-history.ts'
import { replaySilence, type SilenceReplay } from '../silence/replay-silence.ts'
import { exceedsBudgetOnQuietDays, findQuietPattern, type QuietPattern } from './quiet-pattern.ts'

export interface ReplayJob {
  history: VisitHistory
  startsAt: Date
  timeZone: string
  alarmsAYear: number
}

export type ReplayResult = SilenceReplay & QuietPattern

/** Each job gets one reply. */
parentPort?.on('message', ({ history, startsAt, timeZone, alarmsAYear }: ReplayJob) => {
  const replay = replaySilence(history, alarmsAYear)
  const pattern = findQuietPattern(history, { startsAt, timeZone }, replay.alarms)
  const result: ReplayResult = {
    ...replay,
    ...pattern,
    exceedsBudget: replay.exceedsBudget || exceedsBudgetOnQuietDays(replay, pattern, alarmsAYear),
  }
  parentPort?.postMessage(result)
})
