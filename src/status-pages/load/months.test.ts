import { expect, it } from 'vitest'
import { addMonths, isMonth, monthAt, toMonthRange } from './months.ts'

it.each([
  ['2026-11', true],
  ['2026-01', true],
  ['2026-00', false],
  ['2026-13', false],
  ['2026-1', false],
  ['1999-12', false],
  ['2026-11-01', false],
  ['', false],
])('%s is a month: %s', (text, expected) => {
  expect(isMonth(text)).toBe(expected)
})

it('a month begins and ends at midnight in the time zone of the page', () => {
  expect(toMonthRange('2026-10', 'Europe/Berlin')).toEqual({
    from: new Date('2026-09-30T22:00:00Z'),
    until: new Date('2026-10-31T23:00:00Z'),
  })
  expect(monthAt('Europe/Berlin', Date.parse('2026-09-30T22:00:00Z'))).toBe('2026-10')
  expect(monthAt('UTC', Date.parse('2026-09-30T22:00:00Z'))).toBe('2026-09')
})

it('the month after December is January of the next year', () => {
  expect([addMonths('2026-12', 1), addMonths('2026-01', -1)]).toEqual(['2027-01', '2025-12'])
})
