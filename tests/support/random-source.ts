/** Seeded random numbers and counts for simulations, so that every run of a seed gives the same tables. */

export interface RandomSource {
  /** Returns a number from 0 up to, but not including, 1. */
  uniform(): number
  normal(): number
  /** Returns a gamma distributed number. Its mean and variance are both `shape`. */
  gamma(shape: number): number
  poisson(mean: number): number
  /** Returns a count whose variance is mean + dispersion × mean². A dispersion of 0 gives Poisson counts. */
  negativeBinomial(mean: number, dispersion: number): number
}

/** Above this mean, counts are drawn in parts: e^−mean would become 0 for very large means. */
const MAX_DIRECT_MEAN = 20

export function createRandomSource(seed: number): RandomSource {
  let state = seed >>> 0

  /** The generator "mulberry32": 32 bits of state, fast, and good enough for simulations. */
  function uniform(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296
  }

  /** Uses the method of Box and Muller. 1 − uniform is never 0, whose logarithm would be infinite. */
  function normal(): number {
    return Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  }

  /**
   * Uses the method of Marsaglia and Tsang (2000). For a shape under 1, it draws with the shape + 1 and multiplies by a
   * power of a uniform number.
   */
  function gamma(shape: number): number {
    if (shape < 1) return gamma(shape + 1) * (1 - uniform()) ** (1 / shape)
    const d = shape - 1 / 3
    const c = 1 / Math.sqrt(9 * d)
    for (;;) {
      const x = normal()
      const v = (1 + c * x) ** 3
      if (v > 0 && Math.log(1 - uniform()) < x * x * 0.5 + d * (1 - v + Math.log(v))) return d * v
    }
  }

  /**
   * Multiplies uniform numbers, as Knuth describes. A gamma distributed part reduces large means first (Ahrens and
   * Dieter, 1974).
   */
  function poisson(mean: number): number {
    if (mean > MAX_DIRECT_MEAN) {
      const part = Math.floor(mean * 0.875)
      const time = gamma(part)
      return time <= mean ? part + poisson(mean - time) : countBinomial(part - 1, mean / time)
    }
    const limit = Math.exp(-mean)
    let count = 0
    for (let product = uniform(); product > limit; product *= uniform()) count++
    return count
  }

  function countBinomial(trials: number, probability: number): number {
    let count = 0
    for (let trial = 0; trial < trials; trial++) if (uniform() < probability) count++
    return count
  }

  function negativeBinomial(mean: number, dispersion: number): number {
    if (mean <= 0) return 0
    return poisson(dispersion > 0 ? gamma(1 / dispersion) * dispersion * mean : mean)
  }

  return { uniform, normal, gamma, poisson, negativeBinomial }
}
