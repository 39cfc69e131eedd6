import type { MonitorStatus } from '../../src/shared/monitors.ts'

export const statusLabels: Record<MonitorStatus, string> = {
  up: 'Up',
  down: 'Down',
  pending: 'Pending',
  paused: 'Paused',
}

/** Pass `isDecoration` next to a text label, so that screen readers don't announce the status twice. */
export function StatusDot({ status, isDecoration = false }: { status: MonitorStatus; isDecoration?: boolean }) {
  const aria = isDecoration ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': statusLabels[status] }
  return <span class={`dot dot-${status}`} title={statusLabels[status]} {...aria} />
}
