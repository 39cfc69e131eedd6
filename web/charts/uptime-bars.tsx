/**
 * One bar per day: green, amber or red by how long the monitor was down, grey where it wasn't monitored.
 * All bars of a colour are one SVG path, so that a list of thousands of monitors stays fast.
 */
import { useMemo, useState } from 'preact/hooks'
import { UPTIME_DAYS } from '../../src/shared/monitors.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { formatCount, formatDay, formatDuration, formatUptime } from '../lib/format.ts'
import type { Overview, OverviewMonitor } from '../lib/queries.ts'

interface UptimeDays {
  /** For example 2026-08-18. */
  firstDay: string
  days: number
  /** Runs of monitored days: first and last index. */
  watched: readonly (readonly [number, number])[]
  /** Index of the day, and seconds of downtime. */
  down: readonly (readonly [number, number])[]
  uptimePercent: number | null
}

export function toUptimeDays(
  { from }: Overview['days'],
  { watched, down, uptime_percent }: OverviewMonitor,
): UptimeDays {
  return { firstDay: from, days: UPTIME_DAYS, watched, down, uptimePercent: uptime_percent }
}

/** SVG units; a bar and its gap together take DAY_WIDTH. */
const DAY_WIDTH = 5
const BAR_WIDTH = 3.5
const HEIGHT = 24
/** A day with less downtime is amber, not red. */
const MIN_RED_SECONDS = 1_800

function dayAt(firstDay: string, index: number): string {
  return new Date(Date.parse(`${firstDay}T00:00Z`) + index * DAY_MS).toISOString().slice(0, 10)
}

export function UptimeBars({ bars, label }: { bars: UptimeDays; label?: string }) {
  const [hoveredDay, setHoveredDay] = useState<number>()
  const { days, watched, down, uptimePercent } = bars
  const name = `${label ? `${label}: ` : ''}${describeUptime(uptimePercent, days, down.length)}`
  const paths = useMemo(() => barPaths(days, watched, down), [days, watched, down])
  return (
    <svg
      class="uptime-bars"
      viewBox={`0 0 ${days * DAY_WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={name}
      onPointerMove={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect()
        setHoveredDay(Math.min(days - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * days))))
      }}
      onPointerLeave={() => setHoveredDay(undefined)}
    >
      <title>{hoveredDay === undefined ? name : describeDay(bars, hoveredDay)}</title>
      <path class="bar-idle" d={paths.idle} stroke-width={BAR_WIDTH} />
      <path class="bar-up" d={paths.up} stroke-width={BAR_WIDTH} />
      <path class="bar-partial" d={paths.partial} stroke-width={BAR_WIDTH} />
      <path class="bar-down" d={paths.down} stroke-width={BAR_WIDTH} />
    </svg>
  )
}

function describeUptime(uptimePercent: number | null, days: number, downDays: number): string {
  if (uptimePercent === null) return 'Not monitored yet'
  const downtime = downDays === 0 ? 'no downtime' : `down on ${formatCount(downDays, 'day')}`
  return `${formatUptime(uptimePercent, downDays > 0)} uptime in ${formatCount(days, 'day')}, ${downtime}`
}

const isInRun = (runs: UptimeDays['watched'], day: number) => runs.some(([first, last]) => first <= day && day <= last)

function barPaths(days: number, watched: UptimeDays['watched'], down: UptimeDays['down']) {
  const secondsByDay = new Map(down)
  const paths = { idle: '', up: '', partial: '', down: '' }
  for (let day = 0; day < days; day++) {
    const downSeconds = secondsByDay.get(day) ?? 0
    const kind =
      downSeconds >= MIN_RED_SECONDS ? 'down' : downSeconds > 0 ? 'partial' : isInRun(watched, day) ? 'up' : 'idle'
    paths[kind] += `M${day * DAY_WIDTH + DAY_WIDTH / 2} 0V${HEIGHT}`
  }
  return paths
}

function describeDay({ firstDay, watched, down }: UptimeDays, day: number): string {
  const downSeconds = down.find(([index]) => index === day)?.[1]
  const state = downSeconds
    ? `down for ${formatDuration(downSeconds)}`
    : isInRun(watched, day)
      ? 'no downtime'
      : 'not monitored'
  return `${formatDay(dayAt(firstDay, day))}: ${state}`
}
