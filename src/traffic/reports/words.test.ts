import { describe, expect, it } from 'vitest'
import { changeOf, counted, formatBriefly, formatPercent, formatWeek, oneLine, weekdayOf } from './words.ts'

describe('numbers', () => {
  it('are grouped, and one is singular', () => {
    expect(counted(1234, 'visitor', 'visitors')).toBe('1,234 visitors')
    expect(counted(1, 'visitor', 'visitors')).toBe('1 visitor')
    expect(counted(0, 'visitor', 'visitors')).toBe('0 visitors')
  })

  it.each([
    [0, '0 %'],
    [0.44, '0.4 %'],
    [9.96, '10 %'],
    [41.2, '41 %'],
    [100, '100 %'],
  ])('in percent: %d is %s', (percent, words) => expect(formatPercent(percent)).toBe(words))

  it.each([
    [0, '0'],
    [99_999, '99,999'],
    [1_250_000, '1.3M'],
  ])('over a column are brief: %d is %s', (count, words) => expect(formatBriefly(count)).toBe(words))
})

describe('a change', () => {
  it.each([
    [112, 100, 'up', '12 % more than the week before'],
    [88, 100, 'down', '12 % fewer than the week before'],
    [1001, 1000, 'up', '0.1 % more than the week before'],
    [100_001, 100_000, 'same', 'about as many as the week before'],
    [100, 100, 'same', 'as many as the week before'],
    [0, 0, 'same', 'as many as the week before'],
    [7, 0, 'new', 'none the week before'],
    [0, 7, 'down', '100 % fewer than the week before'],
    [499, 100, 'up', '399 % more than the week before'],
    [1240, 100, 'up', '12 times as many as the week before'],
  ])('to %d from %d is %s: %s', (count, before, direction, words) => {
    expect(changeOf(count, before)).toEqual({ direction, words })
  })
})

describe('a week', () => {
  it.each([
    ['2026-01-05', '5–11 January 2026'],
    ['2026-01-26', '26 January – 1 February 2026'],
    ['2025-12-29', '29 December 2025 – 4 January 2026'],
  ])('of %s is %s', (week, words) => expect(formatWeek(week)).toBe(words))

  it('begins on Monday', () => expect([weekdayOf('2026-01-05'), weekdayOf('2026-01-11')]).toEqual(['Monday', 'Sunday']))
})

describe('the words of others', () => {
  it('stay on one line and turn nothing round', () => {
    expect(oneLine('/a\r\nBcc: all\t\u202Egnp.exe\u0000', 100)).toBe('/a Bcc: all \u{fffd}gnp.exe')
  })

  it('are cut where they are long, between characters', () => {
    expect(oneLine(`/${'🎈'.repeat(9)}`, 10)).toBe('/🎈🎈🎈🎈…')
  })
})
