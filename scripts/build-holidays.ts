/**
 * npm run build:holidays: writes the nationwide public holidays of all countries, in a compact form, from the package date-holidays.
 * The package and what it needs take 45 MB, so Belfry doesn't depend on it. Install it in a temporary folder:
 *
 *   npm install --prefix /tmp/holidays date-holidays
 *   npm run build:holidays -- /tmp/holidays/node_modules/date-holidays
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { DAY_MS, HOUR_MS } from '../src/shared/time.ts'
import type { HolidayList } from '../src/websites/holidays.ts'

const SOURCE_URL = 'https://github.com/commenthol/date-holidays'
/**
 * The list covers past years, because a replay goes back a year, and future years, because a server may run for years
 * before it is updated.
 */
const YEARS_BEFORE = 2
const YEARS_AHEAD = 10
/** Shorter holidays, such as the afternoon of Christmas Eve, count as working days. */
const MIN_HOLIDAY_MS = 20 * HOUR_MS

/** A holiday as the package describes it. */
interface Holiday {
  /** Local date and time. */
  date: string
  start: Date
  end: Date
  type: 'public' | 'bank' | 'school' | 'optional' | 'observance'
}
interface HolidaysOf {
  getHolidays(year: number): Holiday[]
}
interface HolidaysConstructor {
  new (country?: string): HolidaysOf & { getCountries(): Record<string, string> }
}

const [, , folder] = process.argv
if (folder === undefined) throw new Error('Missing argument: the folder of the package date-holidays')
const packageFolder = resolve(folder)
const Holidays: HolidaysConstructor = createRequire(import.meta.url)(packageFolder)
const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))

const firstYear = new Date().getUTCFullYear() - YEARS_BEFORE
const years = Array.from({ length: YEARS_BEFORE + 1 + YEARS_AHEAD }, (_, index) => firstYear + index)
const countries = Object.keys(new Holidays().getCountries())
  .sort()
  .map((country) => ({ country, days: formatHolidaysByYear(new Holidays(country)) }))
  .filter(({ days }) => days.some((text) => text !== ''))

const list: HolidayList = {
  source: SOURCE_URL,
  version,
  license: 'CC-BY-SA-3.0',
  first_year: firstYear,
  countries: Object.fromEntries(countries.map(({ country, days }) => [country, days])),
}
const listFolder = new URL('../lists/', import.meta.url)
// With one line per country, a diff shows whose holidays changed.
const json = JSON.stringify(list, null, 1).replaceAll(
  /\[\s+([^\]]*?)\s+\]/g,
  (_, items) => `[${items.replaceAll(/\s*\n\s*/g, '')}]`,
)
writeFileSync(new URL('holidays.json', listFolder), `${json}\n`)
copyFileSync(join(packageFolder, 'LICENSE'), new URL('holidays.license.txt', listFolder))
const codes = countries.map(({ country }) => country).join(' ')
writeFileSync(
  new URL('../src/shared/holiday-countries.ts', import.meta.url),
  `/** The countries whose public holidays are in lists/holidays.json. \`npm run build:holidays\` writes this file. */\n// biome-ignore format: one line.\nexport const holidayCountries: readonly string[] = '${codes}'.split(' ')\n`,
)
console.log(
  `Wrote the holidays of ${countries.length} countries from ${firstYear} to ${years.at(-1)} to lists/holidays.json.`,
)

/** Returns one text per year, with the days of all public holidays as MMDD in order. */
function formatHolidaysByYear(holidays: HolidaysOf): string[] {
  return years.map((year) => {
    // A holiday of several days may begin in the year before.
    const days = [year - 1, year]
      .flatMap((holidayYear) => holidays.getHolidays(holidayYear))
      .filter(({ type, start, end }) => type === 'public' && end.getTime() - start.getTime() >= MIN_HOLIDAY_MS)
      .flatMap(({ date, start, end }) => {
        const firstDay = Date.parse(`${date.slice(0, 10)}T00:00:00Z`)
        const count = Math.max(1, Math.floor((end.getTime() - start.getTime() + 4 * HOUR_MS) / DAY_MS))
        return Array.from({ length: count }, (_, day) => new Date(firstDay + day * DAY_MS).toISOString().slice(0, 10))
      })
      .filter((day) => day.startsWith(`${year}-`))
      .map((day) => day.slice(5).replace('-', ''))
    return [...new Set(days)].sort().join(' ')
  })
}
