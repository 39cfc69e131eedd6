/**
 * The level: how busy a website is, compared with its profile. It is estimated from several horizons: the last hour shows
 * a burst, the last week shows growth. How far each can be trusted is learned from past windows.
 */
import { type PastWindows, sumBetween, type UsableSums } from './past-windows.ts'
import { addAt } from './profile.ts'
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK } from './visit-history.ts'

const horizonSlots = [SLOTS_PER_WEEK, SLOTS_PER_DAY, 4 * SLOTS_PER_HOUR, SLOTS_PER_HOUR] as const
const HORIZONS = horizonSlots.length
/** If a horizon has so many expected visits, half of its relative deviation is attributed to chance. */
const HORIZON_PRIOR_VISITS = 15
/** The trust in each horizon before any window is seen, and its standard deviation. */
const priorTrust = [0.95, 0.3, 0.15, 0.15] as const
const PRIOR_TRUST_DEVIATION = 0.25
/** A single burst must not outweigh all other windows. */
const MAX_DEVIATION = 2
/** A website that had no visit for hours may still get some. */
const MIN_LEVEL = 0.05
/** The dispersion of a window's visits while the trust is learned. Its exact value hardly matters. */
const ASSUMED_DISPERSION = 0.08

/**
 * Writes the deviation of the last week from the profile, and those of the shorter horizons from the last week's level.
 * Excluded slots are ignored.
 */
function measureDeviations(sums: UsableSums, end: number, deviations: Float64Array, offset: number): void {
  let weekLevel = 1
  for (let horizon = 0; horizon < HORIZONS; horizon++) {
    const from = end - (horizonSlots[horizon] ?? 0)
    const expected = weekLevel * sumBetween(sums.expected, sums, from, end)
    const excess = sumBetween(sums.visits, sums, from, end) - expected
    const deviation = Math.min(MAX_DEVIATION, excess / (expected + HORIZON_PRIOR_VISITS))
    deviations[offset + horizon] = deviation
    if (horizon === 0) weekLevel = 1 + deviation
  }
}

/** Predicts levels, with the trust learned by least squares from all past windows, or from those of other weeks. */
export class LevelPredictor {
  readonly #sums: UsableSums
  readonly #windows: PastWindows
  readonly #deviations: Float64Array
  /** The sums of the normal equations by week. Leaving out one week gives the trust that the other weeks show. */
  readonly #equations: Float64Array[]

  constructor(sums: UsableSums, windows: PastWindows, weeks: number) {
    this.#sums = sums
    this.#windows = windows
    this.#deviations = new Float64Array(windows.starts.length * HORIZONS)
    this.#equations = Array.from({ length: weeks }, () => new Float64Array(HORIZONS * (HORIZONS + 1)))
    for (let window = 0; window < windows.starts.length; window++) {
      measureDeviations(sums, windows.starts[window] ?? 0, this.#deviations, window * HORIZONS)
      this.#addEquations(window)
    }
  }

  #addEquations(window: number): void {
    const { expected, visits, weeks, weights } = this.#windows
    const equations = this.#equations[weeks[window] ?? 0]
    const windowExpected = expected[window] ?? 0
    if (equations === undefined || windowExpected <= 0) return
    const weight = (weights[window] ?? 0) / (1 / windowExpected + ASSUMED_DISPERSION)
    const deviation = Math.min(MAX_DEVIATION, (visits[window] ?? 0) / windowExpected - 1)
    for (let row = 0; row < HORIZONS; row++) {
      const weighted = weight * (this.#deviations[window * HORIZONS + row] ?? 0)
      for (let column = 0; column < HORIZONS; column++)
        addAt(equations, row * (HORIZONS + 1) + column, weighted * (this.#deviations[window * HORIZONS + column] ?? 0))
      addAt(equations, row * (HORIZONS + 1) + HORIZONS, weighted * deviation)
    }
  }

  /** The level after `end`. */
  predict(end: number): number {
    const deviations = new Float64Array(HORIZONS)
    measureDeviations(this.#sums, end, deviations, 0)
    return combine(this.#learnTrust(undefined), deviations, 0)
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

function combine(trust: Float64Array, deviations: Float64Array, offset: number): number {
  let level = 1
  for (let horizon = 0; horizon < HORIZONS; horizon++)
    level += (trust[horizon] ?? 0) * (deviations[offset + horizon] ?? 0)
  return Math.max(MIN_LEVEL, level)
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
