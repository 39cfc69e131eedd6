/** Under the name of the website: who is there now, and whether it is up. */
import { Link } from 'wouter-preact'
import { StatusDot } from '../../components/status.tsx'
import { formatCount, formatNumber, formatUptime } from '../../lib/format.ts'
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
    <p class="website-now numbers" title="Seen in the last five minutes">
      <span class={count ? 'website-pulse' : 'website-pulse website-pulse-still'} aria-hidden="true" />
      {count === undefined ? '– visitors' : formatCount(count, 'visitor')} now
    </p>
  )
}

/** More than these are on the page of all monitors. */
const SHOWN_MOST = 3

export function MonitorLinks({ monitors }: { monitors: readonly OverviewMonitor[] }) {
  const downFirst = monitors.toSorted((one, other) => Number(other.status === 'down') - Number(one.status === 'down'))
  const hidden = monitors.length - SHOWN_MOST
  return (
    <ul class="website-monitors" aria-label="Monitors of this website">
      {downFirst.slice(0, SHOWN_MOST).map(({ id, friendly_name: name, status, uptime_percent: uptime, down }) => (
        <li key={id}>
          <Link href={`/monitors/${id}`} class="website-monitor">
            <StatusDot status={status} />
            <span class="clip" title={name}>
              {name}
            </span>
            {uptime !== null && (
              <span class="numbers muted" title="Uptime over 90 days">
                {formatUptime(uptime, down.length > 0)}
              </span>
            )}
          </Link>
        </li>
      ))}
      {hidden > 0 && (
        <li>
          <Link href="/monitors" class="website-monitor">
            and {formatNumber(hidden)} more
          </Link>
        </li>
      )}
    </ul>
  )
}
