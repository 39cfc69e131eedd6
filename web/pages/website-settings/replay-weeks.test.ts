import { describe, expect, it } from 'vitest'
import { listMonthLabels, listReplayWeeks } from './replay-weeks.ts'

const to = '2026-01-05T10:00:00.000Z'
const createAlarm = (alertedAt: string) => ({
  started_at: alertedAt,
  alerted_at: alertedAt,
  ended_at: alertedAt,
  gap_minutes: 60,
})

describe('the timeline of a replay', () => {
  it('has 52 weeks, of which the last one ends with the replay', () => {
    const alarms = [createAlarm('2025-12-29T10:00:00.000Z'), createAlarm('2026-01-05T09:00:00.000Z')]
    const weeks = listReplayWeeks({ from: '2025-01-06T10:00:00.000Z', to, alarms })
    expect(weeks).toHaveLength(52)
    expect(weeks[0]?.start.toISOString()).toBe('2025-01-06T10:00:00.000Z')
    expect(weeks.slice(-3).map(({ state, alarms }) => [state, alarms.length])).toEqual([
      ['quiet', 0],
      ['alerted', 1],
      ['alerted', 1],
    ])
  })

  it('shows the weeks before the replay begins as idle', () => {
    const weeks = listReplayWeeks({ from: '2025-12-20T00:00:00.000Z', to, alarms: [] })
    expect(weeks.slice(-5).map(({ state }) => state)).toEqual(['idle', 'idle', 'quiet', 'quiet', 'quiet'])
  })

  it('names months, except a month whose name would be cut off', () => {
    expect(listMonthLabels(to).map(({ text }) => text)).toHaveLength(6)
    // The timeline begins on 1 February. Its last label, January, would be cut off at the right edge.
    expect(listMonthLabels('2026-01-31T10:00:00.000Z')).toHaveLength(5)
  })
})
