import { describe, expect, it } from 'vitest'
import { findRangesOutside } from './ip-ranges.ts'

describe('a range outside of other ranges', () => {
  it.each([
    // Range, outer ranges, whether the range lies within one of them.
    ['203.0.113.0/24', ['203.0.113.0/24'], true],
    ['203.0.113.128/25', ['203.0.113.0/24'], true],
    ['203.0.113.7', ['203.0.113.0/24'], true],
    ['203.0.113.7', ['203.0.113.7'], true],
    ['203.0.113.7', ['198.51.100.0/24', '203.0.113.0/29'], true],
    ['203.0.113.0/23', ['203.0.113.0/24'], false],
    ['203.0.113.8', ['203.0.113.7'], false],
    ['203.0.113.0/24', ['203.0.113.0/25', '203.0.113.128/25'], false],
    ['0.0.0.0/0', ['203.0.113.0/24'], false],
    ['203.0.113.7', ['0.0.0.0/0'], true],
    ['2001:db8:1::/48', ['2001:db8::/32'], true],
    ['2001:db8::1', ['2001:db8::/32'], true],
    ['2001:db9::1', ['2001:db8::/32'], false],
    ['2001:db8::/31', ['2001:db8::/32'], false],
    ['::/0', ['2001:db8::/32'], false],
    ['203.0.113.7', ['::/0'], false],
    ['2001:db8::1', ['0.0.0.0/0'], false],
    ['203.0.113.7', [], false],
  ])('%s is within %j: %s', (range, outerRanges, isWithin) => {
    expect(findRangesOutside([range], outerRanges)).toEqual(isWithin ? [] : [range])
  })
})
