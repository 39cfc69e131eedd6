/**
 * The level is the ratio of a website's visits to those that its profile expects: 1 is as busy as usual. The level is
 * estimated from the visits of four horizons: the last week shows growth, the last hour shows a burst. How far to trust
 * each horizon is learned from past windows of the same length as the predicted period. Each window is predicted from
 * the profile of the other weeks and the level before it, in the same way as the period itself.
 */
import { type PastWindows, sumBetween, type UsableSums } from './past-windows.ts'
import { addAt } from './profile.ts'
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK } from './visit-history.ts'

const horizonSlots = [SLOTS_PER_WEEK, SLOTS_PER_DAY, 4 * SLOTS_PER_HOUR, SLOTS_PER_HOUR] as const
const HORIZONS = horizonSlots.length
/**
 * A deviation is multiplied by n / (n + this), where n is the larger of the actual and the expected visits. So half of
 * the deviation counts if n is this number, and the rest is attributed to chance.
 */
const HORIZON_PRIOR_VISITS = 15
/** The prior of the trust in each horizon (the coefficient of its deviation), and its standard deviation. */
const priorTrust = [0.95, 0.3, 0.15, 0.15] as const
const PRIOR_TRUST_DEVIATION = 0.25
/**
 * The trust in each horizon if deviations are large. A change that has lasted for a week is the new level. After a
 * departure from the last week, whatever its cause, the next hours resemble the last hour most. This trust can't be
 * learned, because few past windows follow a departure.
 */
const departedTrust = [1, 0.1, 0.25, 0.6] as const
/** At a deviation (a logarithm) of this size, the learned trust and `departedTrust` have the same weight. */
const HALFWAY_DEVIATION = 0.35
/**
 * The upper limit of (visits ÷ predicted visits − 1) of a window, so that one burst doesn't outweigh all other windows.
 */
const MAX_WINDOW_DEVIATION = 2
/** The lowest predicted level, because a website that had no visit for hours may still get some. */
const MIN_LEVEL = 0.01
/** The dispersion that decides the weight of a window while the trust is learned. Its exact value hardly matters. */
const ASSUMED_DISPERSION = 0.08

/**
 * The lengths of the horizons that are compared with the last week to notice a change. A change shows first in the
 * shortest horizon. On a website with few visits, it shows only in the longest ones.
 */
const departureSlots = [SLOTS_PER_DAY, 4 * SLOTS_PER_HOUR, 2 * SLOTS_PER_HOUR, SLOTS_PER_HOUR, 4] as const
/** A deviance (see `measureDeviance`) up to this, a difference of about 2 standard deviations, may be chance. */
const CHANCE_DEVIANCE = 4
/** From this deviance on, the level may have changed. The range must then contain the new level, too. */
const POSSIBLE_DEVIANCE = 0.7
/** The usual dispersion of a few hours' visits. A deviance that this dispersion explains is no sign of a change. */
const USUAL_DISPERSION = 0.01
/**
 * The logarithm of a possible change is multiplied by this, because the few visits since a change don't show all of it,
 * and the change may still be under way.
 */
const POSSIBLE_CHANGE_FACTOR = 1.8
/**
 * The `priorVisits` with which `measureDeviation` measures falls and rises. It halves a change if the larger of the
 * actual and the expected visits is this number.
 */
const POSSIBLE_PRIOR_VISITS = 6

/**
 * Visits rise steeply if the last `RISING_SLOTS` slots are busier than the rest of the hour by `RISING_FACTOR`, and
 * busier than usual by `RISING_DEVIANCE`, which is 4 standard deviations. Such visits may rise to any level, so there
 * is no estimate.
 */
const RISING_SLOTS = 2
const RISING_FACTOR = 2.5
const RISING_DEVIANCE = 16

/** Returns ln(visits ÷ expected), shrunk towards 0 if both are few: by half if the larger one is `priorVisits`. */
function measureDeviation(visits: number, expected: number, priorVisits: number): number {
  const information = Math.max(visits, expected)
  return (Math.log((visits + 1) / (expected + 1)) * information) / (information + priorVisits)
}

