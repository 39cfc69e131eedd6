import { describe, expect, it } from 'vitest'
import { DAY_MS } from './time.ts'
import { computeUptimePercent, hasEnoughUptimeData } from './uptime.ts'

describe('the uptime percentage', () => {
  const DAY_SECONDS = 86_400

  it.each([
    ['null if the monitor was never checked', 0, 0, null],
    ['100 if it was never down', DAY_SECONDS, 0, 100],
    ['0 if it was never up', DAY_SECONDS, DAY_SECONDS, 0],
    ['0 if the downtime was rounded up to more than the monitored time', 1, 2, 0],
    ['95.833 with one hour of downtime in a day', DAY_SECONDS, 3_600, 95.833],
    ['66.667 with downtime for a third of the time', 3, 1, 66.667],
    ['33.333 with downtime for two thirds of the time', 3, 2, 33.333],
    ['99.999 with one second of downtime in a day', DAY_SECONDS, 1, 99.999],
    ['not 100 even if three decimals cannot show the downtime', DAY_SECONDS * 365, 1, 99.999],
    ['50 with half a millisecond of downtime in one millisecond', 0.001, 0.0005, 50],
  ])('is %s', (_case, monitoredSeconds, downtimeSeconds, percent) => {
    expect(computeUptimePercent(monitoredSeconds, downtimeSeconds)).toBe(percent)
  })

  it.each([
    ['is shown', 'is older than the period', null, 0, true],
    ['is shown', 'was monitored for a day', 1, DAY_MS, true],
    ['is not shown', 'was monitored for less than a day', 1, DAY_MS - 1, false],
  ])('%s if the monitor %s', (_shown, _case, monitoredSince, monitoredMs, isShown) => {
    expect(hasEnoughUptimeData({ monitoredSince, monitoredMs })).toBe(isShown)
  })
})
