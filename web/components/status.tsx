import type { MonitorStatus } from '../../src/shared/monitors.ts'

export const statusWords: Record<MonitorStatus, string> = {
  up: 'Up',
  down: 'Down',
  pending: 'Pending',
  paused: 'Paused',
}

/** Says its status to screen readers; beside a word that says it already, pass `isDecoration`. */
export function StatusDot({ status, isDecoration = false }: { status: MonitorStatus; isDecoration?: boolean }) {
  const name = isDecoration ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': statusWords[status] }
  return <span class={`dot dot-${status}`} title={statusWords[status]} {...name} />
}

export function StatusWord({ status }: { status: MonitorStatus }) {
  return (
    <span class={`status status-${status}`}>
      <StatusDot status={status} isDecoration />
      {statusWords[status]}
    </span>
  )
}
