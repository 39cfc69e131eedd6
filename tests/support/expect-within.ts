import { expect } from 'vitest'

/** Fails unless `actual` differs from `expected` by at most `tolerance`. */
export function expectWithin(actual: number, expected: number, tolerance: number): void {
  const message = `${actual} is not within ${tolerance} of ${expected}`
  expect(Math.abs(actual - expected), message).toBeLessThanOrEqual(tolerance)
}
