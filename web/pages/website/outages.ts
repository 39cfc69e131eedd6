/** Converts the outages of a website's monitors to shaded ranges of the chart: whole days or whole hours. */

import { HOUR_MS } from '../../../src/shared/time.ts'
import type { ShadedRange } from '../../charts/line-chart.tsx'
import { formatCalendarDay } from './period.ts'

export interface MonitorOutage {
  monitorName: string
  /** Unix milliseconds. */
  from: number
  /** Exclusive; undefined while the outage is ongoing. */
  to: number | undefined
}

interface ChartSlots {
  unit: 'day' | 'hour'
  /** Start of each slot: days as `2026-01-05`, or hours as `2026-01-05T09:00:00+01:00`. */
  starts: readonly string[]
  timeZone: string
}

export function shadeOutages(slots: ChartSlots, outages: readonly MonitorOutage[], now: number): ShadedRange[] {
  const matchSlots = slots.unit === 'day' ? createDayMatcher(slots) : createHourMatcher(slots)
  return outages.flatMap((outage) => {
    const slotMatches = matchSlots(outage.from, outage.to ?? now)
    const [from, to] = [slotMatches.indexOf(true), slotMatches.lastIndexOf(true)]
    return from === -1 ? [] : [{ from, to, label: `${outage.monitorName} was down` }]
  })
}

function createDayMatcher({ starts, timeZone }: ChartSlots) {
  return (from: number, to: number) => {
    const [first, last] = [formatCalendarDay(timeZone, from), formatCalendarDay(timeZone, Math.max(from, to - 1))]
    return starts.map((day) => first <= day && day <= last)
  }
}

function createHourMatcher({ starts }: ChartSlots) {
  const startTimes = starts.map((hour) => Date.parse(hour))
  return (from: number, to: number) =>
    startTimes.map(
      (start, index) => from < (startTimes[index + 1] ?? start + HOUR_MS) && Math.max(from + 1, to) > start,
    )
}
