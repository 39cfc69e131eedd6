import { describe, expect, it } from 'vitest'
import type { Impact } from '../../src/shared/impact.ts'
import { formatMissedVisits, formatVisitors, sumMissedVisits } from './impact.ts'

const createImpact = (
  expected: number | null,
  actualVisits: number | null,
  missedRange: (number | null)[],
): Impact => ({
  visits_expected: expected,
  visits_low: expected && 31,
  visits_high: expected && 57,
  visits_seen: actualVisits,
  visits_missed: missedRange[0] ?? null,
  visits_missed_low: missedRange[1] ?? null,
  visits_missed_high: missedRange[2] ?? null,
  confidence: 0.9,
  basis: expected === null ? 'too_little_traffic' : 'profile',
})
const noEstimate = createImpact(null, null, [])

describe('the visits missed', () => {
  it('are a number with its range', () => {
    expect(formatMissedVisits(createImpact(143, 3, [140, 95, 190]))).toBe('About 140 visits missed (95 to 190)')
    expect(formatMissedVisits(createImpact(40, 90, [0, 0, 0]))).toBe('No visits missed')
    expect(formatMissedVisits(noEstimate)).toBeUndefined()
    expect(formatMissedVisits(null)).toBeUndefined()
  })

  it('of several incidents add up, and their random errors partly cancel out', () => {
    const sum = sumMissedVisits([createImpact(50, 0, [50, 47, 53]), null, createImpact(50, 0, [50, 46, 54])])
    expect(formatMissedVisits(sum)).toBe('About 100 visits missed (95 to 105)')
    expect(sumMissedVisits([null, noEstimate])).toBeNull()
  })
})

describe('the sentence about visitors', () => {
  const format = (
    visitors: 'gone' | 'normal' | 'unknown',
    actualVisits: number,
    status: 'open' | 'resolved' = 'open',
  ) => formatVisitors({ status, visitors, impact: createImpact(12, actualVisits, [12 - actualVisits, 7, 18]) })

  it('confirms an outage, or contradicts it', () => {
    expect(format('normal', 11)).toBe('Visitors are still arriving as usual (11 of 12 expected)')
    expect(format('normal', 11, 'resolved')).toBe('Visitors kept arriving as usual (11 of 12 expected)')
    expect(format('gone', 0)).toBe('No visits recorded during the outage (12 expected)')
    expect(format('gone', 1)).toBe('Almost no visits recorded during the outage (1 of 12 expected)')
  })

  it('is missing if the evidence is weak', () => {
    expect(format('unknown', 5)).toBeUndefined()
    expect(formatVisitors({ status: 'open', visitors: null, impact: null })).toBeUndefined()
    expect(formatVisitors({ status: 'open', visitors: 'unknown', impact: noEstimate })).toBeUndefined()
  })
})
