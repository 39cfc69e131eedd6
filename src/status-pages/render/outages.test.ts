import { expect, it } from 'vitest'
import { summarizeOutages } from './outages.ts'

const NOW = 100
const outage = (startedAt: number, resolvedAt: number | null) => ({ startedAt, resolvedAt })

it.each([
  ['one', [outage(10, 30)], { count: 1, totalMs: 20, startedAt: 10, resolvedAt: 30 }],
  ['one that is ongoing', [outage(10, null)], { count: 1, totalMs: 90, startedAt: 10, resolvedAt: null }],
  ['two, newest first', [outage(50, 60), outage(10, 30)], { count: 2, totalMs: 30, startedAt: 10, resolvedAt: 60 }],
  ['overlapping ones', [outage(20, 40), outage(10, 30)], { count: 1, totalMs: 30, startedAt: 10, resolvedAt: 40 }],
  ['one within another', [outage(10, 90), outage(20, 30)], { count: 1, totalMs: 80, startedAt: 10, resolvedAt: 90 }],
  [
    'one that has ended within one that is ongoing',
    [outage(50, 60), outage(10, null)],
    { count: 1, totalMs: 90, startedAt: 10, resolvedAt: null },
  ],
])('the outages of a post are summarized: %s', (_name, outages, summary) => {
  expect(summarizeOutages(outages, NOW)).toEqual(summary)
})

it('a post that is about no outage has no summary of outages', () => {
  expect([summarizeOutages([], NOW), summarizeOutages(undefined, NOW)]).toEqual([undefined, undefined])
})
