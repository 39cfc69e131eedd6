/** The domain, the current visitors and the status of the monitors. */
import { ExternalLink, Link2, Settings } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { reachabilityTypes } from '../../../src/shared/overview-order.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { copyText } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { MaintenanceBadge } from '../../components/maintenance-badge.tsx'
import { SiteIcon } from '../../components/site-icon.tsx'
import { StatusDot } from '../../components/status.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { UptimeFigure } from '../../components/uptime-figure.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { formatNumber, pluralize } from '../../lib/format.ts'
import { isWaitingForSignal, NO_SIGNAL_LABEL } from '../../lib/monitor-status.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { showToast } from '../../lib/toasts.ts'
import { describeUptime } from '../../lib/uptime-text.ts'
import './heading.css'

export function WebsiteHeading({ website }: { website: { id: number; domain: string } }) {
  const { domain } = website
  const scheme = domain === 'localhost' ? 'http' : 'https'
  return (
    <span class="website-heading">
      <SiteIcon website={website} />
      <a class="website-link" href={`${scheme}://${domain}/`} target="_blank" rel="noreferrer noopener">
        <span class="clip">{toDisplayHost(domain)}</span>
        <Icon icon={ExternalLink} size={15} />
      </a>
    </span>
  )
}

export function WebsiteActions({ domain, isOwner }: { domain: string; isOwner: boolean }) {
  return (
    <>
      <Button icon={Link2} kind={isOwner ? 'quiet' : 'plain'} onClick={() => void copyLink()}>
        <span class="website-action">Copy link</span>
      </Button>
      {isOwner && (
        <ButtonLink needs="edit shared" icon={Settings} to={`/${domain}/settings`}>
          <span class="website-action">Settings</span>
        </ButtonLink>
      )}
    </>
  )
}

/** The URL contains the period, the filters and all other choices. */
async function copyLink(): Promise<void> {
  try {
    await copyText(location.href)
    showToast('Link to this view copied.')
  } catch {
    showToast('Copy the URL from the address bar.', { isError: true })
  }
}

export function VisitorsNow({ count }: { count: number | undefined }) {
  return (
    <Tooltip content="Visitors in the last 5 minutes">
      <p class="website-now numbers">
        <span class={count ? 'website-pulse' : 'website-pulse website-pulse-still'} aria-hidden="true" />
        {count === undefined ? '– visitors' : pluralize(count, 'visitor')} now
      </p>
    </Tooltip>
  )
}

/** If the website has more monitors, a link leads to the monitors page. */
const MAX_MONITOR_LINKS = 3

/** Monitors that are down come first. Next come those that check whether the website can be reached. */
const rankMonitor = ({ status, type }: OverviewMonitor) =>
  (status === 'down' ? 0 : 2) + (reachabilityTypes.includes(type) ? 0 : 1)

export function MonitorLinks({ monitors }: { monitors: readonly OverviewMonitor[] }) {
  const sortedMonitors = monitors.toSorted((a, b) => rankMonitor(a) - rankMonitor(b))
  const hiddenCount = monitors.length - MAX_MONITOR_LINKS
  return (
    <ul class="website-monitors" aria-label="Monitors for this website">
      {sortedMonitors.slice(0, MAX_MONITOR_LINKS).map((monitor) => (
        <li key={monitor.id}>
          <MonitorLink monitor={monitor} />
        </li>
      ))}
      {hiddenCount > 0 && (
        <li>
          <Link href="/monitors" class="website-monitor">
            {formatNumber(hiddenCount)} more
          </Link>
        </li>
      )}
    </ul>
  )
}

function MonitorLink({ monitor }: { monitor: OverviewMonitor }) {
  const { id, friendly_name: name, status, uptime_percent, maintenance_until } = monitor
  const content = (
    <>
      <strong>{name}</strong>
      <div class="muted">
        {isWaitingForSignal(monitor) ? NO_SIGNAL_LABEL : describeUptime(monitor, 'in the last 90 days')}
      </div>
    </>
  )
  return (
    <Tooltip content={content}>
      <Link href={`/monitors/${id}`} class={`website-monitor website-monitor-${status}`}>
        <StatusDot monitor={monitor} />
        {maintenance_until && <MaintenanceBadge until={maintenance_until} isCompact />}
        <span class="clip">{name}</span>
        {uptime_percent !== null && (
          <span class="numbers muted">
            <UptimeFigure uptime={monitor} />
          </span>
        )}
      </Link>
    </Tooltip>
  )
}
