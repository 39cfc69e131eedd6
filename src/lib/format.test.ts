import { describe, expect, it } from 'vitest'
import { formatDuration } from './format.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

describe('a duration', () => {
  it.each([
    [0, '0 s'],
    [-5 * SECOND_MS, '0 s'],
    [999, '0 s'],
    [SECOND_MS, '1 s'],
    [59_999, '59 s'],
    [MINUTE_MS, '1 min'],
    [5 * MINUTE_MS + 12 * SECOND_MS, '5 min 12 s'],
    [HOUR_MS - 1, '59 min 59 s'],
    [3 * HOUR_MS, '3 h'],
    [3 * HOUR_MS + 59 * SECOND_MS, '3 h'],
    [3 * HOUR_MS + 2 * MINUTE_MS + 59 * SECOND_MS, '3 h 2 min'],
    [DAY_MS, '1 day'],
    [2 * DAY_MS + 4 * HOUR_MS + MINUTE_MS, '2 days 4 h'],
    [2 * DAY_MS + MINUTE_MS, '2 days'],
    [400 * DAY_MS, '400 days'],
  ])('of %i ms reads "%s"', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})
