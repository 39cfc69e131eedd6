/**
 * The nationwide public holidays of countries. `lists/holidays.json` comes from the package date-holidays: `npm run build:holidays`
 * updates it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../lib/package-folder.ts'

export interface HolidayList {
  source: string
  version: string
  license: string
  first_year: number
  /** The holidays by country code: one text for each year, with the days as MMDD, separated by spaces. */
  countries: Record<string, string[]>
}

let list: HolidayList | undefined
const daysByCountry = new Map<string, ReadonlySet<string>>()

/** Returns the days of all years in the list as YYYY-MM-DD. Reads the list at the first use, because few servers need it. */
export function getHolidays(country: string): ReadonlySet<string> {
  const knownDays = daysByCountry.get(country)
  if (knownDays !== undefined) return knownDays
  list ??= JSON.parse(readFileSync(join(packageFolder, 'lists', 'holidays.json'), 'utf8')) as HolidayList
  const { first_year: firstYear, countries } = list
  const days = (countries[country] ?? []).flatMap((text, index) =>
    text
      .split(' ')
      .filter((day) => day !== '')
      .map((day) => `${firstYear + index}-${day.slice(0, 2)}-${day.slice(2)}`),
  )
  const holidays = new Set(days)
  daysByCountry.set(country, holidays)
  return holidays
}
