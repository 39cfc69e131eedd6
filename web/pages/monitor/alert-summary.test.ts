import { expect, it } from 'vitest'
import type { Alert } from './queries.ts'
import { summaryOf } from './alert-summary.ts'

const sent = (...states: Alert['state'][]) => states.map((state) => ({ state }) as Alert)

it('what was sent about an incident is told in one line', () => {
  expect(summaryOf([], true)).toBe('Nobody was told')
  expect(summaryOf(sent('sent'), true)).toBe('1 message sent')
  expect(summaryOf(sent('sent', 'sent', 'failed', 'waiting'), true)).toBe('2 messages sent, 1 waiting, 1 failed')
  expect(summaryOf(sent('failed', 'failed'), true)).toBe('2 messages failed')
  expect(summaryOf(sent('waiting', 'failed'), true)).toBe('1 message waiting, 1 failed')
})

it('nothing is claimed where there were more messages than were asked for', () => {
  expect(summaryOf([], false)).toBe('What was sent')
  expect(summaryOf(sent('sent'), false)).toBe('What was sent')
})
