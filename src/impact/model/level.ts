/**
 * The level: how busy a website is, compared with its profile. It is estimated from several horizons: the last hour shows
 * a burst, the last week shows growth. How far each can be trusted is learned from past windows.
 */
import { type PastWindows, sumBetween, type UsableSums } from './past-windows.ts'
import { addAt } from './profile.ts'
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK } from './visit-history.ts'

const horizonSlots = [SLOTS_PER_WEEK, SLOTS_PER_DAY, 4 * SLOTS_PER_HOUR, SLOTS_PER_HOUR] as const
const HORIZONS = horizonSlots.length
/** If a horizon has this many visits, half of its deviation is attributed to chance. */
const HORIZON_PRIOR_VISITS = 15
/** The trust in each horizon before any window is seen, and its standard deviation. */
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

/** A change shows in the shortest of these first, and in the longest if there are few visits. */
const departureSlots = [SLOTS_PER_DAY, 4 * SLOTS_PER_HOUR, SLOTS_PER_HOUR, 4] as const
/** A departure with at most this deviance may be chance: 2 standard deviations. */
const CHANCE_DEVIANCE = 4

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

/**
 * How far the last 20 minutes, hour, 4 hours or day are from the last week, as the logarithm of a factor: 0 if that may be chance
 * (deviance of Poisson counts).
 */
function measureDeparture(sums: UsableSums, end: number, weekLevel: number): number {
  let departure = 0
  for (const slots of departureSlots) {
    const expected = weekLevel * sumBetween(sums.expected, sums, end - slots, end)
    const visits = sumBetween(sums.visits, sums, end - slots, end)
    // The deviance is at most twice Pearson's chi-squared, which needs no logarithm and rules out most horizons.
    if ((visits - expected) ** 2 <= (CHANCE_DEVIANCE / 2) * expected) continue
    const deviance = 2 * ((visits > 0 ? visits * Math.log(visits / expected) : 0) - visits + expected)
    if (!(deviance > CHANCE_DEVIANCE)) continue
    const log = Math.abs(Math.log((visits + 1) / (expected + 1)))
    departure = Math.max(departure, log * Math.sqrt(1 - CHANCE_DEVIANCE / deviance))
  }
  return departure
}

export interface PredictedLevel {
  level: number
  departure: number
}

/** Predicts levels, with the trust learned by least squares from all past windows, or from those of other weeks. */
export class LevelPredictor {
  readonly #sums: UsableSums
  readonly #windows: PastWindows
  readonly #deviations: Float64Array
  /** The departure before each past window. */
  readonly departures: Float64Array
  /** The sums of the normal equations by week. Leaving out one week gives the trust that the other weeks show. */
  readonly #equations: Float64Array[]

  constructor(sums: UsableSums, windows: PastWindows, weeks: number) {
    this.#sums = sums
    this.#windows = windows
    this.#deviations = new Float64Array(windows.starts.length * HORIZONS)
    this.departures = new Float64Array(windows.starts.length)
    this.#equations = Array.from({ length: weeks }, () => new Float64Array(HORIZONS * (HORIZONS + 1)))
    for (let window = 0; window < windows.starts.length; window++) {
      const start = windows.starts[window] ?? 0
      measureDeviations(sums, start, this.#deviations, window * HORIZONS)
      this.departures[window] = measureDeparture(sums, start, Math.exp(this.#deviations[window * HORIZONS] ?? 0))
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
    const departure = measureDeparture(this.#sums, end, Math.exp(deviations[0] ?? 0))
    return { level: combine(this.#learnTrust(undefined), deviations, 0), departure }
  }

  /** The visits of each past window, as predicted without its own week. */
  predictPastWindows(): Float64Array {
    const trusts = this.#equations.map((_, week) => this.#learnTrust(week))
    const { expected, weeks } = this.#windows
    const deviations = this.#deviations
    const predicted = new Float64Array(expected.length)
    for (let window = 0; window < expected.length; window++) {
      const trust = trusts[weeks[window] ?? 0]
      const level = trust === undefined ? 1 : combine(trust, deviations, window * HORIZONS)
      predicted[window] = (expected[window] ?? 0) * level
    }
    return predicted
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

/** From 0 for a usual deviation to 1 for a large one. */
function weighDeviation(deviation: number): number {
  const square = deviation * deviation
  return (square * square) / (square * square + HALFWAY_DEVIATION ** 4)
}

/** The weight of the largest deviation from the last week. 20 minutes alone don't change the trust. */
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
