import { expect, test } from 'vitest'
import { findPoissonInterval } from '../../bench/joined/silence-report.ts'
import { simulateSilence } from '../../bench/joined/silence-simulation.ts'
import type { TrafficShape } from '../../bench/joined/traffic-shapes.ts'
import { createRandomSource } from '../support/random-source.ts'

// `npm run bench -- joined` simulates every shape for many years. One year of two shapes shows here that nothing has broken. With so
// few years, the exact Poisson interval of the budget is wide.
const simulatedShapes: TrafficShape[] = ['nightly zero', 'tiny']
const rows = simulatedShapes.map((shape, index) =>
  simulateSilence(shape, createRandomSource(1_000_000 + index), {
    siteYears: 1,
    alarmBudgetAYear: 1,
    stopsAYear: 40,
    dropsAYear: 5,
  }),
)

test('false alarms of a simulated year stay within the budget', () => {
  const falseAlarms = rows.reduce((sum, row) => sum + row.falseAlarms, 0)
  const [, max] = findPoissonInterval(simulatedShapes.length)
  expect(falseAlarms).toBeLessThanOrEqual(max)
})

test('every stop is noticed, half of them within 1.5 × the shortest possible time', () => {
  for (const { delays } of rows) {
    expect(delays.undetected).toBe(0)
    // The unit of `gap` is the shortest time after which alarms can come without exceeding the budget of false alarms.
    // So its median can't be far below 1.
    expect(delays.gap.p50).toBeGreaterThan(0.9)
    expect(delays.gap.p50).toBeLessThan(1.5)
  }
})

test('usual traffic rarely causes spike alerts', () => {
  for (const { spikes } of rows) expect(spikes).toBeLessThan(6)
})
