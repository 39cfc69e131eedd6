/** Formats the numbers, dates and names of a report. */
import { formatCompact, formatCount, formatDuration } from '../lib/format.ts'
import { type ChangeVerdict, judgeChange } from '../shared/judge-change.ts'
import { findSunday } from './week.ts'

/** Returns at most six characters, to fit above a column of the chart. */
export const formatShortCount = (count: number) => (count < 100_000 ? formatCount : formatCompact)(count)

export function formatQuantity(count: number, singular: string, plural: string): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`
}

/** Keeps one decimal below 10%. */
export function formatPercent(percent: number): string {
  const digits = Math.abs(percent) < 10 ? 1 : 0
  return `${formatCount(Number(percent.toFixed(digits)))}%`
}

export const formatSeconds = (seconds: number) => formatDuration(seconds * 1000)

const quantifySeconds = (seconds: number, unitSeconds: number, unit: string) =>
  formatQuantity(Math.floor(seconds / unitSeconds), unit, `${unit}s`)

/**
 * Formats a duration for sentences, rounded down: "45 seconds", "14 minutes", "2 hours 5 minutes", "3 days 4 hours".
 */
export function formatLongDuration(seconds: number): string {
  if (seconds < 60) return quantifySeconds(seconds, 1, 'second')
  if (seconds < 3_600) return quantifySeconds(seconds, 60, 'minute')
  if (seconds < 86_400) return joinUnits(quantifySeconds(seconds, 3_600, 'hour'), seconds % 3_600, 60, 'minute')
  return joinUnits(quantifySeconds(seconds, 86_400, 'day'), seconds % 86_400, 3_600, 'hour')
}

const joinUnits = (larger: string, restSeconds: number, unitSeconds: number, unit: string) =>
  restSeconds < unitSeconds ? larger : `${larger} ${quantifySeconds(restSeconds, unitSeconds, unit)}`

export interface WeekChange {
  direction: 'up' | 'down' | 'same' | 'new'
  verdict: ChangeVerdict
  words: string
}

/** Increases by this factor or more are given as a factor: "6 times" is easier to understand than "500% more". */
const MIN_FACTOR = 5
/** Smaller changes would be rounded to 0%. */
const MIN_PERCENT = 0.05

export function compareWeeks(count: number, previousCount: number): WeekChange {
  if (count === previousCount) return { direction: 'same', verdict: 'neutral', words: 'same as the previous week' }
  if (previousCount === 0) return { direction: 'new', verdict: 'neutral', words: 'none in the previous week' }
  const percent = (100 * (count - previousCount)) / previousCount
  return { ...describeChange(percent), verdict: judgeChange({ percent, previous: previousCount, isCount: true }) }
}

function describeChange(percent: number): Omit<WeekChange, 'verdict'> {
  const factor = 1 + percent / 100
  if (factor >= MIN_FACTOR) {
    return { direction: 'up', words: `${formatCount(Math.round(factor))} times the previous week` }
  }
  const amount = Math.abs(percent)
  if (amount < MIN_PERCENT) return { direction: 'same', words: 'about the same as the previous week' }
  return percent > 0
    ? { direction: 'up', words: `${formatPercent(amount)} more than the previous week` }
    : { direction: 'down', words: `${formatPercent(amount)} fewer than the previous week` }
}

const symbols: Record<WeekChange['direction'], string> = { up: '▲ ', down: '▼ ', same: '= ', new: '' }

/** The symbol shows the direction to readers who can't tell the colors apart. */
export const formatChange = ({ direction, words }: WeekChange) => `${symbols[direction]}${words}`

const months = 'January February March April May June July August September October November December'.split(' ')

/** "5–11 January 2026", "26 January – 1 February 2026", "29 December 2025 – 4 January 2026". */
export function formatWeek(week: string): string {
  const [from, to] = [Temporal.PlainDate.from(week), Temporal.PlainDate.from(findSunday(week))]
  const monthName = ({ month }: Temporal.PlainDate) => months[month - 1]
  const end = `${to.day} ${monthName(to)} ${to.year}`
  if (from.month === to.month) return `${from.day}–${end}`
  return `${from.day} ${monthName(from)}${from.year === to.year ? '' : ` ${from.year}`} – ${end}`
}

/** "5 January". */
export function formatDay(day: string): string {
  const { day: date, month } = Temporal.PlainDate.from(day)
  return `${date} ${months[month - 1]}`
}

const weekdays = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')

export function formatWeekday(day: string): string {
  return weekdays[Temporal.PlainDate.from(day).dayOfWeek - 1] ?? ''
}
