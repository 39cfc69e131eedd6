import { describe, expect, it } from 'vitest'
import { formatDuration } from './format.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('a duration', () => {
  it.each([
    [0, '0 s'],
    [-5 * SECOND, '0 s'],
    [999, '0 s'],
    [SECOND, '1 s'],
    [59_999, '59 s'],
    [MINUTE, '1 min'],
    [5 * MINUTE + 12 * SECOND, '5 min 12 s'],
    [HOUR - 1, '59 min 59 s'],
    [3 * HOUR, '3 h'],
    [3 * HOUR + 59 * SECOND, '3 h'],
    [3 * HOUR + 2 * MINUTE + 59 * SECOND, '3 h 2 min'],
    [DAY, '1 day'],
    [2 * DAY + 4 * HOUR + MINUTE, '2 days 4 h'],
    [2 * DAY + MINUTE, '2 days'],
    [400 * DAY, '400 days'],
  ])('of %i ms reads "%s"', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})
