import { describe, expect, it } from 'vitest'
import { choosePeriod, type PeriodQuery } from './period.ts'

const today = '2026-03-10'
const chosen = (query: PeriodQuery) => {
  const { name, from, to, isFallback } = choosePeriod(query, today)
  return [name, from, to, isFallback]
}

describe('a period', () => {
  it.each([
    ['today', '2026-03-10', '2026-03-10'],
    ['yesterday', '2026-03-09', '2026-03-09'],
    ['7d', '2026-03-04', '2026-03-10'],
    ['30d', '2026-02-09', '2026-03-10'],
    ['12mo', '2025-03-11', '2026-03-10'],
  ])('called %s is from %s to %s', (period, from, to) => {
    expect(chosen({ period })).toEqual([period, from, to, false])
  })

  it('is 30 days unless somebody asks for another', () => {
    expect(chosen({})).toEqual(['30d', '2026-02-09', '2026-03-10', false])
    expect(chosen({ from: '', to: '' })).toEqual(['30d', '2026-02-09', '2026-03-10', false])
  })

  it.each([
    [{ from: '2026-01-01', to: '2026-01-31' }, '2026-01-01', '2026-01-31'],
    [{ from: '2026-01-31', to: '2026-01-01' }, '2026-01-01', '2026-01-31'],
    [{ from: '2026-03-01' }, '2026-03-01', today],
    [{ to: '2026-03-01' }, '2026-03-01', '2026-03-01'],
    [{ from: '2026-03-01', to: '2030-01-01' }, '2026-03-01', today],
  ])('may be chosen: %j', (query, from, to) => {
    expect(chosen(query)).toEqual([undefined, from, to, false])
  })

  it.each([
    { period: 'toString' },
    { from: 'x', to: '2026-03-01' },
    { from: '2026-02-29', to: '2026-03-01' },
    { from: '2026-03-11', to: '2026-03-12' },
    { from: '2016-01-01', to: '2026-03-01' },
  ])('that cannot be had is the usual one: %j', (query) => {
    expect(chosen(query)).toEqual(['30d', '2026-02-09', '2026-03-10', true])
  })
})
