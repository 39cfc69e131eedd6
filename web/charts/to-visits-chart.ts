/** Prepares the visits around an incident for a chart. */
import { SECOND_MS } from '../../src/shared/time.ts'
import { formatClockTime, formatDateTime } from '../lib/format.ts'

interface VisitsChartSlot {
  starts_at: string
  /** Visits that began in this slot. */
  seen: number
  expected: number
  low: number
  high: number
}

export interface VisitsChartData {
  slots: readonly VisitsChartSlot[]
  slotSeconds: number
  /** The end of the last slot, or the current time if that slot isn't over yet. */
  to: string
  incident: { title: string; started_at: string; resolved_at: string | null }
}

const toUnixSeconds = (time: string) => Date.parse(time) / SECOND_MS

export function toVisitsChart({ slots, slotSeconds, to, incident }: VisitsChartData) {
  const starts = slots.map(({ starts_at }) => toUnixSeconds(starts_at))
  const end = (starts.at(-1) ?? 0) + slotSeconds
  return {
    x: starts.map((start) => start + slotSeconds / 2),
    xRange: [starts[0] ?? 0, end] as const,
    xTitles: slots.map(({ starts_at }) => formatSlot(starts_at, slotSeconds)),
    series: [
      {
        label: 'Visits',
        values: slots.map(({ seen }) => seen),
        colourVar: '--chart-1',
        hasBars: true,
      },
      {
        label: 'Expected',
        values: slots.map(({ expected }) => expected),
        range: { low: slots.map(({ low }) => low), high: slots.map(({ high }) => high) },
        colourVar: '--chart-2',
        isDashed: true,
      },
    ],
    ...(toUnixSeconds(to) < end && { incompleteIndex: slots.length - 1 }),
    bands: [
      {
        from: toUnixSeconds(incident.started_at),
        to: toUnixSeconds(incident.resolved_at ?? to),
        title: incident.title,
      },
    ],
  }
}

/** "5 Jan 2026, 10:00 – 10:05". */
const formatSlot = (startsAt: string, slotSeconds: number) =>
  `${formatDateTime(startsAt)} – ${formatClockTime(new Date(Date.parse(startsAt) + SECOND_MS * slotSeconds))}`
