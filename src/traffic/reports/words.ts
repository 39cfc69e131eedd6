/** Numbers, days and names as people read them. */
import { formatDuration } from '../../lib/duration.ts'
import { formatCompact, formatCount } from '../../lib/numbers.ts'
import { shorten } from '../../lib/shorten.ts'
import { sundayOf } from './week.ts'

/** Where there is no room for more than six characters. */
export const formatBriefly = (count: number) => (count < 100_000 ? formatCount : formatCompact)(count)

export function counted(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** Below ten with one decimal, where that says more. */
export function formatPercent(percent: number): string {
  const digits = Math.abs(percent) < 10 ? 1 : 0
  return `${formatCount(Number(percent.toFixed(digits)))} %`
}

/** As exactly as it is known: 99.999 % is not 100 %. */
export const formatUptime = (percent: number) => `${percent} %`

export const formatSeconds = (seconds: number) => formatDuration(seconds * 1000)

export interface Change {
  direction: 'up' | 'down' | 'same' | 'new'
  words: string
}

/** Nobody can picture 900 % more. */
const TIMES_FROM = 5

/** Of something that can be counted, from the week before to this one. */
export function changeOf(count: number, before: number): Change {
  if (count === before) return { direction: 'same', words: 'as many as the week before' }
  if (before === 0) return { direction: 'new', words: 'none the week before' }
  if (count >= TIMES_FROM * before) {
    return { direction: 'up', words: `${formatCount(Math.round(count / before))} times as many as the week before` }
  }
  const percent = (Math.abs(count - before) / before) * 100
  if (percent < 0.05) return { direction: 'same', words: 'about as many as the week before' }
  const direction = count > before ? 'up' : 'down'
  return { direction, words: `${formatPercent(percent)} ${count > before ? 'more' : 'fewer'} than the week before` }
}

const signs: Record<Change['direction'], string> = { up: '▲ ', down: '▼ ', same: '= ', new: '' }

/** Not by its colour alone. */
export const formatChange = ({ direction, words }: Change) => `${signs[direction]}${words}`

const months = 'January February March April May June July August September October November December'.split(' ')

/** "5–11 January 2026", "26 January – 1 February 2026", "29 December 2025 – 4 January 2026". */
export function formatWeek(week: string): string {
  const [from, to] = [Temporal.PlainDate.from(week), Temporal.PlainDate.from(sundayOf(week))]
  const month = ({ month }: Temporal.PlainDate) => months[month - 1]
  const end = `${to.day} ${month(to)} ${to.year}`
  if (from.month === to.month) return `${from.day}–${end}`
  return `${from.day} ${month(from)}${from.year === to.year ? '' : ` ${from.year}`} – ${end}`
}

const weekdays = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')

export function weekdayOf(day: string): string {
  return weekdays[Temporal.PlainDate.from(day).dayOfWeek - 1] ?? ''
}

/** Others' words: visitors name pages as they like. One line, in which nothing turns the direction of what follows. */
export function oneLine(text: string, most: number): string {
  const line = text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cs}]/gu, '\u{fffd}')
    .trim()
  return line.length > most ? `${shorten(line, most)}…` : line
}
