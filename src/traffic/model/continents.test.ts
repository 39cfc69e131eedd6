import { describe, expect, it } from 'vitest'
import { findContinent } from './continents.ts'

describe('the continent', () => {
  it.each([
    ['DE', 'Europe'],
    ['RU', 'Europe'],
    ['XK', 'Europe'],
    ['JP', 'Asia'],
    ['TR', 'Asia'],
    ['EG', 'Africa'],
    ['US', 'North America'],
    ['PA', 'North America'],
    ['BR', 'South America'],
    ['NZ', 'Oceania'],
    ['AQ', 'Antarctica'],
    ['ZZ', undefined],
    ['EU', undefined],
    ['de', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ])('of %s is %s', (country, continent) => {
    expect(findContinent(country)).toBe(continent)
  })

  it('is known for every country', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    // Intl also knows codes of islands that belong to another country, and codes that stand for no country.
    const nonCountryCodes = 'AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' ')
    const codes = letters
      .flatMap((first) => letters.map((second) => first + second))
      .filter((code) => names.of(code) !== undefined && new Intl.Locale(`und-${code}`).region === code)
      .filter((code) => !nonCountryCodes.includes(code))
    expect(codes.filter((code) => findContinent(code) === undefined)).toEqual([])
    expect(codes).toHaveLength(250)
  })
})
