/**
 * One bar per day: green, amber or red by how long the monitor was down, grey if it wasn't monitored.
 * All bars of a colour are one SVG path, so that a list of thousands of monitors stays fast.
 */
import { useMemo, useState } from 'preact/hooks'
import { UPTIME_DAYS } from '../../src/shared/monitors.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { formatDay, formatDurationSeconds, formatUptimePercent, pluralize } from '../lib/format.ts'
import type { Overview, OverviewMonitor } from '../lib/queries.ts'

interface UptimeDays {
  /** In the form 2026-08-18. */
  firstDay: string
  dayCount: number
  /** Runs of consecutive monitored days, each as the index of its first and last day. */
  monitoredRuns: readonly (readonly [number, number])[]
  /** Days with downtime, each as its index and the seconds of downtime. */
  downDays: readonly (readonly [number, number])[]
  uptimePercent: number | null
}

export function toUptimeDays(
  { from }: Overview['days'],
  { watched, down, uptime_percent }: OverviewMonitor,
): UptimeDays {
  return {
    firstDay: from,
    dayCount: UPTIME_DAYS,
    monitoredRuns: watched,
    downDays: down,
    uptimePercent: uptime_percent,
  }
}

/** In SVG units. DAY_WIDTH includes the gap between two bars. */
const DAY_WIDTH = 5
const BAR_WIDTH = 3.5
const HEIGHT = 24
/** A day with less downtime is amber, not red. */
const MIN_RED_SECONDS = 1_800

function getDayAt(firstDay: string, index: number): string {
  return new Date(Date.parse(`${firstDay}T00:00Z`) + index * DAY_MS).toISOString().slice(0, 10)
}

export function UptimeBars({ uptimeDays, label }: { uptimeDays: UptimeDays; label?: string }) {
  const [hoveredDay, setHoveredDay] = useState<number>()
  const { dayCount, monitoredRuns, downDays, uptimePercent } = uptimeDays
  const name = `${label ? `${label}: ` : ''}${describeUptime(uptimePercent, dayCount, downDays.length)}`
  const paths = useMemo(() => buildBarPaths(dayCount, monitoredRuns, downDays), [dayCount, monitoredRuns, downDays])
  return (
    <svg
      class="uptime-bars"
      viewBox={`0 0 ${dayCount * DAY_WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={name}
      onPointerMove={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect()
        setHoveredDay(Math.min(dayCount - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * dayCount))))
      }}
      onPointerLeave={() => setHoveredDay(undefined)}
    >
      <title>{hoveredDay === undefined ? name : describeDay(uptimeDays, hoveredDay)}</title>
      <path class="bar-idle" d={paths.idle} stroke-width={BAR_WIDTH} />
      <path class="bar-up" d={paths.up} stroke-width={BAR_WIDTH} />
      <path class="bar-partial" d={paths.partial} stroke-width={BAR_WIDTH} />
      <path class="bar-down" d={paths.down} stroke-width={BAR_WIDTH} />
    </svg>
  )
}

function describeUptime(uptimePercent: number | null, dayCount: number, downDayCount: number): string {
  if (uptimePercent === null) return 'Not monitored yet'
  const downtime = downDayCount === 0 ? 'no downtime' : `down on ${pluralize(downDayCount, 'day')}`
  return `${formatUptimePercent(uptimePercent, downDayCount > 0)} uptime over the last ${pluralize(dayCount, 'day')}, ${downtime}`
}

const isMonitoredDay = (runs: UptimeDays['monitoredRuns'], day: number) =>
  runs.some(([first, last]) => first <= day && day <= last)

function buildBarPaths(dayCount: number, monitoredRuns: UptimeDays['monitoredRuns'], downDays: UptimeDays['downDays']) {
  const downSecondsByDay = new Map(downDays)
  const paths = { idle: '', up: '', partial: '', down: '' }
  for (let day = 0; day < dayCount; day++) {
    const downSeconds = downSecondsByDay.get(day) ?? 0
    const kind =
      downSeconds >= MIN_RED_SECONDS
        ? 'down'
        : downSeconds > 0
          ? 'partial'
          : isMonitoredDay(monitoredRuns, day)
            ? 'up'
            : 'idle'
    paths[kind] += `M${day * DAY_WIDTH + DAY_WIDTH / 2} 0V${HEIGHT}`
  }
  return paths
}

function describeDay({ firstDay, monitoredRuns, downDays }: UptimeDays, day: number): string {
  const downSeconds = downDays.find(([index]) => index === day)?.[1]
  const state = downSeconds
    ? `down for ${formatDurationSeconds(downSeconds)}`
    : isMonitoredDay(monitoredRuns, day)
      ? 'no downtime'
      : 'not monitored'
  return `${formatDay(getDayAt(firstDay, day))}: ${state}`
}
