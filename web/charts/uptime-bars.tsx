/** One bar a day: green, amber or red by how long it was down, grey where nobody watched. Four shapes however many days. */
import { useMemo, useState } from 'preact/hooks'
import { formatCount, formatDay, formatDuration, formatUptime } from '../lib/format.ts'
import type { Overview, OverviewMonitor } from '../lib/queries.ts'

interface UptimeDays {
  /** Of the first bar, for instance 2026-08-18. */
  firstDay: string
  days: number
  watched: readonly (readonly [number, number])[]
  /** Day and seconds. */
  down: readonly (readonly [number, number])[]
  uptimePercent: number | null
}

/** As many as the overview tells of. */
const DAYS = 90

export function barsOf({ from }: Overview['days'], { watched, down, uptime_percent }: OverviewMonitor): UptimeDays {
  return { firstDay: from, days: DAYS, watched, down, uptimePercent: uptime_percent }
}

const WIDTH = 5
const BAR = 3.5
const HEIGHT = 24
/** Shorter than this in a day is amber. */
const RED_SECONDS = 1_800

export function dayAt(firstDay: string, index: number): string {
  return new Date(Date.parse(`${firstDay}T00:00Z`) + index * 86_400_000).toISOString().slice(0, 10)
}

export function UptimeBars({ bars, label }: { bars: UptimeDays; label?: string }) {
  const [pointed, setPointed] = useState<number>()
  const { days, watched, down, uptimePercent } = bars
  const name = `${label ? `${label}: ` : ''}${summaryOf(uptimePercent, days, down.length)}`
  const shapes = useMemo(() => shapesOf(days, watched, down), [days, watched, down])
  return (
    <svg
      class="uptime-bars"
      viewBox={`0 0 ${days * WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={name}
      onPointerMove={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect()
        setPointed(Math.min(days - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * days))))
      }}
      onPointerLeave={() => setPointed(undefined)}
    >
      <title>{pointed === undefined ? name : sentenceOf(bars, pointed)}</title>
      <path class="bar-idle" d={shapes.idle} stroke-width={BAR} />
      <path class="bar-up" d={shapes.up} stroke-width={BAR} />
      <path class="bar-some" d={shapes.some} stroke-width={BAR} />
      <path class="bar-down" d={shapes.long} stroke-width={BAR} />
    </svg>
  )
}

function summaryOf(uptimePercent: number | null, days: number, downDays: number): string {
  if (uptimePercent === null) return 'Not watched yet'
  const when = downDays === 0 ? 'never down' : `down on ${formatCount(downDays, 'day')}`
  return `${formatUptime(uptimePercent, downDays > 0)} up over ${formatCount(days, 'day')}, ${when}`
}

const isIn = (runs: UptimeDays['watched'], day: number) => runs.some(([first, last]) => first <= day && day <= last)

function shapesOf(days: number, watched: UptimeDays['watched'], down: UptimeDays['down']) {
  const seconds = new Map(down)
  const shapes = { idle: '', up: '', some: '', long: '' }
  for (let day = 0; day < days; day++) {
    const lost = seconds.get(day) ?? 0
    const kind = lost >= RED_SECONDS ? 'long' : lost > 0 ? 'some' : isIn(watched, day) ? 'up' : 'idle'
    shapes[kind] += `M${day * WIDTH + WIDTH / 2} 0V${HEIGHT}`
  }
  return shapes
}

function sentenceOf({ firstDay, watched, down }: UptimeDays, day: number): string {
  const lost = down.find(([index]) => index === day)?.[1]
  const what = lost ? `down for ${formatDuration(lost)}` : isIn(watched, day) ? 'never down' : 'not watched'
  return `${formatDay(dayAt(firstDay, day))}: ${what}`
}
