/**
 * Past windows of the same length as a predicted period, with the visits that they had and those that the profile of
 * the other weeks expects. The level is learned from them.
 */
import { findSlotOfHour, fitVisitProfile, interpolateRate, type ProfileTally, sharpenProfile } from './profile.ts'
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK, type VisitHistory } from './visit-history.ts'

/**
 * Running sums over the usable slots, which are those that are not excluded: element n is the sum from `firstSlot` up
 * to slot `firstSlot` + n. The difference of two elements is the sum between their slots.
 */
export interface UsableSums {
  firstSlot: number
  visits: Float64Array
  /** Expected visits. Those of each week come from the profile of all other weeks. */
  expected: Float64Array
  slots: Float64Array
}

export interface PastWindows {
  starts: Int32Array
  weeks: Uint8Array
  /** How much each window counts: most at the period's time of day, less if windows overlap. */
  weights: Float64Array
  visits: Float64Array
  expected: Float64Array
}

/**
 * The first past window begins this long after the start of the history, so that there is enough time before it to estimate a level.
 */
const MIN_DAYS_BEFORE = 3
/** Past windows with a smaller share of usable slots are left out. */
const MIN_USABLE_SHARE = 0.8
/** If the time of day of a past window differs from the period's by this many hours, its weight falls to 1/e. */
const SIMILAR_HOURS = 3
/** This is added to every weight, so that windows at other times of day count a little, too. */
const MIN_SIMILARITY = 0.05

export function sumUsableSlots(history: VisitHistory, tally: ProfileTally): UsableSums {
  const { counts, excluded, hourOfWeek } = history
  const { firstSlot, endSlot } = tally
  const length = endSlot - firstSlot + 1
  const sums = {
    firstSlot,
    visits: new Float64Array(length),
    expected: new Float64Array(length),
    slots: new Float64Array(length),
  }
  const profiles = Array.from({ length: tally.weeks }, (_, week) => sharpenProfile(fitVisitProfile(tally, week)))
  let slotOfHour = findSlotOfHour(history, firstSlot) - 1
  let slots = 0
  let visits = 0
  let expected = 0
  let slot = firstSlot
  for (let week = tally.weeks - 1; week >= 0; week--) {
    const profile = profiles[week] as Float64Array
    for (const weekEnd = endSlot - week * SLOTS_PER_WEEK; slot < weekEnd; slot++) {
      const hour = hourOfWeek[slot] ?? 0
      const isSameHour = slot === firstSlot || hour === hourOfWeek[slot - 1]
      slotOfHour = isSameHour && slotOfHour < SLOTS_PER_HOUR - 1 ? slotOfHour + 1 : 0
      if (!excluded[slot]) {
        slots++
        visits += counts[slot] ?? 0
        expected += interpolateRate(profile, hour, slotOfHour)
      }
      const index = slot - firstSlot + 1
      sums.slots[index] = slots
      sums.visits[index] = visits
      sums.expected[index] = expected
    }
  }
  return sums
}

/** Collects past windows of `length` slots. One window starts every hour. */
export function collectPastWindows(tally: ProfileTally, sums: UsableSums, length: number): PastWindows {
  const last = tally.endSlot - Math.ceil(length / SLOTS_PER_HOUR) * SLOTS_PER_HOUR
  const first = tally.firstSlot + MIN_DAYS_BEFORE * SLOTS_PER_DAY
  const starts: number[] = []
  for (let start = last; start >= first; start -= SLOTS_PER_HOUR)
    if (sumBetween(sums.slots, sums, start, start + length) >= MIN_USABLE_SHARE * length) starts.push(start)

  const count = starts.length
  const windows = {
    starts: Int32Array.from(starts),
    weeks: new Uint8Array(count),
    weights: new Float64Array(count),
    visits: new Float64Array(count),
    expected: new Float64Array(count),
  }
  const overlap = weighOverlap(length)
  for (const [window, start] of starts.entries()) {
    windows.weeks[window] = Math.floor((tally.endSlot - 1 - start) / SLOTS_PER_WEEK)
    windows.weights[window] = overlap * weighTimeOfDay((tally.endSlot - start) / SLOTS_PER_HOUR)
    windows.visits[window] = sumBetween(sums.visits, sums, start, start + length)
    windows.expected[window] = sumBetween(sums.expected, sums, start, start + length)
  }
  return windows
}

export function sumBetween(values: Float64Array, { firstSlot }: UsableSums, from: number, to: number): number {
  return (values[to - firstSlot] ?? 0) - (values[Math.max(0, from - firstSlot)] ?? 0)
}

function weighTimeOfDay(hoursBefore: number): number {
  const difference = Math.min(hoursBefore % 24, 24 - (hoursBefore % 24))
  return MIN_SIMILARITY + Math.exp(-difference / SIMILAR_HOURS)
}

/**
 * Overlapping windows contain the same visits, so windows of n hours count 1/n each. Only windows at a similar time of
 * day count, which are about six a day. If windows are longer than six hours, these six overlap each other and count as
 * one.
 */
function weighOverlap(length: number): number {
  const similarWindowsADay = 2 * SIMILAR_HOURS
  if (length <= similarWindowsADay * SLOTS_PER_HOUR) return Math.min(1, SLOTS_PER_HOUR / length)
  return Math.min(1, SLOTS_PER_DAY / length) / similarWindowsADay
}
