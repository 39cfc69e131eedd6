import { describe, expect, it } from 'vitest'
import {
  formatCountry,
  formatDay,
  formatDurationSeconds,
  formatMs,
  formatRelativeTime,
  formatUptimePercent,
  formatWallClock,
  pluralize,
} from './format.ts'

/** The tests compare only digits, because percent signs and units depend on the browser's language. */
const extractDigits = (text: string) => text.replace(/[^\d]+/g, ' ').trim()

describe('uptime', () => {
  it('is 100% only without downtime', () => {
    expect(extractDigits(formatUptimePercent(100))).toBe('100')
    for (const percent of [99.996, 99.9999, 99.999999])
      expect(extractDigits(formatUptimePercent(percent))).toBe('99 99')
  })

  it('has two decimals, rounded down', () => {
    expect(extractDigits(formatUptimePercent(99.5))).toBe('99 50')
    expect(extractDigits(formatUptimePercent(66.667))).toBe('66 66')
    expect(extractDigits(formatUptimePercent(0))).toBe('0 00')
  })

  it('is a dash without checks', () => {
    expect(formatUptimePercent(null)).toBe('–')
  })
})

describe('a duration', () => {
  it.each([
    [0, '0'],
    [0.4, '0'],
    [59.9, '59'],
    [60, '1'],
    [3_661, '1 1'],
    [86_400, '1'],
    [90_061, '1 1'],
    [86_405, '1'],
    [1_000 * 86_400, '1 000'],
  ])('of %d seconds shows its two largest units', (seconds, numbers) => {
    expect(extractDigits(formatDurationSeconds(seconds))).toBe(numbers)
  })
})

describe('a relative time', () => {
  const now = Date.parse('2026-01-05T12:00:00Z')
  const ago = (at: string) => formatRelativeTime(at, now)

  it('uses the largest unit that fits and never rounds up', () => {
    expect(ago('2026-01-05T11:59:01Z')).toMatch(/59/)
    expect(ago('2026-01-05T10:00:01Z')).toMatch(/1/)
    expect(ago('2026-01-03T12:00:01Z')).toMatch(/1/)
    expect(ago('2024-12-01T12:00:00Z')).toMatch(/1/)
  })

  it('distinguishes past, present and future', () => {
    expect(ago('2026-01-05T11:00:00Z')).not.toBe(ago('2026-01-05T13:00:00Z'))
    expect(ago('2026-01-05T12:00:00.400Z')).toBe(ago('2026-01-05T12:00:00Z'))
  })
})

it('pluralize uses the singular for one and the plural otherwise', () => {
  expect(pluralize(1, 'page')).toBe('1 page')
  expect(pluralize(0, 'page')).toBe('0 pages')
  expect(pluralize(2, 'country', 'countries')).toBe('2 countries')
})

it('long response times are shown in seconds', () => {
  expect(formatMs(null)).toBe('–')
  expect(formatMs(999)).toBe('999 ms')
  expect(extractDigits(formatMs(12_340))).toBe('12 3')
  expect(extractDigits(formatMs(7_500_000))).toBe('2 5')
})

it('a calendar day and a wall-clock time are shown unchanged in every time zone', () => {
  expect(formatDay('2026-01-05')).toMatch(/5/)
  expect(extractDigits(formatWallClock('2026-01-05T09:30:00+13:00'))).toMatch(/^0?9 30$/)
})

it('unknown country codes are shown unchanged', () => {
  expect(formatCountry('not a code')).toBe('not a code')
})
