import { describe, expect, it } from 'vitest'
import { createPrediction } from '../../../tests/support/predictions.ts'
import { sumPredictions } from './sum-predictions.ts'

describe('the sum of predictions', () => {
  it('adds means and variances, and the distances of bounds as independent errors', () => {
    const one = createPrediction({ mean: 100, dispersion: 0.01, low: 70, high: 130 })
    const other = createPrediction({ mean: 50, dispersion: 0.02, low: 10, high: 90 })
    const sum = sumPredictions([one, other])
    expect(sum).toMatchObject({ mean: 150, expected: 150, low: 100, high: 200, isUnusual: false })
    // The variances are 100 + 100 and 50 + 50.
    expect(sum.mean + sum.dispersion * sum.mean ** 2).toBeCloseTo(300)
  })

  it('of one prediction is that prediction', () => {
    const prediction = createPrediction({ mean: 12.4, dispersion: 0.1, low: 6, high: 21 })
    expect(sumPredictions([prediction])).toEqual({ ...prediction, dispersion: expect.closeTo(0.1) })
  })

  it('is never negative', () => {
    const few = createPrediction({ mean: 1.4, dispersion: 0.5, low: 0, high: 4 })
    expect(sumPredictions([few, few, few]).low).toBeGreaterThanOrEqual(0)
    expect(sumPredictions([])).toEqual(createPrediction({ mean: 0, dispersion: 0, low: 0, high: 0 }))
  })
})
