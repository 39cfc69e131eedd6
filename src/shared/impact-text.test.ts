import { describe, expect, it } from 'vitest'
import { compareWithExpected, describeMissedVisits } from './impact-text.ts'

const formatCount = (count: number) => count.toLocaleString('en')
const missed = (visits_missed: number, visits_missed_low: number, visits_missed_high: number) => ({
  visits_missed,
  visits_missed_low,
  visits_missed_high,
})

describe('the cost of an outage', () => {
  it.each([
    [missed(140, 95, 190), 'about 140 visits missed (95 to 190)'],
    [missed(1_400, 950, 1_900), 'about 1,400 visits missed (950 to 1,900)'],
    [missed(1, 0, 4), 'about 1 visit missed (0 to 4)'],
    [missed(0, 0, 4), 'no visits missed (at most 4)'],
    [missed(0, 0, 0), 'no visits missed'],
  ])('of %j reads: %s', (impact, text) => {
    expect(describeMissedVisits(impact, formatCount)).toBe(text)
  })

  it('is not described if it is unknown', () => {
    const unknownImpact = { visits_missed: null, visits_missed_low: null, visits_missed_high: null }
    for (const impact of [unknownImpact, null]) expect(describeMissedVisits(impact, formatCount)).toBeUndefined()
  })
})

describe('the comparison of visits', () => {
  it('names the actual and the expected visits', () => {
    expect(compareWithExpected({ visits_seen: 11, visits_expected: 1_200 }, formatCount)).toBe('11 of 1,200 expected')
  })

  it('is missing if nothing is expected', () => {
    for (const impact of [{ visits_seen: null, visits_expected: null }, null]) {
      expect(compareWithExpected(impact, formatCount)).toBeUndefined()
    }
  })
})
