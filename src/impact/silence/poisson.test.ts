import { expect, test } from 'vitest'
import { findPoissonTail } from './poisson.ts'

test('the probability of at least so many events', () => {
  expect(findPoissonTail(0, 1)).toBe(1)
  expect(findPoissonTail(1, 1)).toBeCloseTo(1 - Math.exp(-1), 12)
  expect(findPoissonTail(4, 1)).toBeCloseTo(0.018988, 6)
})
