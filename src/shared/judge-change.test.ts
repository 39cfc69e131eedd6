import { describe, expect, it } from 'vitest'
import { judgeChange } from './judge-change.ts'

const toPercent = (value: number, previous: number) => (100 * (value - previous)) / previous

describe('a change of a count', () => {
  it.each([
    [1234, 1102, 'good'],
    [1102, 1234, 'bad'],
    [3656, 3700, 'neutral'],
    [98_800, 100_000, 'neutral'],
    [94_000, 100_000, 'bad'],
    [9, 12, 'neutral'],
    [40, 12, 'good'],
    [0, 3, 'neutral'],
    [0, 7, 'bad'],
    [5, 5, 'neutral'],
  ] as const)('to %d after %d is %s', (value, previous, verdict) => {
    expect(judgeChange({ percent: toPercent(value, previous), previous, isCount: true })).toBe(verdict)
  })
})

describe('a change of a rate', () => {
  it.each([
    [41.2, 44, 'good'],
    [44, 41.2, 'bad'],
    [43.5, 44, 'neutral'],
  ] as const)('to %d%% after %d%%, if lower is better, is %s', (value, previous, verdict) => {
    const percent = toPercent(value, previous)
    expect(judgeChange({ percent, previous, isCount: false, isLowerBetter: true })).toBe(verdict)
  })
})
