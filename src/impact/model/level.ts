/**
 * The level: how busy a website is, compared with its profile. It is estimated from several horizons: the last hour shows
 * a burst, the last week shows growth. How far each can be trusted is learned from past windows of the same length as the period
 * to predict: each is predicted from the profile of the other weeks and the level before it, in the same way as the period itself.
 */
import {
  addAt,
  findSlotOfHour,
  fitVisitProfile,
  interpolateRate,
  type ProfileTally,
  sharpenProfile,
} from './profile.ts'
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
  /**
   * How much each window contributes to the prediction, which depends on its time of day and its overlap with others.
   */
  weights: Float64Array
  visits: Float64Array
  expected: Float64Array
}

/** Windows early in the history have too little time before them to estimate a level. */
const MIN_DAYS_BEFORE = 3
const MIN_USABLE_SHARE = 0.8
/** Windows at a similar time of day resemble each other: the weight halves for about every two hours of difference. */
const SIMILAR_HOURS = 3
const MIN_SIMILARITY = 0.05

export function sumUsableSlots(history: VisitHistory, tally: ProfileTally): UsableSums {
  const { counts, excluded, hourOfWeek } = history
  const { start, end } = tally
  const length = end - start + 1
  const sums = {
    start,
    visits: new Float64Array(length),
    expected: new Float64Array(length),
    slots: new Float64Array(length),
  }
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

const horizonSlots = [SLOTS_PER_WEEK, SLOTS_PER_DAY, 4 * SLOTS_PER_HOUR, SLOTS_PER_HOUR] as const
const HORIZONS = horizonSlots.length
/** Half of the deviation of a horizon with this many visits counts as chance. With more visits, a smaller part does. */
const HORIZON_PRIOR_VISITS = 15
/** The trust in each horizon before it is learned from past windows, and its standard deviation. */
const priorTrust = [0.95, 0.3, 0.15, 0.15] as const
const PRIOR_TRUST_DEVIATION = 0.25
/**
 * The trust after a large deviation. A level that lasted for a week is the new one. After a departure from the last week, whatever
 * its cause, the next hours resemble the last hour most. Past windows can't teach this, because few of them are like that.
 */
const departedTrust = [1, 0.1, 0.25, 0.6] as const
/** At a deviation of this size, `priorTrust` (or what was learned) and `departedTrust` count half each. */
const HALFWAY_DEVIATION = 0.35
/** A single burst must not outweigh all other windows. */
const MAX_WINDOW_DEVIATION = 2
/** A website that had no visit for hours may still get some. */
const MIN_LEVEL = 0.01
/** The dispersion of a window's visits while the trust is learned. Its exact value hardly matters. */
const ASSUMED_DISPERSION = 0.08

/** A change shows first in the shortest of these horizons. If there are few visits, it shows only in the longest. */
const departureSlots = [SLOTS_PER_DAY, 4 * SLOTS_PER_HOUR, 2 * SLOTS_PER_HOUR, SLOTS_PER_HOUR, 4] as const
/** A deviance up to this one, which is 2 standard deviations, may be chance. */
const CHANCE_DEVIANCE = 4
/** From this deviance on, the level may have changed. It is often chance, but the range must contain the new level, too. */
const POSSIBLE_DEVIANCE = 0.7
/** The usual dispersion of a few hours' visits. A deviance that it explains is no sign of a change. */
const USUAL_DISPERSION = 0.01
/** The few visits since a change don't show all of it, and a change may still be under way. */
const POSSIBLE_CHANGE_FACTOR = 1.8
/** Half of a possible change that shows in this many visits counts as chance. With more visits, a smaller part does. */
const POSSIBLE_PRIOR_VISITS = 6

/** Visits that rise within the hour by this factor, and by more than chance (4 standard deviations), may rise to any level. */
const RISING_SLOTS = 2
const RISING_FACTOR = 2.5
const RISING_DEVIANCE = 16

/** The logarithm of visits ÷ expected visits, shrunk towards 0 if there are few of both. */
function measureDeviation(visits: number, expected: number, priorVisits: number): number {
  const information = Math.max(visits, expected)
  return (Math.log((visits + 1) / (expected + 1)) * information) / (information + priorVisits)
}

/**
 * Writes the deviation of the last week from the profile, and those of the shorter horizons from the last week's level, as
 * logarithms. Excluded slots are ignored.
 */
function measureDeviations(sums: UsableSums, end: number, deviations: Float64Array, offset: number): void {
  let weekLevel = 1
  for (let horizon = 0; horizon < HORIZONS; horizon++) {
    const from = end - (horizonSlots[horizon] ?? 0)
    const expected = weekLevel * sumBetween(sums.expected, sums, from, end)
    const deviation = measureDeviation(sumBetween(sums.visits, sums, from, end), expected, HORIZON_PRIOR_VISITS)
    deviations[offset + horizon] = deviation
    if (horizon === 0) weekLevel = Math.exp(deviation)
  }
}

interface Departure {
  /** The largest departure from the last week, in either direction: the logarithm of a factor, 0 if that may be chance. */
  departure: number
  /** How far the level may have fallen or risen since the last week, as logarithms of factors. */
  fall: number
  rise: number
}

/** Compares the last 20 minutes, hours and day with the last week. */
function measureDeparture(sums: UsableSums, end: number, weekLevel: number): Departure {
  const largest = { departure: 0, fall: 0, rise: 0 }
  for (const slots of departureSlots) {
    const expected = weekLevel * sumBetween(sums.expected, sums, end - slots, end)
    const visits = sumBetween(sums.visits, sums, end - slots, end)
    // The deviance is at most twice Pearson's chi-squared, which needs no logarithm and rules out many horizons.
    if ((visits - expected) ** 2 <= (POSSIBLE_DEVIANCE / 2) * expected) continue
    const deviance = measureDeviance(visits, expected)
    if (!(deviance > POSSIBLE_DEVIANCE)) continue
    const log = Math.log((visits + 1) / (expected + 1))
    // The horizon of a day is too long to show a change that has just begun.
    const usualDeviance = POSSIBLE_DEVIANCE * (1 + USUAL_DISPERSION * expected)
    if (slots < SLOTS_PER_DAY && deviance > usualDeviance) {
      const change = measureDeviation(visits, expected, POSSIBLE_PRIOR_VISITS) * Math.sqrt(1 - usualDeviance / deviance)
      if (change > largest.rise) largest.rise = change
      if (-change > largest.fall) largest.fall = -change
    }
    if (deviance <= CHANCE_DEVIANCE) continue
    largest.departure = Math.max(largest.departure, Math.abs(log) * Math.sqrt(1 - CHANCE_DEVIANCE / deviance))
  }
  return largest
}

/** The deviance of a Poisson count: 0 if there are as many visits as expected, and about 1 on average by chance alone. */
function measureDeviance(visits: number, expected: number): number {
  return 2 * ((visits > 0 ? visits * Math.log(visits / expected) : 0) - visits + expected)
}

/** Whether the last 10 minutes are far busier than usual, and than the rest of the last hour. */
function isRising(sums: UsableSums, end: number, weekLevel: number): boolean {
  const middle = end - RISING_SLOTS
  const visits = sumBetween(sums.visits, sums, middle, end)
  const expected = weekLevel * sumBetween(sums.expected, sums, middle, end)
  if (visits <= expected || !(measureDeviance(visits, expected) > RISING_DEVIANCE)) return false
  const visitsBefore = sumBetween(sums.visits, sums, end - SLOTS_PER_HOUR, middle)
  const expectedBefore = weekLevel * sumBetween(sums.expected, sums, end - SLOTS_PER_HOUR, middle)
  const levelBefore = Math.max(1, (visitsBefore + 1) / (expectedBefore + 1))
  return (visits + 1) / (expected + 1) > RISING_FACTOR * levelBefore
}

export interface PredictedLevel {
  level: number
  /** See `Departure`. */
  departure: number
  /** How far the true level may be below and above the predicted one, as the last hours suggest: logarithms of factors. */
  possibleFall: number
  possibleRise: number
  /** Whether visits are still rising, so that nobody knows how far. */
  isRising: boolean
}

/** What was predicted for each past window. */
export interface PastPredictions {
  visits: Float64Array
  departures: Float64Array
  possibleFalls: Float64Array
  possibleRises: Float64Array
}

/** Predicts levels, with the trust learned by least squares from all past windows, or from those of other weeks. */
export class LevelPredictor {
  readonly #sums: UsableSums
  readonly #windows: PastWindows
  readonly #deviations: Float64Array
  /** How far the level just before each past window departs from the week before it. */
  readonly #departures: Departure[] = []
  /** The sums of the normal equations by week. Leaving out one week gives the trust that the other weeks show. */
  readonly #equations: Float64Array[]

  constructor(sums: UsableSums, windows: PastWindows, weeks: number) {
    this.#sums = sums
    this.#windows = windows
    this.#deviations = new Float64Array(windows.starts.length * HORIZONS)
    this.#equations = Array.from({ length: weeks }, () => new Float64Array(HORIZONS * (HORIZONS + 1)))
    for (let window = 0; window < windows.starts.length; window++) {
      const start = windows.starts[window] ?? 0
      measureDeviations(sums, start, this.#deviations, window * HORIZONS)
      this.#departures.push(measureDeparture(sums, start, Math.exp(this.#deviations[window * HORIZONS] ?? 0)))
      this.#addEquations(window)
    }
  }

  /**
   * The level is the exponential of trust × deviations. One Gauss-Newton step from the prior trust makes this linear. Windows after a
   * departure count little, because `departedTrust` is not learned.
   */
  #addEquations(window: number): void {
    const { expected, visits, weeks, weights } = this.#windows
    const equations = this.#equations[weeks[window] ?? 0]
    if (equations === undefined || (expected[window] ?? 0) <= 0) return
    const offset = window * HORIZONS
    const windowExpected = (expected[window] ?? 0) * combine(priorTrust, this.#deviations, offset)
    let target = Math.min(MAX_WINDOW_DEVIATION, (visits[window] ?? 0) / windowExpected - 1)
    for (let row = 0; row < HORIZONS; row++) target += (priorTrust[row] ?? 0) * (this.#deviations[offset + row] ?? 0)
    const usualShare = 1 - weighDeparture(this.#deviations, offset)
    const weight = ((weights[window] ?? 0) * usualShare) / (1 / windowExpected + ASSUMED_DISPERSION)
    for (let row = 0; row < HORIZONS; row++) {
      const weighted = weight * (this.#deviations[offset + row] ?? 0)
      for (let column = 0; column < HORIZONS; column++)
        addAt(equations, row * (HORIZONS + 1) + column, weighted * (this.#deviations[offset + column] ?? 0))
      addAt(equations, row * (HORIZONS + 1) + HORIZONS, weighted * target)
    }
  }

  /** The level after `end`. */
  predict(end: number): PredictedLevel {
    const deviations = new Float64Array(HORIZONS)
    measureDeviations(this.#sums, end, deviations, 0)
    const weekLog = deviations[0] ?? 0
    const { departure, fall, rise } = measureDeparture(this.#sums, end, Math.exp(weekLog))
    const level = combine(this.#learnTrust(undefined), deviations, 0)
    const followed = Math.log(level) - weekLog
    return {
      level,
      departure,
      possibleFall: findPossibleChange(fall, -followed),
      possibleRise: findPossibleChange(rise, followed),
      isRising: isRising(this.#sums, end, Math.exp(weekLog)),
    }
  }

  /** Predicts each past window without its own week. */
  predictPastWindows(): PastPredictions {
    const trusts = this.#equations.map((_, week) => this.#learnTrust(week))
    const { expected, weeks } = this.#windows
    const deviations = this.#deviations
    const past = {
      visits: new Float64Array(expected.length),
      departures: new Float64Array(expected.length),
      possibleFalls: new Float64Array(expected.length),
      possibleRises: new Float64Array(expected.length),
    }
    for (let window = 0; window < expected.length; window++) {
      const trust = trusts[weeks[window] ?? 0]
      const level = trust === undefined ? 1 : combine(trust, deviations, window * HORIZONS)
      past.visits[window] = (expected[window] ?? 0) * level
      const { departure, fall, rise } = this.#departures[window] as Departure
      past.departures[window] = departure
      if (fall === 0 && rise === 0) continue
      const followed = Math.log(level) - (deviations[window * HORIZONS] ?? 0)
      past.possibleFalls[window] = findPossibleChange(fall, -followed)
      past.possibleRises[window] = findPossibleChange(rise, followed)
    }
    return past
  }

  #learnTrust(exceptWeek: number | undefined): Float64Array {
    const system = new Float64Array(HORIZONS * (HORIZONS + 1))
    const certainty = 1 / PRIOR_TRUST_DEVIATION ** 2
    for (let row = 0; row < HORIZONS; row++) {
      system[row * (HORIZONS + 1) + row] = certainty
      system[row * (HORIZONS + 1) + HORIZONS] = certainty * (priorTrust[row] ?? 0)
    }
    this.#equations.forEach((equations, week) => {
      if (week === exceptWeek) return
      for (let index = 0; index < system.length; index++) addAt(system, index, equations[index] ?? 0)
    })
    return solveEquations(system)
  }
}

/** The part of a fall or rise that the predicted level doesn't follow yet. */
function findPossibleChange(change: number, followed: number): number {
  return change > 0 ? POSSIBLE_CHANGE_FACTOR * Math.max(0, change - followed) : 0
}

/** Returns 0 for a usual deviation, and up to 1 for a large one. */
function weighDeviation(deviation: number): number {
  const square = deviation * deviation
  return (square * square) / (square * square + HALFWAY_DEVIATION ** 4)
}

/** Returns the weight of the largest deviation of the last day, 4 hours and hour from the last week. */
function weighDeparture(deviations: Float64Array, offset: number): number {
  let largest = 0
  for (let horizon = 1; horizon < HORIZONS; horizon++)
    largest = Math.max(largest, Math.abs(deviations[offset + horizon] ?? 0))
  return weighDeviation(largest)
}

function combine(trust: ArrayLike<number>, deviations: Float64Array, offset: number): number {
  let departedShare = weighDeviation(deviations[offset] ?? 0)
  let logLevel = 0
  for (let horizon = 0; horizon < HORIZONS; horizon++) {
    if (horizon === 1) departedShare = weighDeparture(deviations, offset)
    const mixed = (trust[horizon] ?? 0) * (1 - departedShare) + (departedTrust[horizon] ?? 0) * departedShare
    logLevel += mixed * (deviations[offset + horizon] ?? 0)
  }
  return Math.max(MIN_LEVEL, Math.exp(logLevel))
}

/** Gauss-Jordan elimination. The system is symmetric and positive definite, so it needs no pivoting. */
function solveEquations(system: Float64Array): Float64Array {
  const width = HORIZONS + 1
  for (let pivot = 0; pivot < HORIZONS; pivot++)
    for (let row = 0; row < HORIZONS; row++) {
      if (row === pivot) continue
      const factor = (system[row * width + pivot] ?? 0) / (system[pivot * width + pivot] ?? 1)
      for (let column = pivot; column < width; column++)
        addAt(system, row * width + column, -factor * (system[pivot * width + column] ?? 0))
    }
  return Float64Array.from(
    { length: HORIZONS },
    (_, row) => (system[row * width + HORIZONS] ?? 0) / (system[row * width + row] ?? 1),
  )
}
