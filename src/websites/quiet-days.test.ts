import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { holidayCountries } from '../shared/holiday-countries.ts'
import { getHolidays, type HolidayList } from './holidays.ts'
import { isQuietDay, listQuietPeriods, parseHolidays, parseQuietDays } from './quiet-days.ts'

describe('the list of quiet days', () => {
  it('is sorted, without duplicates and blanks', () => {
    const input = ['2026-12-31', ' 2026-12-24 ', '', '2026-12-31']
    expect(parseQuietDays(input)).toEqual({ value: ['2026-12-24', '2026-12-31'] })
    expect(parseQuietDays([])).toEqual({ value: [] })
  })

  it.each(['24.12.2026', '2026-02-30', '2026-1-1', '2026-12-24/2026-12-31'])('cannot contain %s', (text) => {
    expect(parseQuietDays(['2026-12-24', text])).toEqual({
      errors: [`must contain only dates as YYYY-MM-DD, not "${text}"`],
    })
  })

  it('has at most 366 dates', () => {
    const days = Array.from({ length: 367 }, (_, n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10))
    expect(parseQuietDays(days.slice(1))).toEqual({ value: days.slice(1) })
    expect(parseQuietDays(days)).toEqual({ errors: ['must have at most 366 dates'] })
  })
})

describe('the holidays of a country', () => {
  it.each([
    ['DE', 'DE'],
    [' de ', 'DE'],
    ['', null],
    [null, null],
  ])('%j are stored as %j', (text, value) => {
    expect(parseHolidays(text)).toEqual({ value })
  })

  it.each(['Germany', 'XX', 'D', 'constructor'])('are not known for %s', (text) => {
    expect(parseHolidays(text)).toMatchObject({ errors: [expect.stringContaining('two-letter code')] })
  })

  it('are its nationwide public holidays', () => {
    const germany = [...getHolidays('DE')].filter((day) => day.startsWith('2026'))
    expect(germany).toEqual(
      '01-01 04-03 04-06 05-01 05-14 05-25 10-03 12-25 12-26'.split(' ').map((day) => `2026-${day}`),
    )
    // The list contains all days of a holiday of several days, and the substitute day for a holiday on a Saturday.
    expect(getHolidays('TR').has('2026-05-29')).toBe(true)
    expect(getHolidays('US').has('2026-07-03')).toBe(true)
  })

  it('are in the list for this year and the next five, for every country that can be chosen', () => {
    const list: HolidayList = JSON.parse(readFileSync('lists/holidays.json', 'utf8'))
    expect(Object.keys(list.countries)).toEqual(holidayCountries)
    const lastYear = list.first_year + (list.countries['DE']?.length ?? 0) - 1
    expect(list.first_year).toBeLessThan(new Date().getUTCFullYear())
    // If this fails, run `npm run build:holidays`.
    expect(lastYear).toBeGreaterThanOrEqual(new Date().getUTCFullYear() + 5)
  })
})

describe('a quiet day', () => {
  const settings = { quietDays: ['2026-12-24'], holidays: 'DE', timeZone: 'Europe/Berlin' }

  it('is a listed date or a holiday', () => {
    const days = ['2026-12-23', '2026-12-24', '2026-12-25'].map((day) => isQuietDay(settings, day))
    expect(days).toEqual([false, true, true])
    expect(isQuietDay({ quietDays: [], holidays: null }, '2026-12-25')).toBe(false)
  })

  it('lasts from midnight to midnight in the time zone of the website', () => {
    const periods = listQuietPeriods(settings, new Date('2026-12-24T12:00Z'), new Date('2026-12-25T00:00Z'))
    expect(periods.map(({ from, to }) => [from.toISOString(), to.toISOString()])).toEqual([
      ['2026-12-23T23:00:00.000Z', '2026-12-24T23:00:00.000Z'],
      ['2026-12-24T23:00:00.000Z', '2026-12-25T23:00:00.000Z'],
    ])
    const day = [new Date('2026-12-25T23:00Z'), new Date('2026-12-26T00:00Z')] as const
    expect(listQuietPeriods({ ...settings, holidays: null }, ...day)).toEqual([])
  })

  it('can have 25 hours', () => {
    const settingsWithQuietDay = { ...settings, quietDays: ['2026-10-25'] }
    const [period] = listQuietPeriods(
      settingsWithQuietDay,
      new Date('2026-10-25T00:00Z'),
      new Date('2026-10-25T12:00Z'),
    )
    expect(Number(period?.to) - Number(period?.from)).toBe(25 * 3_600_000)
  })
})
