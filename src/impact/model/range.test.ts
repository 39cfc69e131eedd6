import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../../tests/support/expect-within.ts'
import { approximateRange, findCountRange, findUncertainRange, logProbability } from './range.ts'

const probabilityOf = (from: number, to: number, mean: number, dispersion: number) => {
  let sum = 0
  for (let count = from; count <= to; count++) sum += Math.exp(logProbability(count, mean, dispersion))
  return sum
}

describe('the probability of a count', () => {
  it.each([
    [0, 3, 0, Math.exp(-3)],
    [2, 3, 0, Math.exp(-3) * 4.5],
    // With a dispersion of 1, the negative binomial distribution is the geometric one: mean^n / (1 + mean)^(n + 1).
    [0, 3, 1, 1 / 4],
    [2, 3, 1, 9 / 64],
  ])('of %i visits with mean %d and dispersion %d is exact', (count, mean, dispersion, probability) => {
    expect(Math.exp(logProbability(count, mean, dispersion))).toBeCloseTo(probability, 6)
  })

  it.each([
    [0.5, 0],
    [20, 0.1],
    [900, 0.05],
  ])('adds up to 1 with mean %d and dispersion %d', (mean, dispersion) => {
    expect(probabilityOf(0, mean * 6 + 40, mean, dispersion)).toBeCloseTo(1, 5)
  })

  it('is 1 for no visits if the mean is 0', () => {
    expect(logProbability(0, 0, 0.1)).toBe(0)
    expect(logProbability(1, 0, 0.1)).toBe(Number.NEGATIVE_INFINITY)
  })
})

describe('the range of counts', () => {
  it('is 0 to 0 if nothing is expected', () => {
    expect(findCountRange(0, 0.1)).toEqual({ low: 0, high: 0 })
  })

  it('of a Poisson distribution with mean 10 is 6 to 15', () => {
    expect(findCountRange(10, 0)).toEqual({ low: 6, high: 15 })
  })

  it.each([0, 0.02, 0.1, 0.4])(
    'covers nine of ten counts on average over many means, with dispersion %d',
    (dispersion) => {
      let coveredProbability = 0
      let ranges = 0
      for (let mean = 3; mean < 30; mean += 0.1) {
        const { low, high } = findCountRange(mean, dispersion)
        coveredProbability += probabilityOf(low, high, mean, dispersion)
        ranges++
      }
      expect(coveredProbability / ranges).toBeGreaterThan(0.893)
      expect(coveredProbability / ranges).toBeLessThan(0.907)
    },
  )

  it('has no jump at the mean above which it is approximated', () => {
    for (const dispersion of [0, 0.02, 0.3]) {
      const exact = findCountRange(299.9, dispersion)
      const approximate = findCountRange(300.1, dispersion)
      const tolerance = 0.02 * (exact.high - exact.low) + 1
      expectWithin(approximate.low, exact.low, tolerance)
      expectWithin(approximate.high, exact.high, tolerance)
    }
  })

  it('widens by a factor at both ends if the level is uncertain', () => {
    const certainRange = findUncertainRange(1000, 0.01, { levelVariance: 0, possibleFall: 0, possibleRise: 0 })
    expect(certainRange).toEqual(findCountRange(1000, 0.01))
    const uncertainRange = findUncertainRange(1000, 0.01, { levelVariance: 0.25, possibleFall: 0, possibleRise: 0 })
    expect(uncertainRange.low).toBeLessThan(certainRange.low / 1.8)
    expect(uncertainRange.high).toBeGreaterThan(certainRange.high * 1.8)
    // If only the level were uncertain, the factor would be e^(1.645 × 0.5) = 2.3.
    expect(uncertainRange.high).toBeLessThan(2.4 * 1000)
  })

  it('widens only on the side to which the level may have changed', () => {
    const certainRange = findCountRange(1000, 0.01)
    const rangeAfterFall = findUncertainRange(1000, 0.01, {
      levelVariance: 0,
      possibleFall: Math.log(2),
      possibleRise: 0,
    })
    expect(rangeAfterFall).toEqual({ low: findCountRange(500, 0.01).low, high: certainRange.high })
    const rangeAfterRise = findUncertainRange(1000, 0.01, {
      levelVariance: 0,
      possibleFall: 0,
      possibleRise: Math.log(2),
    })
    expect(rangeAfterRise).toEqual({ low: certainRange.low, high: findCountRange(2000, 0.01).high })
  })

  it('never begins below 0, however large the dispersion', () => {
    expect(findCountRange(5000, 4).low).toBeGreaterThanOrEqual(0)
    expect(approximateRange(5000, 4).high).toBeGreaterThan(10_000)
  })
})
