import { describe, expect, it } from 'vitest'
import { computeUptimePercent } from './incidents.ts'

describe('the uptime percentage', () => {
  const DAY_SECONDS = 86_400

  it.each([
    ['null if the monitor was never checked', 0, 0, null],
    ['100 if it was never down', DAY_SECONDS, 0, 100],
    ['0 if it was never up', DAY_SECONDS, DAY_SECONDS, 0],
    ['95.833 with one hour of downtime in a day', DAY_SECONDS, 3_600, 95.833],
    ['66.667 with downtime for a third of the time', 3, 1, 66.667],
    ['33.333 with downtime for two thirds of the time', 3, 2, 33.333],
    ['99.999 with one second of downtime in a day', DAY_SECONDS, 1, 99.999],
    ['100 if three decimals cannot show the downtime', DAY_SECONDS * 365, 1, 100],
    ['50 with half a millisecond of downtime in one millisecond', 0.001, 0.0005, 50],
  ])('is %s', (_case, monitoredSeconds, monitoredDowntimeSeconds, percent) => {
    const summary = { total: 0, downtimeSeconds: monitoredDowntimeSeconds, monitoredSeconds, monitoredDowntimeSeconds }
    expect(computeUptimePercent(summary)).toBe(percent)
  })
})
