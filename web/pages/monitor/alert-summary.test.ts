import { expect, it } from 'vitest'
import { summarizeAlerts } from './alert-summary.ts'
import type { Alert } from './queries.ts'

const createAlerts = (...states: Alert['state'][]) => states.map((state) => ({ state }) as Alert)

it('summarizes the alerts about an incident in one line', () => {
  expect(summarizeAlerts([], true)).toBe('No notifications sent')
  expect(summarizeAlerts(createAlerts('sent'), true)).toBe('1 notification sent')
  expect(summarizeAlerts(createAlerts('sent', 'sent', 'failed', 'waiting'), true)).toBe(
    '2 notifications sent, 1 pending, 1 failed',
  )
  expect(summarizeAlerts(createAlerts('failed', 'failed'), true)).toBe('2 notifications failed')
  expect(summarizeAlerts(createAlerts('waiting', 'failed'), true)).toBe('1 notification pending, 1 failed')
})

it('shows no counts if some alerts were not fetched', () => {
  expect(summarizeAlerts([], false)).toBe('Notifications')
  expect(summarizeAlerts(createAlerts('sent'), false)).toBe('Notifications')
})
