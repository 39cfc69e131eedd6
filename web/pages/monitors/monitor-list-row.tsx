import { Link } from 'wouter-preact'
import { UptimeBars } from '../../charts/uptime-bars.tsx'
import { StatusDot, statusLabels } from '../../components/status.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { formatDurationSeconds, formatMs, formatUptimePercent } from '../../lib/format.ts'
import { hadDowntime } from '../../lib/overview.ts'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'

interface MonitorListRowProps {
  monitor: OverviewMonitor
  days: Overview['days']
  isSelected: boolean
  onToggle: (isSelected: boolean, isRange: boolean) => void
}

export function MonitorListRow({ monitor, days, isSelected, onToggle }: MonitorListRowProps) {
  const { id, friendly_name, url, status, uptime_percent } = monitor
  return (
    <div class={`monitors-row monitors-row-${status}`}>
      <input
        type="checkbox"
        aria-label={`Select ${friendly_name}`}
        checked={isSelected}
        onClick={(event) => onToggle(event.currentTarget.checked, event.shiftKey)}
      />
      <span class={`status status-${status} monitors-status`}>
        <StatusDot status={status} isDecoration />
        <span class="monitors-status-label">{statusLabels[status]}</span>
      </span>
      <div class="monitors-name">
        <Link href={`/monitors/${id}`} class="clip" title={url} data-row-focus>
          {friendly_name}
        </Link>
        <span class="clip small muted monitors-url">
          {status === 'down' && monitor.last_error !== null && (
            <span class="monitors-error">{monitor.last_error} · </span>
          )}
          {url}
        </span>
      </div>
      {/* This link is only for the mouse. Keyboard and screen reader users have the name's link and the uptime figure. */}
      <Link href={`/monitors/${id}`} class="monitors-bars" tabIndex={-1} aria-hidden="true">
        <UptimeBars monitor={monitor} />
      </Link>
      <span class="numbers monitors-uptime" title="Uptime, last 90 days">
        <span class="hidden-text">Uptime </span>
        {formatUptimePercent(uptime_percent, hadDowntime(monitor))}
      </span>
      <span class="numbers monitors-response" title="Response time">
        <span class="hidden-text">Response time </span>
        {formatMs(monitor.last_response_ms)}
      </span>
      <span class="small muted monitors-checked">
        {monitor.last_checked_at === null ? 'Not checked yet' : <RelativeTime at={monitor.last_checked_at} />}
        <span class="monitors-interval">every {formatDurationSeconds(monitor.interval)}</span>
      </span>
    </div>
  )
}
