import { Link } from 'wouter-preact'
import { StatusDot } from '../../components/status.tsx'
import { RelativeTime } from '../../components/time.tsx'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'
import type { MonitorRowData } from './rows.ts'
import { UptimeCell } from './uptime-cell.tsx'

export function MonitorRowView({
  row: { monitor, isIndented },
  days,
}: {
  row: MonitorRowData
  days: Overview['days']
}) {
  return (
    <div class={`overview-row overview-monitor${isIndented ? ' overview-indented' : ''}`}>
      <div class="overview-name">
        <StatusDot status={monitor.status} />
        <div class="overview-title">
          <Link href={`/monitors/${monitor.id}`} class="overview-main clip" data-row-focus="">
            {monitor.friendly_name}
          </Link>
          {monitor.status === 'down' ? (
            <DownNote monitor={monitor} />
          ) : (
            <span class="muted small clip">{shortenUrl(monitor.url)}</span>
          )}
        </div>
      </div>
      <UptimeCell monitor={monitor} days={days} isDuplicateLink />
    </div>
  )
}

export function DownNote({ monitor: { status_changed_at, last_error } }: { monitor: OverviewMonitor }) {
  return (
    <span class="overview-down-note small clip" title={last_error ?? undefined}>
      Went down <RelativeTime at={status_changed_at} />
      {last_error && ` · ${last_error}`}
    </span>
  )
}

/** Drops the scheme and a trailing slash to save space. */
const shortenUrl = (url: string) => url.replace(/^https?:\/\//, '').replace(/\/$/, '')