/**
 * Writes the deviation of each horizon. The deviation of the last week compares its visits with the profile. The
 * deviations of the shorter horizons compare their visits with the profile × the last week's level. Excluded slots are
 * ignored.
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
  /**
   * The largest difference between a horizon and the last week, in either direction, as the logarithm of a factor. It
   * is 0 if all differences may be chance.
   */
  departure: number
  /**
   * How far the level may have fallen or risen since the last week, as logarithms of factors. 0 if there is no sign of
   * it.
   */
  fall: number
  rise: number
}

/** Compares the last 20 minutes, the last 1, 2 and 4 hours, and the last day with the level of the last week. */
function measureDeparture(sums: UsableSums, end: number, weekLevel: number): Departure {
  const largestDeparture = { departure: 0, fall: 0, rise: 0 }
  for (const slots of departureSlots) {
    const expected = weekLevel * sumBetween(sums.expected, sums, end - slots, end)
    const visits = sumBetween(sums.visits, sums, end - slots, end)
    // Pearson's chi-squared statistic needs no logarithm. The deviance is at most twice that statistic, so a small
    // statistic rules out a horizon.
    if ((visits - expected) ** 2 <= (POSSIBLE_DEVIANCE / 2) * expected) continue
    const deviance = measureDeviance(visits, expected)
    if (!(deviance > POSSIBLE_DEVIANCE)) continue
    const log = Math.log((visits + 1) / (expected + 1))
    // A day is too long to show a change that has just begun, so only shorter horizons measure falls and rises.
    const usualDeviance = POSSIBLE_DEVIANCE * (1 + USUAL_DISPERSION * expected)
    if (slots < SLOTS_PER_DAY && deviance > usualDeviance) {
      const change = measureDeviation(visits, expected, POSSIBLE_PRIOR_VISITS) * Math.sqrt(1 - usualDeviance / deviance)
      if (change > largestDeparture.rise) largestDeparture.rise = change
      if (-change > largestDeparture.fall) largestDeparture.fall = -change
    }
    if (deviance <= CHANCE_DEVIANCE) continue
    largestDeparture.departure = Math.max(
      largestDeparture.departure,
      Math.abs(log) * Math.sqrt(1 - CHANCE_DEVIANCE / deviance),
    )
  }
  return largestDeparture
}

/**
 * Returns the deviance of a Poisson count, which measures how far it is from its mean: 0 if there are as many visits as
 * expected, and about 1 on average if only chance makes them differ.
 */
function measureDeviance(visits: number, expected: number): number {
  return 2 * ((visits > 0 ? visits * Math.log(visits / expected) : 0) - visits + expected)
}

/**
 * Returns whether the last 10 minutes are far busier than the level of the last week, and than the rest of the last
 * hour.
 */
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
  /**
   * How far the true level may be below and above the predicted one, judging by the last hours, as logarithms of
   * factors.
   */
  possibleFall: number
  possibleRise: number
  /** Whether visits rise so steeply that nobody knows how far they will rise. */
  isRising: boolean
}

/** What is predicted for each past window from the other weeks and the time before it. */
export interface PastPredictions {
  visits: Float64Array
  departures: Float64Array
  possibleFalls: Float64Array
  possibleRises: Float64Array
}

/**
 * Predicts levels. The trust in each horizon is fitted by least squares to all past windows or, to predict a past
 * window, to the windows of the other weeks.
 */
