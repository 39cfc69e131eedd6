import { Link } from 'wouter-preact'
import { Sparkline } from '../../charts/sparkline.tsx'
import { StatusDot } from '../../components/status.tsx'
import { formatCompactNumber, formatNumber } from '../../lib/format.ts'
import type { Overview, OverviewWebsite } from '../../lib/queries.ts'
import { toggleFavorite } from './favorite.ts'
import { DownNote } from './monitor-row.tsx'
import type { WebsiteRowData } from './rows.ts'
import { NoMonitor, UptimeCell } from './uptime-cell.tsx'

export function WebsiteRowView({ row: { website, monitor }, days }: { row: WebsiteRowData; days: Overview['days'] }) {
  const { domain } = website
  return (
    <div class="overview-row">
      <FavoriteButton website={website} />
      <div class="overview-name">
        {monitor ? <StatusDot status={monitor.status} /> : <span class="overview-no-status" aria-hidden="true" />}
        <div class="overview-title">
          <Link href={`/${domain}`} class="overview-main clip" data-row-focus="">
            {domain}
          </Link>
          {monitor?.status === 'down' && <DownNote monitor={monitor} />}
        </div>
      </div>
      {website.has_traffic ? <Traffic website={website} /> : <NoTraffic domain={domain} />}
      {monitor ? <UptimeCell monitor={monitor} days={days} isDuplicateLink={false} /> : <NoMonitor domain={domain} />}
    </div>
  )
}

function FavoriteButton({ website }: { website: OverviewWebsite }) {
  return (
    <button
      type="button"
      class="overview-star"
      aria-pressed={website.favorite}
      aria-label={`Favorite: ${website.domain}`}
      title={website.favorite ? 'Remove from favorites' : 'Add to favorites'}
      onClick={() => void toggleFavorite(website)}
    >
      <span aria-hidden="true">{website.favorite ? '★' : '☆'}</span>
    </button>
  )
}

function Traffic({ website: { visitors_now, visitors_today, visitors } }: { website: OverviewWebsite }) {
  return (
    <div class="overview-traffic">
      <VisitorCount value={visitors_now} label="now" isLive />
      <VisitorCount value={visitors_today} label="today" />
      <Sparkline values={visitors} label="Visitors" />
    </div>
  )
}

function VisitorCount({ value, label, isLive = false }: { value: number; label: string; isLive?: boolean }) {
  return (
    <span class="overview-figure numbers">
      <span
        class={value === 0 ? 'muted' : isLive ? 'overview-value-live' : 'overview-value'}
        title={formatNumber(value)}
      >
        {formatCompactNumber(value)}
      </span>
      <span class="hidden-text">{value === 1 ? ' visitor' : ' visitors'}</span> <span class="muted small">{label}</span>
    </span>
  )
}

function NoTraffic({ domain }: { domain: string }) {
  return (
    <div class="overview-traffic muted small">
      <span class="overview-note">
        No visits yet ·{' '}
        <Link href={`/${domain}`}>
          Get snippet<span class="hidden-text"> for {domain}</span>
        </Link>
      </span>
    </div>
  )
}
