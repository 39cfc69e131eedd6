import { getStatusLabel, type MonitorWithStatus, statusLabels } from '../lib/monitor-status.ts'

interface StatusDotProps {
  /** Undefined while the monitor is loading. */
  monitor: MonitorWithStatus | undefined
  /** Set next to a text label, so that screen readers don't announce the status twice. */
  isDecoration?: boolean
}

export function StatusDot({ monitor, isDecoration = false }: StatusDotProps) {
  const label = monitor === undefined ? statusLabels.pending : getStatusLabel(monitor)
  const aria = isDecoration ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': label }
  // A sample monitor checks nothing, so its dot is plain: `dot-sample` has no style of its own.
  const shape = monitor?.is_sample ? 'sample' : (monitor?.status ?? 'pending')
  return <span class={`dot dot-${shape}`} title={label} {...aria} />
}
