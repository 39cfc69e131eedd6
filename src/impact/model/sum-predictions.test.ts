import { describe, expect, it } from 'vitest'
import { sumPredictions } from './sum-predictions.ts'

describe('the sum of predictions', () => {
  it('adds means and variances, and the distances of bounds as independent errors', () => {
    const one = {
      mean: 100,
      dispersion: 0.01,
      levelVariance: 0,
      possibleFall: 0,
      possibleRise: 0,
      expected: 100,
      low: 70,
      high: 130,
      isUnusual: false,
    }
    const other = {
      mean: 50,
      dispersion: 0.02,
      levelVariance: 0,
      possibleFall: 0,
      possibleRise: 0,
      expected: 50,
      low: 10,
      high: 90,
      isUnusual: false,
    }
    const sum = sumPredictions([one, other])
    expect(sum).toMatchObject({ mean: 150, expected: 150, low: 100, high: 200, isUnusual: false })
    // The variances are 100 + 100 and 50 + 50.
    expect(sum.mean + sum.dispersion * sum.mean ** 2).toBeCloseTo(300)
  })

  it('of one prediction is that prediction', () => {
    const prediction = {
      mean: 12.4,
      dispersion: 0.1,
      levelVariance: 0,
      possibleFall: 0,
      possibleRise: 0,
      expected: 12,
      low: 6,
      high: 21,
      isUnusual: false,
    }
    expect(sumPredictions([prediction])).toEqual({ ...prediction, dispersion: expect.closeTo(0.1) })
  })

  it('is never negative', () => {
    const few = {
      mean: 1.4,
      dispersion: 0.5,
      levelVariance: 0,
      possibleFall: 0,
      possibleRise: 0,
      expected: 1,
      low: 0,
      high: 4,
      isUnusual: false,
    }
    expect(sumPredictions([few, few, few]).low).toBeGreaterThanOrEqual(0)
    expect(sumPredictions([])).toEqual({
      mean: 0,
      dispersion: 0,
      levelVariance: 0,
      possibleFall: 0,
      possibleRise: 0,
      expected: 0,
      low: 0,
      high: 0,
      isUnusual: false,
    })
  })
})
