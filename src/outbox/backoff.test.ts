import { describe, expect, it } from 'vitest'
import { applyRetryAfter, getGiveUpCutoff, getQueuePauseMs, getRetryDelayMs } from './backoff.ts'

const toMs = (seconds: number) => 1000 * seconds

describe('backoff', () => {
  it('grows with every attempt, up to 15 minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 100].map(getRetryDelayMs)).toEqual([5, 15, 45, 120, 300, 900, 900, 900].map(toMs))
  })

  it('pauses a queue for a minute at most, because a new message may get through', () => {
    expect([1, 2, 3, 4, 50].map(getQueuePauseMs)).toEqual([5, 15, 45, 60, 60].map(toMs))
  })

  it('waits as long as the receiver asks, up to an hour', () => {
    expect(applyRetryAfter(5_000)).toBe(5_000)
    expect(applyRetryAfter(5_000, 2)).toBe(5_000)
    expect(applyRetryAfter(5_000, 30)).toBe(30_000)
    expect(applyRetryAfter(5_000, 86_400)).toBe(3_600_000)
  })

  it('ends after the given number of hours', () => {
    expect(getGiveUpCutoff(new Date('2026-01-06T10:00:00.000Z'), 24)).toEqual(new Date('2026-01-05T10:00:00.000Z'))
  })
})
