/**
 * Past windows of the same length as the period to predict. The model learns from them how wrong it is: each is predicted
 * from the profile of the other weeks and the level before it, in the same way as the period itself.
 */
import { fitVisitProfile, type ProfileTally } from './profile.ts'
import { findSlotOfHour, interpolateRate, sharpenProfile } from './slot-rates.ts'
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK, type VisitHistory } from './visit-history.ts'

/** Running sums of usable slots, from `start` up to each slot. The difference of two is the sum between them. */
export interface UsableSums {
  start: number
  visits: Float64Array
  /** Visits that the profile of all other weeks expects. */
  expected: Float64Array
  slots: Float64Array
}

export interface PastWindows {
  starts: Int32Array
  weeks: Uint8Array
  /** How much each window says about the period to predict, which depends on its time of day and its overlap with others. */
  weights: Float64Array
  visits: Float64Array
  expected: Float64Array
}

/** Windows early in the history have too little time before them to estimate a level. */
const MIN_DAYS_BEFORE = 3
const MIN_USABLE_SHARE = 0.8
/** Windows at a similar time of day resemble each other: their weight halves about every two hours. */
const SIMILAR_HOURS = 3
const MIN_SIMILARITY = 0.05

let reusedSums = createSums(0)

function createSums(length: number): Omit<UsableSums, 'start'> {
  return {
    visits: new Float64Array(length),
    expected: new Float64Array(length),
    slots: new Float64Array(length),
  }
}

/**
 * The sums are valid until the next call. Each call reuses the arrays of the last one, because allocating 400 kB takes as long as
 * filling them.
 */
export function sumUsableSlots(history: VisitHistory, tally: ProfileTally): UsableSums {
  const { counts, excluded, hourOfWeek } = history
  const { start, end } = tally
  const length = end - start + 1
  if (reusedSums.slots.length < length) reusedSums = createSums(length)
  const sums = { start, ...reusedSums }
  const profiles = Array.from({ length: tally.weeks }, (_, week) => sharpenProfile(fitVisitProfile(tally, week)))
  let slotOfHour = findSlotOfHour(history, start) - 1
  let slots = 0
  let visits = 0
  let expected = 0
  let slot = start
  for (let week = tally.weeks - 1; week >= 0; week--) {
    const profile = profiles[week] as Float64Array
    for (const weekEnd = end - week * SLOTS_PER_WEEK; slot < weekEnd; slot++) {
      const hour = hourOfWeek[slot] ?? 0
      const isSameHour = slot === start || hour === hourOfWeek[slot - 1]
      slotOfHour = isSameHour && slotOfHour < SLOTS_PER_HOUR - 1 ? slotOfHour + 1 : 0
      if (!excluded[slot]) {
        slots++
        visits += counts[slot] ?? 0
        expected += interpolateRate(profile, hour, slotOfHour)
      }
      const index = slot - start + 1
      sums.slots[index] = slots
      sums.visits[index] = visits
      sums.expected[index] = expected
    }
  }
  return sums
}

/** One window starts every hour. `length` is in slots. */
export function collectPastWindows(tally: ProfileTally, sums: UsableSums, length: number): PastWindows {
  const last = tally.end - Math.ceil(length / SLOTS_PER_HOUR) * SLOTS_PER_HOUR
  const first = tally.start + MIN_DAYS_BEFORE * SLOTS_PER_DAY
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
    windows.weeks[window] = Math.floor((tally.end - 1 - start) / SLOTS_PER_WEEK)
    windows.weights[window] = overlap * weighTimeOfDay((tally.end - start) / SLOTS_PER_HOUR)
    windows.visits[window] = sumBetween(sums.visits, sums, start, start + length)
    windows.expected[window] = sumBetween(sums.expected, sums, start, start + length)
  }
  return windows
}

export function sumBetween(values: Float64Array, { start }: UsableSums, from: number, to: number): number {
  return (values[to - start] ?? 0) - (values[Math.max(0, from - start)] ?? 0)
}

function weighTimeOfDay(hoursBefore: number): number {
  const difference = Math.min(hoursBefore % 24, 24 - (hoursBefore % 24))
  return MIN_SIMILARITY + Math.exp(-difference / SIMILAR_HOURS)
}

/** Overlapping windows repeat the same information, so they share their weight. About six windows a day are at a similar time of day. */
function weighOverlap(length: number): number {
  const similarWindowsADay = 2 * SIMILAR_HOURS
  if (length <= similarWindowsADay * SLOTS_PER_HOUR) return Math.min(1, SLOTS_PER_HOUR / length)
  return Math.min(1, SLOTS_PER_DAY / length) / similarWindowsADay
}
