import { expect, it } from 'vitest'
import { findRecoveryTime } from './status-posts.ts'

const incident = (resolved_at: string | null) => ({
  id: 1,
  monitor_id: 1,
  started_at: '2026-01-05T10:00:00.000Z',
  resolved_at,
})
const ended = incident('2026-01-05T10:05:00.000Z')
const endedLater = incident('2026-01-05T10:30:00.000Z')

it.each([
  ['when its last outage has ended', 'investigating', [ended, endedLater], endedLater.resolved_at],
  ['also if its state is “Monitoring”', 'monitoring', [ended], ended.resolved_at],
  ['not while something is down', 'investigating', [ended, incident(null)], undefined],
  ['not if it is about no outage', 'investigating', [], undefined],
  ['not if it is resolved', 'resolved', [ended], undefined],
] as const)('an open post can be resolved %s', (_name, state, incidents, expected) => {
  expect(findRecoveryTime({ state, incidents: [...incidents] })).toBe(expected)
})
