import { Link } from 'wouter-preact'
import { toUptimeDays, UptimeBars } from '../../charts/uptime-bars.tsx'
import { buildNewMonitorPathForDomain } from '../../lib/address.ts'
import { formatMs, formatUptimePercent } from '../../lib/format.ts'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'

interface UptimeCellProps {
  monitor: OverviewMonitor
  days: Overview['days']
  /** Whether the row's main link leads to the same page. The Tab key then skips the link of this cell. */
  isDuplicateLink: boolean
}

export function UptimeCell({ monitor, days, isDuplicateLink }: UptimeCellProps) {
  const { id, friendly_name, uptime_percent, last_response_ms } = monitor
  return (
    <Link href={`/monitors/${id}`} class="overview-uptime" tabIndex={isDuplicateLink ? -1 : undefined}>
      <UptimeBars uptimeDays={toUptimeDays(days, monitor)} label={friendly_name} />
      <span class="overview-percent numbers" aria-hidden="true">
        {formatUptimePercent(uptime_percent, monitor.down.length > 0)}
      </span>
      <span class="overview-response numbers muted small">
        {last_response_ms !== null && (
          <>
            <span class="hidden-text">, response time </span>
            {formatMs(last_response_ms)}
          </>
        )}
      </span>
    </Link>
  )
}

export function NoMonitor({ domain }: { domain: string }) {
  return (
    <div class="overview-uptime muted small">
      <span class="overview-note">
        Not monitored ·{' '}
        <Link href={buildNewMonitorPathForDomain(domain)}>
          Add monitor<span class="hidden-text"> for {domain}</span>
        </Link>
      </span>
    </div>
  )
}
