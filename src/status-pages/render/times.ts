/**
 * Times in the page. The server writes them in the page's time zone, in English and with the offset. The script rewrites them in the
 * visitor's language and time zone.
 */
import { formatUtcOffset } from '../../lib/local-time.ts'
import { escapeHtml } from '../../lib/text.ts'

const months = 'January February March April May June July August September October November December'.split(' ')

/**
 * `ago`: the script shows the time relative to now. `clock`: the date is left out if it is `day`, the date of the
 * heading above.
 */
type TimeStyle = { style: 'ago' } | { style: 'clock'; day: string }

export function renderTime(at: number, zone: string, style?: TimeStyle): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  const isSameDay = style?.style === 'clock' && local.toPlainDate().toString() === style.day
  const clockTime = `${local.toPlainTime().toString({ smallestUnit: 'minute' })} ${formatUtcOffset(local.offset)}`
  const text = isSameDay ? clockTime : `${local.day} ${monthOf(local.month).slice(0, 3)} ${local.year}, ${clockTime}`
  const attribute = style === undefined ? '' : style.style === 'ago' ? ' data-ago' : ` data-day="${style.day}"`
  return `<time datetime="${new Date(at).toISOString()}"${attribute}>${text}</time>`
}

/** Renders a period. `day` is the date of the heading above it. */
export function renderTimeRange(from: number, to: number, zone: string, day?: string): string {
  const style = { style: 'clock', day: day ?? dayOf(from, zone) } as const
  return `${renderTime(from, zone, day === undefined ? undefined : style)} – ${renderTime(to, zone, style)}`
}

/** `day` is YYYY-MM-DD. */
export function renderDay(day: string): string {
  return `<time datetime="${day}">${formatDayText(day)} ${day.slice(0, 4)}</time>`
}

/** Returns the day and month, for example "12 November". */
export function formatDayText(day: string): string {
  const [, month = '', date = ''] = day.split('-')
  return `${Number(date)} ${monthOf(Number(month))}`
}

/** Returns, for example, "November 2026". `month` is YYYY-MM. */
export const formatMonth = (month: string) => `${monthOf(Number(month.slice(5)))} ${month.slice(0, 4)}`

const monthOf = (month: number) => months[month - 1] ?? ''

/** Returns the date in the time zone as YYYY-MM-DD. */
export function dayOf(at: number, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate().toString()
}

/** If the visitor's time zone is another one, the script of the page adds it to this note. */
export function renderZoneNote(zone: string): string {
  return `<p id="zone" data-zone="${escapeHtml(zone)}">Times and days are in ${escapeHtml(zone)}.</p>`
}
