import { describe, expect, it } from 'vitest'
import { formatUptime, roundUptimePercent } from './format-uptime.ts'

describe('an uptime percentage', () => {
  it.each([
    [100, '100%'],
    [99.999999999, '99.99%'],
    [99.996, '99.99%'],
    [99.99, '99.99%'],
    [99.948, '99.94%'],
    [99.5, '99.50%'],
    [66.667, '66.66%'],
    [1.15, '1.15%'],
    [0, '0.00%'],
  ])('of %d is shown as %s', (percent, text) => expect(formatUptime(percent)).toBe(text))

  it('keeps every value that has two decimals', () => {
    const percents = Array.from({ length: 10_001 }, (_, hundredths) => hundredths / 100)
    expect(percents.map((percent) => roundUptimePercent(percent))).toEqual(percents)
  })
})
