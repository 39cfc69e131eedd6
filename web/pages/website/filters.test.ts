import { describe, expect, it } from 'vitest'
import { createMatcher } from '../../../src/traffic/stats/filters.ts'
import { createFilter, formatFilter, hasFilter, parseUrlFilters, toggleFilter, unescapePattern } from './filters.ts'

describe('filters in the URL', () => {
  it('are the same after formatting and parsing', () => {
    const filters = [createFilter('page', '/a:b?c=*&d=\\'), createFilter('country', 'DE')]
    expect(parseUrlFilters(filters.map(formatFilter))).toEqual(filters)
    expect(filters.map(unescapePattern)).toEqual(['/a:b?c=*&d=\\', 'DE'])
  })

  it('are skipped if the server would reject them', () => {
    expect(
      parseUrlFilters(['', 'page', 'page:', ':x', 'colour:red', 'toString:x', `page:${'x'.repeat(1_001)}`]),
    ).toEqual([])
    expect(parseUrlFilters(Array.from({ length: 30 }, (_, n) => `page:/${n}`))).toHaveLength(20)
  })

  it('are added and removed by toggling', () => {
    const [one, other] = [createFilter('page', '/'), createFilter('country', 'DE')]
    const bothFilters = toggleFilter(toggleFilter([], one), other)
    expect(bothFilters).toEqual([one, other])
    expect(hasFilter(bothFilters, createFilter('page', '/'))).toBe(true)
    expect(toggleFilter(bothFilters, createFilter('page', '/'))).toEqual([other])
  })

  it.each([
    ['a plain value', '/blog/one'],
    ['asterisks and backslashes', '/*\\**\\'],
    ['longer than the server allows', `/${'x'.repeat(1_100)}`],
    ['only escaped characters', '\\'.repeat(900)],
    ['surrogate pairs', `/a${'😀'.repeat(600)}`],
  ])('match the value they were created from: %s', (_, value) => {
    const { pattern } = createFilter('page', value)
    expect(pattern.length).toBeLessThanOrEqual(1_000)
    expect(pattern.isWellFormed()).toBe(true)
    expect(createMatcher(pattern)(value)).toBe(true)
    expect(createMatcher(pattern)('/another')).toBe(false)
  })
})
