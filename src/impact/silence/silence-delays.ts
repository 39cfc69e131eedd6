/** How long the silence watch takes to notice that all visits have stopped, at the usual level. */

import { HOURS_PER_WEEK, SLOT_MINUTES, SLOTS_PER_HOUR, SLOTS_PER_WEEK } from '../model/visit-history.ts'
import { findAlarmTime, type SilenceFit } from './silence.ts'
import { advanceLevel, type LevelState, startLevel } from './silence-level.ts'

/** Minutes from the last visit to the alarm. Null: longer than two weeks. */
export interface SilenceDelays {
  /** The median over the hours from 9:00 to 17:00, and from 0:00 to 6:00. */
  day: number | null
  night: number | null
  slowest: number | null
  /** The hour of the week, 0 is Monday from 00:00 to 01:00, in which a silence that begins takes longest to be noticed. */
  slowestHour: number
}

const MAX_DELAY_SLOTS = 2 * SLOTS_PER_WEEK

/** Three weeks: a silence can begin at any hour of the first one. */
const hourOfWeek = Array.from(
  { length: SLOTS_PER_WEEK + MAX_DELAY_SLOTS },
  (_, slot) => Math.floor(slot / SLOTS_PER_HOUR) % HOURS_PER_WEEK,
)

export function estimateDelays(fit: SilenceFit, budgetAYear: number): SilenceDelays {
  const level = findUsualLevel(fit)
  const delays = Array.from({ length: HOURS_PER_WEEK }, (_, hour) => {
    const lastVisit = hour * SLOTS_PER_HOUR
    const alarmAt = findAlarmTime(fit, level, lastVisit, budgetAYear, hourOfWeek)
    const isNoticed = alarmAt !== undefined && alarmAt - lastVisit <= MAX_DELAY_SLOTS
    return isNoticed ? (alarmAt - lastVisit) * SLOT_MINUTES : Number.POSITIVE_INFINITY
  })
  const slowest = Math.max(...delays)
  return {
    day: findMedian(delays.filter((_, hour) => hour % 24 >= 9 && hour % 24 < 17)),
    night: findMedian(delays.filter((_, hour) => hour % 24 < 6)),
    slowest: roundMinutes(slowest),
    slowestHour: delays.indexOf(slowest),
  }
}

/** The level after two usual days, whose visits come as evenly as possible. */
function findUsualLevel(fit: SilenceFit): LevelState {
  const level = startLevel(fit)
  let due = 0
  for (let slot = 0; slot < 2 * 24 * SLOTS_PER_HOUR; slot++) {
    const hour = hourOfWeek[slot] ?? 0
    due += fit.rates[hour] ?? 0
    const visits = Math.floor(due)
    due -= visits
    advanceLevel(fit, level, visits, hour, false)
  }
  return level
}

function findMedian(values: number[]): number | null {
  const sorted = values.sort((first, second) => first - second)
  return roundMinutes(sorted[Math.floor(sorted.length / 2)] ?? Number.POSITIVE_INFINITY)
}

function roundMinutes(minutes: number): number | null {
  return Number.isFinite(minutes) ? Math.round(minutes) : null
}
