import { describe, expect, it } from 'vitest'
import { hasVisitorTrend, selectResponseTrend } from './trends.ts'

const HOUR_MS = 3_600_000
const startsAt = Date.parse('2026-01-04T11:00:00Z')
const recentStartsAt = Date.parse('2026-01-05T08:10:00Z')
/** 24 steps, of which the last have the given values. */
const fill = (...last: (number | null)[]) => [...new Array(24 - last.length).fill(null), ...last]
const select = (hours: readonly (number | null)[], recent: readonly (number | null)[] | null = null) =>
  selectResponseTrend({
    starts_at: new Date(startsAt).toISOString(),
    hours,
    recent_starts_at: new Date(recentStartsAt).toISOString(),
    recent,
  })

describe('the line of response times', () => {
  it.each([
    [
      '24 hours',
      fill(...Array.from({ length: 24 }, (_, hour) => hour)),
      null,
      { startsAt, stepMs: HOUR_MS, count: 24 },
    ],
    ['three hours', fill(5, 6, 7), null, { startsAt: startsAt + 21 * HOUR_MS, stepMs: HOUR_MS, count: 3 }],
    ['hours with gaps', fill(5, null, 6, 7), null, { startsAt: startsAt + 20 * HOUR_MS, stepMs: HOUR_MS, count: 4 }],
    ['15 minutes', fill(6), fill(5, 6, 7), { startsAt: recentStartsAt + 21 * 300_000, stepMs: 300_000, count: 3 }],
  ])('covers %s', (_, hours, recent, { count, ...trend }) => {
    const { values, ...line } = select(hours, recent) ?? { values: [] }
    expect(line).toEqual(trend)
    expect(values).toHaveLength(count)
    expect(values[0]).not.toBeNull()
  })

  it.each([
    ['no response', fill(), fill()],
    ['responses in two steps of 5 minutes', fill(6), fill(5, 6)],
    ['one run a day', fill(6, ...new Array(20).fill(null)), fill()],
  ])('is missing with %s', (_, hours, recent) => {
    expect(select(hours, recent)).toBeNull()
  })
})

it.each([
  ['since today', [0, 0, 0, 0, 9], false],
  ['since yesterday', [0, 0, 0, 4, 9], false],
  ['since two days ago', [0, 0, 1, 0, 0], true],
  ['for the whole period', [3, 4, 5, 6, 7], true],
  ['before the period, but none since', [0, 0, 0, 0, 0], true],
])('a website with visits %s has a trend: %j %s', (_, visitors, hasTrend) => {
  expect(hasVisitorTrend(visitors)).toBe(hasTrend)
})
