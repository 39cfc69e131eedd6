import { describe, expect, it } from 'vitest'
import { measureCpuMs } from '../../../tests/support/cpu-time.ts'
import { createMatcher, parseFilters, toLikePattern } from './filters.ts'

describe('a filter pattern', () => {
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
  ])('%s on %s matches: %s', (pattern, value, isMatch) => {
    expect(createMatcher(pattern)(value)).toBe(isMatch)
  })

  it.each([
    ['/blog*', '/blog%'],
    ['100%_\\*', '100\\%\\_*'],
    ['a\\\\b', 'a\\\\b'],
    ['**', '%'],
  ])('%s becomes %s for LIKE', (pattern, like) => {
    expect(toLikePattern(pattern)).toBe(like)
  })

  it('matches exactly one value when it is escaped', () => {
    const escapePattern = (value: string) => value.replace(/[*\\]/g, '\\$&')
    for (const value of ['/a*b', 'a\\', '\\*', '**', '%_']) {
      expect(createMatcher(escapePattern(value))(value)).toBe(true)
      expect(createMatcher(escapePattern(value))(`${value}x`)).toBe(false)
      expect(toLikePattern(escapePattern(value))).not.toMatch(/(?<!\\)%/)
    }
  })

  it('with hundreds of asterisks is matched quickly', () => {
    const matchLongValue = () => createMatcher(`${'*a'.repeat(450)}x`)('North America'.repeat(100))
    expect(matchLongValue()).toBe(false)
    expect(measureCpuMs(matchLongValue)).toBeLessThan(1_000)
  })
})

describe('parsing a filter', () => {
  it('splits it at the first colon', () => {
    expect(parseFilters(['page:/a:b*'])).toEqual([{ name: 'page', pattern: '/a:b*' }])
  })
})
