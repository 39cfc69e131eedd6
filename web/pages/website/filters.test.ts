import { describe, expect, it } from 'vitest'
import { matcherOf } from '../../../src/traffic/stats/filters.ts'
import { filteredValue, filterOf, filterText, hasFilter, readFilters, toggleFilter } from './filters.ts'

describe('filters in the address', () => {
  it('are read back as they were written', () => {
    const filters = [filterOf('page', '/a:b?c=*&d=\\'), filterOf('country', 'DE')]
    expect(readFilters(filters.map(filterText))).toEqual(filters)
    expect(filters.map(filteredValue)).toEqual(['/a:b?c=*&d=\\', 'DE'])
  })

  it('are left out where the server would refuse them', () => {
    expect(readFilters(['', 'page', 'page:', ':x', 'colour:red', 'toString:x', `page:${'x'.repeat(1_001)}`])).toEqual(
      [],
    )
    expect(readFilters(Array.from({ length: 30 }, (_, n) => `page:/${n}`))).toHaveLength(20)
  })

  it('come and go by the same click', () => {
    const [one, other] = [filterOf('page', '/'), filterOf('country', 'DE')]
    const both = toggleFilter(toggleFilter([], one), other)
    expect(both).toEqual([one, other])
    expect(hasFilter(both, filterOf('page', '/'))).toBe(true)
    expect(toggleFilter(both, filterOf('page', '/'))).toEqual([other])
  })

  it.each([
    ['a plain value', '/blog/one'],
    ['stars and backslashes', '/*\\**\\'],
    ['more than the server takes', `/${'x'.repeat(1_100)}`],
    ['nothing but what is escaped', '\\'.repeat(900)],
    ['letters of two halves', `/a${'😀'.repeat(600)}`],
  ])('fit the value they were made of: %s', (_, value) => {
    const { pattern } = filterOf('page', value)
    expect(pattern.length).toBeLessThanOrEqual(1_000)
    expect(pattern.isWellFormed()).toBe(true)
    expect(matcherOf(pattern)(value)).toBe(true)
    expect(matcherOf(pattern)('/another')).toBe(false)
  })
})
