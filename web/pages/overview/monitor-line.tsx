import { Link } from 'wouter-preact'
import { StatusDot } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'
import type { MonitorRow } from './rows.ts'
import { UptimePart } from './uptime-part.tsx'

export function MonitorLine({ row: { monitor, isIndented }, days }: { row: MonitorRow; days: Overview['days'] }) {
  return (
    <div class={`overview-row overview-monitor${isIndented ? ' overview-indented' : ''}`}>
      <div class="overview-name">
        <StatusDot status={monitor.status} />
        <div class="overview-title">
          <Link href={`/monitors/${monitor.id}`} class="overview-main clip" data-row-focus="">
            {monitor.friendly_name}
          </Link>
          {monitor.status === 'down' ? (
            <Trouble monitor={monitor} />
          ) : (
            <span class="muted small clip">{shortUrl(monitor.url)}</span>
          )}
        </div>
      </div>
      <UptimePart monitor={monitor} days={days} isRepeated />
    </div>
  )
}

export function Trouble({ monitor: { status_changed_at, last_error } }: { monitor: OverviewMonitor }) {
  return (
    <span class="overview-trouble small clip" title={last_error ?? undefined}>
      Down, <Ago at={status_changed_at} />
      {last_error && ` · ${last_error}`}
    </span>
  )
}

/** Where it stands in little room, what every address begins with can go. */
const shortUrl = (url: string) => url.replace(/^https?:\/\//, '').replace(/\/$/, '')