export class LevelPredictor {
  readonly #sums: UsableSums
  readonly #windows: PastWindows
  readonly #deviations: Float64Array
  /** How far the level just before each past window departs from that of the week before the window. */
  readonly #departures: Departure[] = []
  /**
   * The sums of the normal equations of the least squares, by week. Leaving out the sums of a week gives the trust that
   * the other weeks show.
   */
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
   * Adds a past window to the least squares. The level e^(Σ trust × deviation) is not linear in the trust. One
   * Gauss-Newton step from the prior trust makes it linear. Windows after a departure count little: `departedTrust`
   * predicts them, and it is not learned.
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
      const weightedDeviation = weight * (this.#deviations[offset + row] ?? 0)
      for (let column = 0; column < HORIZONS; column++)
        addAt(equations, row * (HORIZONS + 1) + column, weightedDeviation * (this.#deviations[offset + column] ?? 0))
      addAt(equations, row * (HORIZONS + 1) + HORIZONS, weightedDeviation * target)
    }
  }

  /** Predicts the level of the time after `end`. */
  predict(end: number): PredictedLevel {
    const deviations = new Float64Array(HORIZONS)
    measureDeviations(this.#sums, end, deviations, 0)
    const weekLog = deviations[0] ?? 0
    const { departure, fall, rise } = measureDeparture(this.#sums, end, Math.exp(weekLog))
    const level = combine(this.#learnTrust(undefined), deviations, 0)
    const followedChange = Math.log(level) - weekLog
    return {
      level,
      departure,
      possibleFall: findPossibleChange(fall, -followedChange),
      possibleRise: findPossibleChange(rise, followedChange),
      isRising: isRising(this.#sums, end, Math.exp(weekLog)),
    }
  }

  /** Predicts each past window with the trust that the other weeks show. */
  predictPastWindows(): PastPredictions {
    const trusts = this.#equations.map((_, week) => this.#learnTrust(week))
    const { expected, weeks } = this.#windows
    const deviations = this.#deviations
    const pastPredictions = {
      visits: new Float64Array(expected.length),
      departures: new Float64Array(expected.length),
      possibleFalls: new Float64Array(expected.length),
      possibleRises: new Float64Array(expected.length),
    }
    for (let window = 0; window < expected.length; window++) {
      const trust = trusts[weeks[window] ?? 0]
      const level = trust === undefined ? 1 : combine(trust, deviations, window * HORIZONS)
      pastPredictions.visits[window] = (expected[window] ?? 0) * level
      const { departure, fall, rise } = this.#departures[window] as Departure
      pastPredictions.departures[window] = departure
      if (fall === 0 && rise === 0) continue
      const followedChange = Math.log(level) - (deviations[window * HORIZONS] ?? 0)
      pastPredictions.possibleFalls[window] = findPossibleChange(fall, -followedChange)
      pastPredictions.possibleRises[window] = findPossibleChange(rise, followedChange)
    }
    return pastPredictions
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

/**
 * Returns the part of a fall or rise that the predicted level doesn't contain, times `POSSIBLE_CHANGE_FACTOR`. The
 * parameters and the result are logarithms.
 */
function findPossibleChange(change: number, followedChange: number): number {
  return change > 0 ? POSSIBLE_CHANGE_FACTOR * Math.max(0, change - followedChange) : 0
}

/**
 * Returns the weight of `departedTrust`: near 0 for a usual deviation, and near 1 for a large one. The learned trust gets
 * the rest of the weight.
 */
function weighDeviation(deviation: number): number {
  const square = deviation * deviation
  return (square * square) / (square * square + HALFWAY_DEVIATION ** 4)
}

/**
 * Returns the weight of `departedTrust` for the largest deviation of the last day, 4 hours and hour from the last week.
 */
function weighDeparture(deviations: Float64Array, offset: number): number {
  let largestDeviation = 0
  for (let horizon = 1; horizon < HORIZONS; horizon++)
    largestDeviation = Math.max(largestDeviation, Math.abs(deviations[offset + horizon] ?? 0))
  return weighDeviation(largestDeviation)
}

function combine(trust: ArrayLike<number>, deviations: Float64Array, offset: number): number {
  let departedWeight = weighDeviation(deviations[offset] ?? 0)
  let logLevel = 0
  for (let horizon = 0; horizon < HORIZONS; horizon++) {
    if (horizon === 1) departedWeight = weighDeparture(deviations, offset)
    const mixedTrust = (trust[horizon] ?? 0) * (1 - departedWeight) + (departedTrust[horizon] ?? 0) * departedWeight
    logLevel += mixedTrust * (deviations[offset + horizon] ?? 0)
  }
  return Math.max(MIN_LEVEL, Math.exp(logLevel))
}

/**
 * Solves the equations by Gauss-Jordan elimination. The system is symmetric and positive definite, so it needs no
 * pivoting.
 */
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
