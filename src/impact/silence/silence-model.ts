/** What the silence watch knows about a website: kept as JSON, and renewed daily. */
export interface SilenceModel {
  /** Expected visits per slot by local hour of the week, at level 1. */
  rates: number[]
  /** Extra variance of a slot's count, relative to the square of its mean: 0 for Poisson. */
  dispersion: number
  /** Standard deviation of how far the logarithm of the level moves in an hour. */
  drift: number
  /** Standard deviation of the logarithm of the level of usual days. */
  spread: number
  /** How many times the expected visits an hour must have to be a spike. */
  spikeFactor: number
}
