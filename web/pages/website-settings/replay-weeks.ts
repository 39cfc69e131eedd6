/** The weeks of the replay's timeline, and the labels below them. */
import type { ReplayRecord } from '../../../src/impact/replay/schema.ts'
import { DAY_MS } from '../../../src/shared/time.ts'
import { formatMonth } from '../../lib/format.ts'

type ReplayedPeriod = Pick<ReplayRecord, 'from' | 'to' | 'alarms'>

export interface ReplayWeek {
  start: Date
  end: Date
  alarms: ReplayRecord['alarms']
  /** A week is idle if it is before the start of the replay. */
  state: 'alerted' | 'quiet' | 'idle'
}

const WEEKS = 52
const WEEK_MS = 7 * DAY_MS

/**
 * The last week ends when the replay ends. Weeks before the replay began are idle, so that every timeline is a year
 * long.
 */
export function listReplayWeeks({ from, to, alarms }: ReplayedPeriod): ReplayWeek[] {
  return Array.from({ length: WEEKS }, (_, index) => {
    const end = Date.parse(to) - (WEEKS - 1 - index) * WEEK_MS
    const start = end - WEEK_MS
    const alarmsOfWeek = alarms.filter(({ alerted_at }) => {
      const at = Date.parse(alerted_at)
      return at > start && at <= end
    })
    const quietOrIdle = end > Date.parse(from) ? 'quiet' : 'idle'
    const state = alarmsOfWeek.length > 0 ? 'alerted' : quietOrIdle
    return { start: new Date(start), end: new Date(end), alarms: alarmsOfWeek, state }
  })
}

/** Whether the label fits before the right edge. Longer labels need more space. */
const hasRoom = ({ text, percent }: { text: string; percent: number }) => percent <= 96 - 1.2 * text.length

export function listMonthLabels(to: string): { text: string; percent: number }[] {
  const end = Date.parse(to)
  const start = new Date(end - WEEKS * WEEK_MS)
  return Array.from({ length: 6 }, (_, index) => {
    const month = new Date(start.getFullYear(), start.getMonth() + 1 + 2 * index)
    return {
      text: formatMonth(month),
      percent: ((month.getTime() - start.getTime()) / (WEEKS * WEEK_MS)) * 100,
    }
  }).filter(hasRoom)
}
