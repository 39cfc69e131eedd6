import { Link } from 'wouter-preact'
import { Sparkline } from '../../charts/sparkline.tsx'
import { StatusDot } from '../../components/status.tsx'
import { formatNumber, formatShort } from '../../lib/format.ts'
import type { Overview, OverviewWebsite } from '../../lib/queries.ts'
import { toggleFavorite } from './favorite.ts'
import { Trouble } from './monitor-line.tsx'
import type { WebsiteRow } from './rows.ts'
import { Unwatched, UptimePart } from './uptime-part.tsx'

export function WebsiteLine({ row: { website, monitor }, days }: { row: WebsiteRow; days: Overview['days'] }) {
  const { domain } = website
  return (
    <div class="overview-row">
      <FavoriteButton website={website} />
      <div class="overview-name">
        {monitor ? <StatusDot status={monitor.status} /> : <span class="overview-nothing" aria-hidden="true" />}
        <div class="overview-title">
          <Link href={`/${domain}`} class="overview-main clip" data-row-focus="">
            {domain}
          </Link>
          {monitor?.status === 'down' && <Trouble monitor={monitor} />}
        </div>
      </div>
      {website.has_traffic ? <Traffic website={website} /> : <NoTraffic domain={domain} />}
      {monitor ? <UptimePart monitor={monitor} days={days} isRepeated={false} /> : <Unwatched domain={domain} />}
    </div>
  )
}

function FavoriteButton({ website }: { website: OverviewWebsite }) {
  return (
    <button
      type="button"
      class="overview-star"
      aria-pressed={website.favorite}
      aria-label={`Favourite: ${website.domain}`}
      title={website.favorite ? 'No longer a favourite' : 'Make it a favourite'}
      onClick={() => void toggleFavorite(website)}
    >
      <span aria-hidden="true">{website.favorite ? '★' : '☆'}</span>
    </button>
  )
}

function Traffic({ website: { visitors_now, visitors_today, visitors } }: { website: OverviewWebsite }) {
  return (
    <div class="overview-traffic">
      <Figure value={visitors_now} word="now" isLively />
      <Figure value={visitors_today} word="today" />
      <Sparkline values={visitors} label="Visitors" />
    </div>
  )
}

function Figure({ value, word, isLively = false }: { value: number; word: string; isLively?: boolean }) {
  return (
    <span class="overview-figure numbers">
      <span class={value === 0 ? 'muted' : isLively ? 'overview-lively' : 'overview-some'} title={formatNumber(value)}>
        {formatShort(value)}
      </span>
      <span class="hidden-text">{value === 1 ? ' visitor' : ' visitors'}</span> <span class="muted small">{word}</span>
    </span>
  )
}

function NoTraffic({ domain }: { domain: string }) {
  return (
    <div class="overview-traffic muted small">
      <span class="overview-note">
        No visits yet ·{' '}
        <Link href={`/${domain}`}>
          Get the snippet<span class="hidden-text"> for {domain}</span>
        </Link>
      </span>
    </div>
  )
}
