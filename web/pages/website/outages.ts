/**
 * The outages of a website's monitors: their texts, and their bands in the chart. The width of a band shows the
 * duration of the outage.
 */
import type { OutagesRecord } from '../../../src/impact/schema.ts'
import type { Cause } from '../../../src/shared/causes.ts'
import type { Diagnosis, Impact } from '../../../src/shared/impact.ts'
import { describeMissedVisits } from '../../../src/shared/impact-text.ts'
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts'
import type { ChartBand } from '../../charts/line-chart.tsx'
import { causeTexts } from '../../lib/causes.ts'
import { formatDurationSeconds, formatNumber, formatTimeInZone, pluralize } from '../../lib/format.ts'
import { diagnosisTitles, formatMissedVisits } from '../../lib/impact.ts'
import { countDays, type DayRange, getLocalTime } from './calendar.ts'
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
  impact: Impact | null
  diagnosis: Diagnosis | null
}

export interface ChartSlots {
  unit: ChartInterval
  /** Start of each point: days as `2026-01-05`, or hours as `2026-01-05T09:00:00+01:00`. */
  starts: readonly string[]
  range: DayRange
  timeZone: string
}

type OutageSum = Pick<
  OutagesRecord,
  | 'outages'
  | 'downtime_seconds'
  | 'visits_missed'
  | 'visits_missed_low'
  | 'visits_missed_high'
  | 'outages_without_estimate'
>

/** The positions of the bands are numbers of points: 2.5 is the middle of the third hour, day, week or month. */
export function createOutageBands(slots: ChartSlots, outages: readonly MonitorOutage[], now: number): ChartBand[] {
  const findPosition = slots.unit === 'hour' ? createHourScale(slots) : createDayScale(slots)
  return outages.flatMap((outage) => {
    const [from, to] = [findPosition(outage.from), findPosition(outage.to ?? now)]
    if (to <= 0 || from >= slots.starts.length) return []
    return [
      {
        from: Math.max(0, from),
        to: Math.min(slots.starts.length, to),
        title: nameOutage(outage),
        detail: describeOutage(outage, slots.timeZone, now),
        href: `/incidents/${outage.incidentId}`,
      },
    ]
  })
}

/**
 * A traffic monitor has the name of its website. “is down” would be wrong, because the website may respond although no
 * visits arrive.
 */
const nameOutage = ({ cause, monitorName, to }: MonitorOutage) =>
  cause === 'silence' ? causeTexts.silence.title : `${monitorName} ${to === undefined ? 'is' : 'was'} down`

function describeOutage({ cause, diagnosis, from, to, impact }: MonitorOutage, timeZone: string, now: number): string {
  const reason = cause === 'silence' ? diagnosis && diagnosisTitles[diagnosis] : causeTexts[cause].title
  const duration = formatDurationSeconds(Math.round(((to ?? now) - from) / 1_000))
  const facts = [
    reason,
    formatTimeInZone(timeZone, from),
    to === undefined ? `ongoing for ${duration}` : `for ${duration}`,
  ]
  const missedVisits = formatMissedVisits(impact)
  return `${facts.filter(Boolean).join(', ')}${missedVisits === undefined ? '' : `. ${missedVisits}`}`
}

/** "2 outages, 14m in total, about 140 visits missed (95 to 190)". */
export function describeOutages(sum: OutageSum): string {
  const { outages, downtime_seconds, outages_without_estimate: unknownCount } = sum
  const downtime = formatDurationSeconds(downtime_seconds)
  const missedVisits = describeMissedVisits(sum, formatNumber)
  const facts = [pluralize(outages, 'outage'), outages === 1 ? downtime : `${downtime} in total`]
  if (missedVisits === undefined) return facts.join(', ')
  const note = unknownCount === 0 ? '' : `, not counting ${pluralize(unknownCount, 'outage')} without an estimate`
  return `${[...facts, missedVisits].join(', ')}${note}`
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
