import { expect, it } from 'vitest'
import { getStatusLabel } from './monitor-status.ts'

it.each([
  ['heartbeat', 'pending', null, 'No signal yet'],
  ['heartbeat', 'pending', '2026-01-05T10:00:00.000Z', 'Pending'],
  ['heartbeat', 'up', '2026-01-05T10:00:00.000Z', 'Up'],
  ['heartbeat', 'paused', null, 'Paused'],
  ['http', 'pending', null, 'Pending'],
] as const)('a monitor of type %s that is %s, last checked %s, says “%s”', (type, status, last_checked_at, label) => {
  expect(getStatusLabel({ type, status, last_checked_at, is_sample: false })).toBe(label)
})

it('a sample monitor says that it is a sample, although it is paused', () => {
  expect(getStatusLabel({ type: 'http', status: 'paused', last_checked_at: null, is_sample: true })).toBe('Sample')
})
