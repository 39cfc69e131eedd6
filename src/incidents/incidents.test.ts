import { describe, expect, it } from 'vitest'
import { uptimePercent } from './incidents.ts'

describe('the uptime', () => {
  const DAY = 86_400

  it.each([
    ['null when it was never watched', 0, 0, null],
    ['100 when it was never down', DAY, 0, 100],
    ['0 when it was never up', DAY, DAY, 0],
    ['95.833 after an hour of a day', DAY, 3_600, 95.833],
    ['66.667 after a third', 3, 1, 66.667],
    ['33.333 after two thirds', 3, 2, 33.333],
    ['99.999 after one second of a day', DAY, 1, 99.999],
    ['100 after so little that three decimals do not show it', DAY * 365, 1, 100],
    ['50 after half of a millisecond', 0.001, 0.0005, 50],
  ])('is %s', (_what, watchedSeconds, watchedDowntimeSeconds, percent) => {
    const summary = { total: 0, downtimeSeconds: watchedDowntimeSeconds, watchedSeconds, watchedDowntimeSeconds }
    expect(uptimePercent(summary)).toBe(percent)
  })
})
