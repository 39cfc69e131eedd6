/** Converts the outages of a website's monitors to bands of the chart, in proportion to their length. */
import type { Cause } from '../../../src/shared/causes.ts'
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts'
import type { ChartBand } from '../../charts/line-chart.tsx'
import { causeTexts } from '../../lib/causes.ts'
import { formatDurationSeconds } from '../../lib/format.ts'
import { countDays, type DayRange, formatLocalTime, getLocalTime } from './calendar.ts'
import { type ChartInterval, getSlotDays } from './slots.ts'

export interface MonitorOutage {
  monitorId: number
  monitorName: string
  incidentId: number
  cause: Cause
  /** Unix milliseconds. */
  from: number
  /** Exclusive; undefined while the outage is ongoing. */
  to: number | undefined
}

export interface ChartSlots {
  unit: ChartInterval
  /** Start of each point: days as `2026-01-05`, or hours as `2026-01-05T09:00:00+01:00`. */
  starts: readonly string[]
  range: DayRange
  timeZone: string
}

/** Positions count points: 2.5 is the middle of the third day, week or month. */
export function createOutageBands(slots: ChartSlots, outages: readonly MonitorOutage[], now: number): ChartBand[] {
  const findPosition = slots.unit === 'hour' ? createHourScale(slots) : createDayScale(slots)
  return outages.flatMap((outage) => {
    const [from, to] = [findPosition(outage.from), findPosition(outage.to ?? now)]
    if (to <= 0 || from >= slots.starts.length) return []
    return [
      {
        from: Math.max(0, from),
        to: Math.min(slots.starts.length, to),
        title: `${outage.monitorName} ${outage.to === undefined ? 'is' : 'was'} down`,
        detail: describeOutage(outage, slots.timeZone, now),
        href: `/monitors/${outage.monitorId}?incident=${outage.incidentId}`,
      },
    ]
  })
}

function describeOutage({ cause, from, to }: MonitorOutage, timeZone: string, now: number): string {
  const duration = formatDurationSeconds(Math.round(((to ?? now) - from) / 1_000))
  const start = formatLocalTime(timeZone, from)
  return `${causeTexts[cause].title}, ${start}, ${to === undefined ? `ongoing for ${duration}` : `for ${duration}`}`
}

type FindPosition = (at: number) => number

function createHourScale({ starts }: ChartSlots): FindPosition {
  const startTimes = starts.map((hour) => Date.parse(hour))
  return (at) => {
    const index = Math.max(
      0,
      startTimes.findLastIndex((start) => start <= at),
    )
    return index + Math.min(1, (at - (startTimes[index] ?? at)) / HOUR_MS)
  }
}

function createDayScale({ unit, starts, range, timeZone }: ChartSlots): FindPosition {
  const slots = starts.map((start) => getSlotDays(unit, start, range))
  return (at) => {
    const { day, dayFraction } = getLocalTime(timeZone, at)
    const index = Math.max(
      0,
      slots.findLastIndex(({ from }) => from <= day),
    )
    const slot = slots[index] ?? { from: day, to: day }
    const passedDays = (Date.parse(day) - Date.parse(slot.from)) / DAY_MS + dayFraction
    return index + Math.min(1, passedDays / countDays(slot))
  }
}
