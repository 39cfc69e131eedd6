/**
 * One bar per day: green, amber or red by how long the monitor was down, grey if it wasn't active. All bars of a colour are one SVG
 * path, so that a list of thousands of monitors stays fast.
 */
import { useMemo } from 'preact/hooks'
import { UPTIME_DAYS } from '../../src/shared/monitors.ts'
import { barKinds, classifyDay, parseUptimeDays, type UptimeDays } from '../../src/shared/uptime-days.ts'
import { pluralize } from '../lib/format.ts'
import { isWaitingForSignal, type MonitorWithStatus, NO_SIGNAL_LABEL } from '../lib/monitor-status.ts'
import type { OverviewMonitor } from '../lib/overview.ts'
import { describeUptime, type UptimeFields } from '../lib/uptime-text.ts'

/** In SVG units. STEP includes the gap between two bars. */
const STEP = 4
const BAR_WIDTH = 3
const HEIGHT = 28

export type MonitorWithDays = UptimeFields & MonitorWithStatus & Pick<OverviewMonitor, 'id' | 'days'>

interface UptimeBarsProps {
  monitor: MonitorWithDays
  /** The number of days, of which the last is today. A narrow screen shows fewer days rather than thinner bars. */
  dayCount?: number
  /** Screen readers announce this text before the description of the bars. */
  label?: string
  /** Whether the Tab key reaches the bars. In a list, the link of the row has the focus instead. */
  isFocusable?: boolean
}

export function UptimeBars({ monitor, dayCount = UPTIME_DAYS, label, isFocusable = false }: UptimeBarsProps) {
  const { days, status } = monitor
  const uptimeDays = useMemo(() => parseUptimeDays(days), [days])
  const paths = useMemo(() => buildBarPaths(uptimeDays, status === 'down', dayCount), [uptimeDays, status, dayCount])
  return (
    <svg
      class="uptime-bars"
      viewBox={`0 0 ${dayCount * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label ? `${label}: ` : ''}${describeBars(monitor, uptimeDays.downDays.length)}`}
      // The attribute is in lower case, because SVG elements ignore `tabIndex`.
      tabindex={isFocusable ? 0 : undefined}
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

function describeBars(monitor: MonitorWithDays, downDayCount: number): string {
  if (monitor.uptime_percent === null) return isWaitingForSignal(monitor) ? NO_SIGNAL_LABEL : 'Not monitored'
  const downtime = downDayCount === 0 ? 'no downtime' : `down on ${pluralize(downDayCount, 'day')}`
  return `${describeUptime(monitor, `in the last ${pluralize(UPTIME_DAYS, 'day')}`)}, ${downtime}`
}

/** Cuts the corners, which looks rounded at this size and takes less time to draw than arcs. */
const BAR = `v${HEIGHT - 2}l1 1h${BAR_WIDTH - 2}l1 -1v${2 - HEIGHT}l-1 -1h${2 - BAR_WIDTH}z`

function buildBarPaths(uptimeDays: UptimeDays, isDown: boolean, dayCount: number) {
  const paths = { idle: '', up: '', brief: '', partial: '', down: '' }
  const firstDay = UPTIME_DAYS - dayCount
  for (let index = 0; index < dayCount; index++) {
    const day = firstDay + index
    const kind = isDown && day === UPTIME_DAYS - 1 ? 'down' : classifyDay(uptimeDays, day)
    paths[kind] += `M${index * STEP} 1${BAR}`
  }
  return paths
}
