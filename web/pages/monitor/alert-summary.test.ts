import { expect, it } from 'vitest'
import { describeCombination, hasAllAlertsOf, isCombined, summarizeAlerts } from './alert-summary.ts'
import type { Alert } from './queries.ts'

const createAlerts = (...states: Alert['state'][]) => states.map((state) => ({ state }) as Alert)

it('summarizeAlerts summarizes the alerts about an incident in one line', () => {
  expect(summarizeAlerts([], true)).toBe('No notifications sent')
  expect(summarizeAlerts(createAlerts('sent'), true)).toBe('1 notification sent')
  expect(summarizeAlerts(createAlerts('sent', 'sent', 'failed', 'waiting'), true)).toBe(
    '2 notifications sent, 1 pending, 1 failed',
  )
  expect(summarizeAlerts(createAlerts('failed', 'failed'), true)).toBe('2 notifications failed')
  expect(summarizeAlerts(createAlerts('sent', 'skipped'), true)).toBe('1 notification sent, 1 skipped')
  expect(summarizeAlerts(createAlerts('waiting', 'failed'), true)).toBe('1 notification pending, 1 failed')
})

it('describeCombination says with how many other alerts an alert was sent', () => {
  expect(isCombined({ state: 'sent', message_alerts: 1 })).toBe(false)
  expect(isCombined({ state: 'skipped', message_alerts: 3 })).toBe(false)
  expect(isCombined({ state: 'sent', message_alerts: 2 })).toBe(true)
  expect(describeCombination({ state: 'sent', message_alerts: 2 })).toBe('sent together with 1 other')
  expect(describeCombination({ state: 'waiting', message_alerts: 5 })).toBe('in one message with 4 others')
})

it('summarizeAlerts shows no counts if some alerts were not fetched', () => {
  expect(summarizeAlerts([], false)).toBe('Notifications')
  expect(summarizeAlerts(createAlerts('sent'), false)).toBe('Notifications')
})

it('hasAllAlertsOf says which incidents have all their alerts in an incomplete response', () => {
  const data = ['2026-01-05T10:05:00.000Z', '2026-01-05T10:00:00.000Z'].map((created_at) => ({ created_at }))
  const hasAll = (minute: string, total: number) =>
    hasAllAlertsOf({ started_at: `2026-01-05T${minute}:00.000Z` }, { data, meta: { total } })
  expect([hasAll('10:01', 9), hasAll('09:59', 9), hasAll('10:00', 9), hasAll('09:59', 2)]).toEqual([
    true,
    false,
    false,
    true,
  ])
})
