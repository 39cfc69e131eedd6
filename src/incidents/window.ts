/** Time windows for statistics about monitors, such as the last 30 days. */
import { DAY_MS, HOUR_MS } from '../shared/time.ts'

/** The windows for which incidents are listed. */
export const windowNames = ['24h', '30d', '6mo', '1y'] as const
/**
 * The windows for results of checks. Only `1h` is short enough to list every check; the others have totals by hour or
 * day.
 */
export const checkWindowNames = ['1h', ...windowNames] as const
export type CheckWindowName = (typeof checkWindowNames)[number]

export interface TimeWindow {
  from: Date
  to: Date
}

export function getWindowEndingAt(name: CheckWindowName, to: Date): TimeWindow {
  if (name === '1h') return { from: new Date(to.getTime() - HOUR_MS), to }
  if (name === '24h') return { from: new Date(to.getTime() - DAY_MS), to }
  if (name === '30d') return { from: new Date(to.getTime() - 30 * DAY_MS), to }
  return { from: subtractMonths(to, name === '6mo' ? 6 : 12), to }
}

/** Returns the same day and time in an earlier month, or the last day of that month if it is too short. */
function subtractMonths(time: Date, months: number): Date {
  const earlier = new Date(time)
  earlier.setUTCDate(1)
  earlier.setUTCMonth(earlier.getUTCMonth() - months)
  const lastDay = new Date(Date.UTC(earlier.getUTCFullYear(), earlier.getUTCMonth() + 1, 0)).getUTCDate()
  earlier.setUTCDate(Math.min(time.getUTCDate(), lastDay))
  return earlier
}
