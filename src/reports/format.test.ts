import { describe, expect, it } from 'vitest'
import {
  compareWeeks,
  formatLongDuration,
  formatPercent,
  formatQuantity,
  formatShortCount,
  formatWeek,
  formatWeekday,
} from './format.ts'

describe('numbers', () => {
  it('have thousands separators, and the right plural', () => {
    expect(formatQuantity(1234, 'visitor', 'visitors')).toBe('1,234 visitors')
    expect(formatQuantity(1, 'visitor', 'visitors')).toBe('1 visitor')
    expect(formatQuantity(0, 'visitor', 'visitors')).toBe('0 visitors')
  })

  it.each([
    [0, '0%'],
    [0.44, '0.4%'],
    [9.96, '10%'],
    [41.2, '41%'],
    [100, '100%'],
  ])('in percent have a decimal only below 10: %d is %s', (percent, text) => expect(formatPercent(percent)).toBe(text))

  it.each([
    [0, '0'],
    [99_999, '99,999'],
    [1_250_000, '1.3M'],
  ])('in the chart are abbreviated from 100,000 on: %d is %s', (count, text) =>
    expect(formatShortCount(count)).toBe(text),
  )
})

describe('a duration in a sentence', () => {
  it.each([
    [0, '0 seconds'],
    [59, '59 seconds'],
    [60, '1 minute'],
    [869, '14 minutes'],
    [3_659, '1 hour'],
    [7_500, '2 hours 5 minutes'],
    [86_400, '1 day'],
    [266_400, '3 days 2 hours'],
  ])('of %d s is %s', (seconds, text) => expect(formatLongDuration(seconds)).toBe(text))
})

describe('a change', () => {
  it.each([
    [1120, 1000, 'up', 'good', '12% more than the previous week'],
    [880, 1000, 'down', 'bad', '12% fewer than the previous week'],
    [3656, 3700, 'down', 'neutral', '1.2% fewer than the previous week'],
    [1001, 1000, 'up', 'neutral', '0.1% more than the previous week'],
    [100_001, 100_000, 'same', 'neutral', 'about the same as the previous week'],
    [100, 100, 'same', 'neutral', 'same as the previous week'],
    [0, 0, 'same', 'neutral', 'same as the previous week'],
    [7, 0, 'new', 'neutral', 'none in the previous week'],
    [0, 7, 'down', 'bad', '100% fewer than the previous week'],
    [499, 100, 'up', 'good', '399% more than the previous week'],
    [1240, 100, 'up', 'good', '12 times the previous week'],
  ])('to %d, after %d in the previous week, is %s and %s: %s', (count, previousCount, direction, verdict, words) => {
    expect(compareWeeks(count, previousCount)).toEqual({ direction, verdict, words })
  })
})

describe('a week', () => {
  it.each([
    ['2026-01-05', '5–11 January 2026'],
    ['2026-01-26', '26 January – 1 February 2026'],
    ['2025-12-29', '29 December 2025 – 4 January 2026'],
  ])('that begins on %s is written as %s', (week, text) => expect(formatWeek(week)).toBe(text))

  it('begins on Monday', () =>
    expect([formatWeekday('2026-01-05'), formatWeekday('2026-01-11')]).toEqual(['Monday', 'Sunday']))
})
