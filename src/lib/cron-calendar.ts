/**
 * The days and times of day of a cron expression, in local time. croner searches for a day for up to 400 years, which
 * takes 160 ms for some expressions that match no day. The calendar gives up after 41 years, and computes the matching
 * days only once for months of the same length that begin on the same weekday.
 */

import { CronDate, CronPattern } from 'croner'
import { BoundedMap } from './bounded-map.ts'
import { MS_PER_DAY } from './local-day.ts'

/**
 * The rarest expressions match February 29 on a certain weekday. Such a day comes every 28 years, or after 40 years
 * around 2100.
 */
const MAX_MONTHS = 41 * 12
/** In the 28 years from this day on, February 29 falls once on each weekday. */
const FIRST_DAY_OF_2000 = 10_957

const createPattern = (expression: string) => new CronPattern(expression, undefined, { mode: '5-part' })

export class CronCalendar {
  /** The times of day in minutes, in ascending order. */
  readonly minutesOfDay: readonly number[]
  /** A cron expression that matches these times on every day. */
  readonly timesOfDay: string
  /** Whether the expression has one time of day. Such a job runs once on each day, even if clocks skip or repeat that time. */
  readonly isFixedTime: boolean
  readonly #months: readonly number[]
  readonly #dayPattern: CronPattern
  readonly #daysByMonthKind = new Map<number, readonly number[]>()

  /** Throws if the expression is invalid. */
  constructor(expression: string) {
    const { pattern, hour, minute, month, isFixedTime } = createPattern(expression)
    const [minuteField, hourField, dayField, , weekdayField] = pattern.split(' ')
    this.minutesOfDay = hour.flatMap((isHour, h) =>
      isHour ? minute.flatMap((isMinute, m) => (isMinute ? [h * 60 + m] : [])) : [],
    )
    this.timesOfDay = `${minuteField} ${hourField} * * *`
    this.isFixedTime = isFixedTime
    this.#months = month
    this.#dayPattern = createPattern(`* * ${dayField} * ${weekdayField}`)
    // The day pattern matches every year. croner's list of all years would take 80 KB.
    this.#dayPattern.year = []
  }

  /** Whether the expression matches at least one day. */
  get matchesSomeDay(): boolean {
    return this.findDay(FIRST_DAY_OF_2000) !== undefined
  }

  /** Days are counted from 1970-01-01. Returns the first matching day that is not before `from`. */
  findDay(from: number): number | undefined {
    return this.listDays(from, 1)[0]
  }

  /** Returns the first `count` matching days that are not before `from`. */
  listDays(from: number, count: number): number[] {
    const start = new Date(from * MS_PER_DAY)
    const days: number[] = []
    for (let n = 0; n < MAX_MONTHS && days.length < count; n++) {
      const firstDay = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + n) / MS_PER_DAY
      for (const dayOfMonth of this.#listDaysOfMonth(firstDay)) {
        const day = firstDay + dayOfMonth - 1
        if (day >= from && days.length < count) days.push(day)
      }
    }
    return days
  }

  #listDaysOfMonth(firstDay: number): readonly number[] {
    const first = new Date(firstDay * MS_PER_DAY)
    const month = first.getUTCMonth()
    if (!this.#months[month]) return []
    const length = new Date(Date.UTC(first.getUTCFullYear(), month + 1, 0)).getUTCDate()
    const monthKind = length * 7 + first.getUTCDay()
    const knownDays = this.#daysByMonthKind.get(monthKind)
    if (knownDays !== undefined) return knownDays
    const date = new CronDate(first, 0)
    const days = Array.from({ length }, (_, n) => n + 1).filter((day) => {
      date.day = day
      return date.match(this.#dayPattern, {})
    })
    this.#daysByMonthKind.set(monthKind, days)
    return days
  }
}

const calendars = new BoundedMap<string, CronCalendar>(1_000)

/** Throws if the expression is invalid. */
export function getCronCalendar(expression: string): CronCalendar {
  const knownCalendar = calendars.get(expression)
  if (knownCalendar !== undefined) return knownCalendar
  const calendar = new CronCalendar(expression)
  calendars.set(expression, calendar)
  return calendar
}
