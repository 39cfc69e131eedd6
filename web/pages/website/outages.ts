/** When a monitor of the website was down, as places of the chart: whole days, or whole hours. */
import type { ShadedRange } from '../../charts/line-chart.tsx'
import { dayIn } from './period.ts'

export interface Outage {
  /** Of the monitor. */
  name: string
  /** In milliseconds since 1970; the end is no longer part of it, and undefined while it goes on. */
  from: number
  to: number | undefined
}

interface Slots {
  unit: 'day' | 'hour'
  /** Days, or hours with their offset, as the server names them. */
  names: readonly string[]
  timeZone: string
}

const HOUR_MS = 3_600_000

export function shadeOutages(slots: Slots, outages: readonly Outage[], now: number): ShadedRange[] {
  const isHit = slots.unit === 'day' ? daysHit(slots) : hoursHit(slots)
  return outages.flatMap((outage) => {
    const hits = isHit(outage.from, outage.to ?? now)
    const [from, to] = [hits.indexOf(true), hits.lastIndexOf(true)]
    return from === -1 ? [] : [{ from, to, label: `${outage.name} was down` }]
  })
}

function daysHit({ names, timeZone }: Slots) {
  return (from: number, to: number) => {
    const [first, last] = [dayIn(timeZone, from), dayIn(timeZone, Math.max(from, to - 1))]
    return names.map((day) => first <= day && day <= last)
  }
}

function hoursHit({ names }: Slots) {
  const starts = names.map((hour) => Date.parse(hour))
  return (from: number, to: number) =>
    starts.map((start, index) => from < (starts[index + 1] ?? start + HOUR_MS) && Math.max(from + 1, to) > start)
}
