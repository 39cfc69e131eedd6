/**
 * Measures how much more a website's visits vary than independent visits at a constant level would: within an hour
 * (dispersion), from hour to hour (drift), and from day to day (spread).
 */

import { SLOTS_PER_DAY, type VisitHistory } from '../model/visit-history.ts'
import type { DayLevel, HourTotals } from './profile.ts'

const MAX_DISPERSION = 1
/**
 * A drift is the standard deviation of the change of the level's logarithm from one hour to the next: at 0.06, a
 * typical change is 6 %. With little data, the measured drift stays near `USUAL_DRIFT`.
 */
const MIN_DRIFT = 0.03
const MAX_DRIFT = 0.4
const USUAL_DRIFT = 0.06
/**
 * A spread is the standard deviation of the logarithm of the days' levels: at 0.12, a typical day differs from the usual
 * level by 12 %. With little data, the measured spread stays near this one.
 */
const USUAL_SPREAD = 0.12

/**
 * Returns the variance of a slot's count beyond that of a Poisson count, divided by the square of its mean. It compares
 * neighboring slots, because their level is nearly the same.
 */
export function measureDispersion(history: VisitHistory, rates: readonly number[], from: number, to: number): number {
  let excess = 0
  let squares = 0
  for (let slot = from + 1; slot < to; slot += 2) {
    if (history.excluded[slot] || history.excluded[slot - 1]) continue
    const rate = rates[history.hourOfWeek[slot] ?? 0] ?? 0
    const before = history.counts[slot - 1] ?? 0
    const after = history.counts[slot] ?? 0
    const sum = before + after
    // Bursts are left out, because they say little about other slots.
    if (sum > 8 * rate + 10) continue
    excess += (before - after) ** 2 / 2 - sum / 2
    // The product of two independent counts with the same mean estimates the square of that mean. The square of a
    // single count would also contain its variance.
    squares += before * after
  }
  // Every website varies a little, so the prior is a dispersion of 0.02. It counts as much as 300 pairs of slots with
  // one visit each.
  return Math.min(MAX_DISPERSION, Math.max(0.005, (excess + 0.02 * 300) / (squares + 300)))
}

/**
 * Returns the standard deviation of the change of the level's logarithm from hour to hour, beyond what chance explains.
 */
export function measureDrift(
  { visits, slots, hourOfWeek }: HourTotals,
  rates: readonly number[],
  dispersion: number,
): number {
  let excess = 400 * USUAL_DRIFT ** 2
  let weights = 400
  for (let index = 1; index < visits.length; index++) {
    const usualVisitsBefore = (rates[hourOfWeek[index - 1] ?? 0] ?? 0) * (slots[index - 1] ?? 0)
    const usualVisits = (rates[hourOfWeek[index] ?? 0] ?? 0) * (slots[index] ?? 0)
    if (usualVisitsBefore < 1 || usualVisits < 1) continue
    const ratioBefore = (visits[index - 1] ?? 0) / usualVisitsBefore
    const ratio = (visits[index] ?? 0) / usualVisits
    const middle = Math.max(0.1, (ratio + ratioBefore) / 2)
    const chance =
      (1 / usualVisits + 1 / usualVisitsBefore) / middle +
      dispersion * (1 / (slots[index] ?? 1) + 1 / (slots[index - 1] ?? 1))
    const weight = (0.01 / (0.01 + chance)) ** 2
    // One large change, as at the beginning of a burst, says little about all other hours.
    const change = Math.min(((ratio - ratioBefore) / middle) ** 2, 9 * (chance + 0.01))
    excess += weight * (change - chance)
    weights += weight
  }
  return Math.min(MAX_DRIFT, Math.max(MIN_DRIFT, Math.sqrt(Math.max(0, excess / weights))))
}

/**
 * Returns the standard deviation of the logarithm of the days' levels, beyond what chance explains. Large differences
 * are capped, so holidays count little.
 */
export function measureSpread(days: readonly DayLevel[], dispersion: number): number {
  let excess = 20 * USUAL_SPREAD ** 2
  let weights = 20
  for (const { actual, expected } of days) {
    if (expected < 3) continue
    const chance = 1 / expected + dispersion / SLOTS_PER_DAY
    const weight = 0.01 / (0.01 + chance)
    const change = Math.min((actual / expected - 1) ** 2, 6 * (chance + USUAL_SPREAD ** 2))
    excess += weight * (change - chance)
    weights += weight
  }
  return Math.min(0.4, Math.max(0.08, Math.sqrt(Math.max(0, excess / weights))))
}
