/** The domain, the current visitors and the status of the monitors. */
import { Link } from 'wouter-preact'
import { StatusDot } from '../../components/status.tsx'
import { formatNumber, formatUptimePercent, pluralize } from '../../lib/format.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'

export function WebsiteLink({ domain }: { domain: string }) {
  const scheme = domain === 'localhost' ? 'http' : 'https'
  return (
    <a
      class="website-link"
      href={`${scheme}://${domain}/`}
      title={`Open ${domain}`}
      target="_blank"
      rel="noreferrer noopener"
    >
      <span class="clip">{domain}</span>
      <span aria-hidden="true">↗</span>
    </a>
  )
}

export function VisitorsNow({ count }: { count: number | undefined }) {
  return (
    <p class="website-now numbers" title="Visitors in the last 5 minutes">
      <span class={count ? 'website-pulse' : 'website-pulse website-pulse-still'} aria-hidden="true" />
      {count === undefined ? '– visitors' : pluralize(count, 'visitor')} now
    </p>
  )
}

/** If the website has more monitors, a link leads to the monitors page. */
const MAX_MONITOR_LINKS = 3

export function MonitorLinks({ monitors }: { monitors: readonly OverviewMonitor[] }) {
  const monitorsDownFirst = monitors.toSorted((a, b) => Number(b.status === 'down') - Number(a.status === 'down'))
  const hiddenCount = monitors.length - MAX_MONITOR_LINKS
  return (
    <ul class="website-monitors" aria-label="Monitors for this website">
      {monitorsDownFirst
        .slice(0, MAX_MONITOR_LINKS)
        .map(({ id, friendly_name: name, status, uptime_percent: uptime, down }) => (
          <li key={id}>
            <Link href={`/monitors/${id}`} class="website-monitor">
              <StatusDot status={status} />
              <span class="clip" title={name}>
                {name}
              </span>
              {uptime !== null && (
                <span class="numbers muted" title="Uptime in the last 90 days">
                  {formatUptimePercent(uptime, down.length > 0)}
                </span>
              )}
            </Link>
          </li>
        ))}
      {hiddenCount > 0 && (
        <li>
          <Link href="/monitors" class="website-monitor">
            and {formatNumber(hiddenCount)} more
          </Link>
        </li>
      )}
    </ul>
  )
}
