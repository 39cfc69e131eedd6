/** The rates of single slots: a profile has one rate per hour, and slots are interpolated between them. */
import { HOURS_PER_WEEK, SLOTS_PER_HOUR, type VisitHistory } from './visit-history.ts'

/** The visits that a profile expects from `from` to `to`, with fractions of slots. */
export function sumProfile(history: VisitHistory, profile: Float64Array, from: number, to: number): number {
  const sharpProfile = sharpenProfile(profile)
  let sum = 0
  for (let slot = Math.floor(from); slot < to; slot++) {
    const share = Math.min(to, slot + 1) - Math.max(from, slot)
    sum += share * interpolateRate(sharpProfile, history.hourOfWeek[slot] ?? 0, findSlotOfHour(history, slot))
  }
  return sum
}

/**
 * Returns 0 for the first five minutes of the local hour. Looks back to the beginning of the hour, which comes twice in a
 * row when clocks go back. In the first hour of the history, it looks ahead to the end of the hour.
 */
export function findSlotOfHour({ hourOfWeek }: VisitHistory, slot: number): number {
  let before = 0
  while (before < slot && before < 2 * SLOTS_PER_HOUR && hourOfWeek[slot - before - 1] === hourOfWeek[slot]) before++
  if (before < slot) return before % SLOTS_PER_HOUR
  let ahead = 1
  while (ahead < SLOTS_PER_HOUR && hourOfWeek[slot + ahead] === hourOfWeek[slot]) ahead++
  return SLOTS_PER_HOUR - ahead
}

/**
 * `interpolateRate` draws a straight line from the middle of one hour to the middle of the next, which would flatten peaks
 * and fill dips. This exaggerates them first, so that the mean of each hour stays about the same.
 */
export function sharpenProfile(rates: Float64Array): Float64Array {
  const sharpRates = new Float64Array(HOURS_PER_WEEK)
  for (let hour = 0; hour < HOURS_PER_WEEK; hour++) {
    const rate = rates[hour] ?? 0
    const before = rates[(hour + HOURS_PER_WEEK - 1) % HOURS_PER_WEEK] ?? 0
    const after = rates[(hour + 1) % HOURS_PER_WEEK] ?? 0
    sharpRates[hour] = Math.max(0, rate - (before - 2 * rate + after) / 8)
  }
  return sharpRates
}

/** `slotOfHour` is 0 for the first five minutes of the hour. */
export function interpolateRate(sharpRates: Float64Array, hour: number, slotOfHour: number): number {
  const position = (slotOfHour + 0.5) / SLOTS_PER_HOUR - 0.5
  const neighbor = position < 0 ? (hour === 0 ? HOURS_PER_WEEK : hour) - 1 : hour === HOURS_PER_WEEK - 1 ? 0 : hour + 1
  const share = Math.abs(position)
  return (sharpRates[hour] ?? 0) * (1 - share) + (sharpRates[neighbor] ?? 0) * share
}
