/** Shares, days and codes as people read them. */
import type { PanelName } from '../stats/schema.ts'

const decimal = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export const formatPercent = (percent: number | null) => (percent === null ? '–' : `${decimal.format(percent)} %`)

export function formatSeconds(seconds: number | null): string {
  if (seconds === null) return '–'
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const yearFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const weekdayFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
})
const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Of a day, YYYY-MM-DD. */
export const shortDay = (day: string) => dayFormat.format(new Date(day))
export const longDay = (day: string) => weekdayFormat.format(new Date(day))
export const monthOf = (day: string) => monthFormat.format(new Date(day))

export function formatDays(from: string, to: string): string {
  const last = yearFormat.format(new Date(to))
  return from === to ? last : `${yearFormat.format(new Date(from))} – ${last}`
}

/** What one of a panel's values is. */
export function wordOf(panel: PanelName): string {
  if (panel === 'os') return 'Operating system'
  return (panel.charAt(0).toUpperCase() + panel.slice(1)).replace('_', ' ')
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** What a value is called, where it is a code. */
export function nameValue(panel: PanelName, value: string): string {
  try {
    if (panel === 'country') return regions.of(value) ?? value
    if (panel === 'language') return languages.of(value) ?? value
    if (panel === 'device') return value.charAt(0).toUpperCase() + value.slice(1)
    if (panel === 'resolution') return value.replace('x', ' × ')
    return value
  } catch {
    // Not even the form of a code.
    return value
  }
}
