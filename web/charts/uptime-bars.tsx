/**
 * One bar per day: green, amber or red by how long the monitor was down, grey if it wasn't active. All bars of a colour are one SVG
 * path, so that a list of thousands of monitors stays fast.
 */
import { useMemo } from 'preact/hooks'
import { UPTIME_DAYS } from '../../src/shared/monitors.ts'
import { formatUptimePercent, pluralize } from '../lib/format.ts'
import { hadDowntime, type OverviewMonitor, parseUptimeDays } from '../lib/overview.ts'
import { barKinds, classifyDay } from './uptime-day.ts'

/** In SVG units. STEP includes the gap between two bars. */
const STEP = 4
const BAR_WIDTH = 3
const HEIGHT = 28

interface UptimeBarsProps {
  monitor: OverviewMonitor
  /** The number of days, today last. A narrow screen shows fewer days rather than thinner bars. */
  dayCount?: number
  /** Precedes the description. */
  label?: string
  /** Whether the Tab key reaches the bars. In a list, the link of the row has the focus instead. */
  isFocusable?: boolean
}

export function UptimeBars({ monitor, dayCount = UPTIME_DAYS, label, isFocusable = false }: UptimeBarsProps) {
  const { days, status } = monitor
  const paths = useMemo(() => buildBarPaths(days, status === 'down', dayCount), [days, status, dayCount])
  return (
    <svg
      class="uptime-bars"
      viewBox={`0 0 ${dayCount * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label ? `${label}: ` : ''}${describeUptime(monitor)}`}
      tabIndex={isFocusable ? 0 : undefined}
      data-chart="uptime"
      data-id={monitor.id}
      data-points={dayCount}
      style={{ '--days': `${dayCount}` }}
    >
      {barKinds.map((kind) => (
        <path key={kind} class={`bar-${kind}`} d={paths[kind]} />
      ))}
    </svg>
  )
}

function describeUptime(monitor: OverviewMonitor): string {
  if (monitor.uptime_percent === null) return 'Not monitored yet'
  const downDayCount = parseUptimeDays(monitor.days).downDays.size
  const downtime = downDayCount === 0 ? 'no downtime' : `down on ${pluralize(downDayCount, 'day')}`
  const uptime = formatUptimePercent(monitor.uptime_percent, hadDowntime(monitor))
  return `${uptime} uptime over the last ${pluralize(UPTIME_DAYS, 'day')}, ${downtime}`
}

/** Rounded rectangles. */
function buildBarPaths(days: string, isDown: boolean, dayCount: number) {
  const uptimeDays = parseUptimeDays(days)
  const paths = { idle: '', up: '', brief: '', partial: '', down: '' }
  const [radius, firstDay] = [BAR_WIDTH / 2, UPTIME_DAYS - dayCount]
  const bar = `v${HEIGHT - BAR_WIDTH}a${radius} ${radius} 0 0 0 ${BAR_WIDTH} 0v${BAR_WIDTH - HEIGHT}a${radius} ${radius} 0 0 0 ${-BAR_WIDTH} 0z`
  for (let index = 0; index < dayCount; index++) {
    const day = firstDay + index
    const kind = isDown && day === UPTIME_DAYS - 1 ? 'down' : classifyDay(uptimeDays, day)
    paths[kind] += `M${index * STEP} ${radius}${bar}`
  }
  return paths
}
