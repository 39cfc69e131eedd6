/** Numbers, dates and durations as the reader writes them: in the browser's language and time zone. */
const locale = navigator.languages
export const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

const whole = new Intl.NumberFormat(locale)
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const signed = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' })
const uptimes = new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 3 })

export const formatNumber = (value: number) => whole.format(value)
/** "1 page", "2,345 pages". */
export const formatCount = (count: number, one: string, many = `${one}s`) =>
  `${whole.format(count)} ${count === 1 ? one : many}`
/** 12,345 as 12.3K. */
export const formatCompact = (value: number) => short.format(value)
/** Of a value that is a percentage already. */
export const formatPercent = (value: number) => percents.format(value / 100)
export const formatChange = (value: number) => signed.format(value / 100)
/** 100 % only where it was all of the time: of a long one, seconds are lost where the server rounds. */
export function formatUptime(value: number | null, wasDown = false): string {
  if (value === null) return '–'
  return value === 100 && !wasDown ? percents.format(1) : uptimes.format(Math.min(value, 99.999) / 100)
}
export const formatMs = (ms: number | null) =>
  ms === null ? '–' : ms < 10_000 ? `${whole.format(ms)} ms` : `${whole.format(Math.round(ms / 100) / 10)} s`

const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const instants = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
const clocks = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const calendarDays = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
const shortDays = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const weekdays = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' })
const wallClocks = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' })

export const formatDate = (at: string | Date) => dates.format(new Date(at))
export const formatDateTime = (at: string | Date) => moments.format(new Date(at))
/** To the second. */
export const formatDateTimeWithSeconds = (at: string | Date) => instants.format(new Date(at))
export const formatTime = (at: string | Date) => clocks.format(new Date(at))
/** A day of a calendar, as 2026-01-05: the same in every time zone. */
export const formatDay = (day: string) => calendarDays.format(new Date(`${day}T00:00Z`))
export const formatShortDay = (day: string) => shortDays.format(new Date(`${day}T00:00Z`))
export const formatWeekday = (day: string) => weekdays.format(new Date(`${day}T00:00Z`))
/** The time that a text names, such as 2026-01-05T09:00:00+01:00, by whatever clock it was. */
export const formatWallClock = (text: string) => wallClocks.format(new Date(`${text.slice(0, 16)}Z`))

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const
// Never "yesterday": that may have been 47 hours ago, or ten minutes.
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })
const present = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })

/** "3 minutes ago". */
export function formatRelativeTime(at: string | Date, now = Date.now()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1_000)
  const fitting = units.find(([, size]) => Math.abs(seconds) >= size)
  if (fitting === undefined) return present.format(0, 'second')
  const [unit, size] = fitting
  return relative.format(Math.trunc(seconds / size), unit)
}

const durations = new Map(
  (['day', 'hour', 'minute', 'second'] as const).map((unit) => [
    unit,
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'narrow' }),
  ]),
)
const unitText = (value: number, unit: 'day' | 'hour' | 'minute' | 'second') => durations.get(unit)?.format(value) ?? ''

/** The two largest units: "2h 5m". */
export function formatDuration(seconds: number): string {
  const parts = [
    ['day', Math.floor(seconds / 86_400)],
    ['hour', Math.floor(seconds / 3_600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', Math.floor(seconds) % 60],
  ] as const
  const first = parts.findIndex(([, value]) => value > 0)
  if (first === -1) return unitText(0, 'second')
  return parts
    .slice(first, first + 2)
    .filter(([, value]) => value > 0)
    .map(([unit, value]) => unitText(value, unit))
    .join(' ')
}

const countries = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' })
const languages = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' })

/** Codes of no country are shown as they are. */
export function formatCountry(code: string): string {
  return nameOf(countries, code)
}

export function formatLanguage(code: string): string {
  return nameOf(languages, code)
}

function nameOf(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}
