/** Formats numbers, dates and durations for display. */
import { MS_PER_DAY } from './local-day.ts'

// We use toLocaleString because an Intl.NumberFormat object takes megabytes, and most servers never format anything.
export const formatCount = (count: number) => count.toLocaleString('en')
/** "12.3K" for 12,345. */
export const formatCompact = (count: number) =>
  count.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 })

/** "12.3 kB" for 12,345. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4)
  return `${(bytes / 1_000 ** power).toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}

/** "1 June 2025", in UTC. */
export const formatLongDate = (date: Date) =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

const units = [
  { unitMs: MS_PER_DAY, singular: 'day', plural: 'days' },
  { unitMs: 3_600_000, singular: 'h', plural: 'h' },
  { unitMs: 60_000, singular: 'min', plural: 'min' },
  { unitMs: 1_000, singular: 's', plural: 's' },
] as const

/** "5 min 12 s", "3 h", "2 days 4 h": the two largest units, rounded down. */
export function formatDuration(ms: number): string {
  const largestIndex = units.findIndex(({ unitMs }) => ms >= unitMs)
  const firstIndex = largestIndex === -1 ? units.length - 1 : largestIndex
  let remainingMs = Math.max(0, ms)
  const parts = units.slice(firstIndex, firstIndex + 2).map(({ unitMs, singular, plural }) => {
    const count = Math.floor(remainingMs / unitMs)
    remainingMs -= count * unitMs
    return { count, text: `${count} ${count === 1 ? singular : plural}` }
  })
  return parts
    .filter(({ count }, index) => index === 0 || count > 0)
    .map(({ text }) => text)
    .join(' ')
}
