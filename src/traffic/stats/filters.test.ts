import { describe, expect, it } from 'vitest'
import { createMatcher, escapePattern, parseFilters, toLikePattern } from './filters.ts'

describe('a pattern', () => {
  it.each([
    ['Europe', 'Europe', true],
    ['Europe', 'Europe ', false],
    ['*', '', true],
    ['Eur*', 'Europe', true],
    ['*America', 'North America', true],
    ['N*A*a', 'North America', true],
    ['N*x*a', 'North America', false],
    ['Europe*Europe', 'Europe', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['**a**', 'bab', true],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['a\\\\*', 'a\\b', true],
    ['a\\b', 'a\\b', true],
    ['.*', 'x', false],
  ])('%s and %s: %s', (pattern, value, fits) => {
    expect(createMatcher(pattern)(value)).toBe(fits)
  })

  it.each([
    ['/blog*', '/blog%'],
    ['100%_\\*', '100\\%\\_*'],
    ['a\\\\b', 'a\\\\b'],
    ['**', '%'],
  ])('%s is %s for PostgreSQL', (pattern, like) => {
    expect(toLikePattern(pattern)).toBe(like)
  })

  it('fits what it was made of and nothing else', () => {
    for (const value of ['/a*b', 'a\\', '\\*', '**', '%_']) {
      expect(createMatcher(escapePattern(value))(value)).toBe(true)
      expect(createMatcher(escapePattern(value))(`${value}x`)).toBe(false)
      expect(toLikePattern(escapePattern(value))).not.toMatch(/(?<!\\)%/)
    }
  })

  it('of a thousand stars takes no time', () => {
    const started = performance.now()
    expect(createMatcher(`${'*a'.repeat(450)}x`)('North America'.repeat(100))).toBe(false)
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

describe('filters', () => {
  it('keep what is behind the first colon', () => {
    expect(parseFilters(['page:/a:b*'])).toEqual([{ name: 'page', pattern: '/a:b*' }])
  })
})
