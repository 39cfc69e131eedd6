import { describe, expect, it } from 'vitest'
import { createPrediction } from '../../../tests/support/predictions.ts'
import { findCountRange } from './count-distribution.ts'
import { judgeVisitors } from './visitors.ts'

const predict = (mean: number, dispersion = 0.02) =>
  createPrediction({ mean, dispersion, ...findCountRange(mean, dispersion) })

describe('visitors', () => {
  it('are gone if none of many expected visits began', () => {
    expect(judgeVisitors(predict(30), 0)).toBe('gone')
  })

  it('are gone although a few visits begin from caches', () => {
    expect(judgeVisitors(predict(100), 3)).toBe('gone')
  })

  it('arrive as usual if about as many visits began as expected', () => {
    expect(judgeVisitors(predict(12), 11)).toBe('normal')
    expect(judgeVisitors(predict(1000), 1040)).toBe('normal')
  })

  it('arrive as usual if more visits began than expected', () => {
    expect(judgeVisitors(predict(12), 60)).toBe('normal')
  })

  it.each([0, 1, 2, 3, 9])('are unknown if 2 visits were expected and %i began', (seen) => {
    expect(judgeVisitors(predict(2), seen)).toBe('unknown')
  })

  it.each([14, 20, 35, 50, 60])('are unknown if %i of 100 expected visits began', (seen) => {
    expect(judgeVisitors(predict(100), seen)).toBe('unknown')
  })

  it('are unknown if so much varies that the silence may be chance', () => {
    expect(judgeVisitors(predict(12, 2), 0)).toBe('unknown')
  })

  it('are unknown if traffic is too unusual', () => {
    expect(judgeVisitors({ ...predict(30), isUnusual: true }, 0)).toBe('unknown')
  })

  it('are unknown without a prediction, or if nothing is expected', () => {
    expect(judgeVisitors(undefined, 0)).toBe('unknown')
    expect(judgeVisitors(predict(0), 0)).toBe('unknown')
    expect(judgeVisitors(predict(0), 3)).toBe('unknown')
  })
})
