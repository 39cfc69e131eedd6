import { ChevronDown, ChevronRight, Star } from 'lucide-preact'
import { EmptySparkline, Sparkline } from '../../charts/sparkline.tsx'
import { Icon } from '../../components/icon.tsx'
import { MaintenanceBadge } from '../../components/maintenance-badge.tsx'
import { OngoingIncident } from '../../components/ongoing-incident.tsx'
import { RowLink } from '../../components/row-link.tsx'
import { SampleBadge } from '../../components/sample-data.tsx'
import { SiteIcon } from '../../components/site-icon.tsx'
import { StatusDot } from '../../components/status.tsx'
import { TagList } from '../../components/tag-list.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { formatCompactNumber, formatNumber, pluralize } from '../../lib/format.ts'
import { isGenerating } from '../../lib/overview.ts'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'
import { can } from '../../lib/team.ts'
import { hasVisitorTrend } from '../../lib/trends.ts'
import { listRowTags, type WebsiteRowData } from './rows.ts'
import { toggleFavorite } from './toggle-favorite.ts'
import { NoMonitor, UptimeCells } from './uptime-cells.tsx'
import './row-name.css'

interface WebsiteRowProps {
  row: WebsiteRowData
  dayCount: number
  onToggleGroup: (websiteId: number) => void
  onTag: (tag: string) => void
}

export function WebsiteRowView({ row, dayCount, onToggleGroup, onTag }: WebsiteRowProps) {
  const { website, monitor, otherMonitors, isCollapsed } = row
  const { domain } = website
  const tags = listRowTags(row)
  return (
    <div class="overview-row overview-website" data-chart-row="">
      {otherMonitors.length > 0 && (
        <button
          type="button"
          class="overview-toggle"
          aria-expanded={!isCollapsed}
          aria-label={`Other monitors of ${toDisplayHost(domain)}`}
          onClick={() => onToggleGroup(website.id)}
        >
          <Icon icon={isCollapsed ? ChevronRight : ChevronDown} size={14} />
        </button>
      )}
      <div class="overview-name">
        {monitor ? <StatusDot monitor={monitor} /> : <span class="overview-no-status" aria-hidden="true" />}
        <SiteIcon website={website} />
        <RowLink href={`/${domain}`} class="overview-main clip" data-row-focus="">
          {toDisplayHost(domain)}
        </RowLink>
        {website.is_sample && <SampleBadge />}
        {isCollapsed && <HiddenMonitors monitors={otherMonitors} />}
        <span class="tags-row">
          <TagList tags={tags} max={2} onFilter={onTag}>
            {monitor?.maintenance_until && (
              <MaintenanceBadge until={monitor.maintenance_until} isCompact={tags.length > 0} />
            )}
          </TagList>
        </span>
      </div>
      {website.has_traffic ? (
        <Traffic website={website} />
      ) : isGenerating(website) ? (
        <span class="overview-no-traffic muted small">Generating visits…</span>
      ) : (
        <NoTraffic domain={domain} />
      )}
      {monitor ? (
        <UptimeCells monitor={monitor} dayCount={dayCount} isDuplicateLink={false} />
      ) : (
        <NoMonitor domain={domain} />
      )}
      {can('edit shared') && <FavoriteButton website={website} />}
      {monitor?.status === 'down' && <OngoingIncident monitor={monitor} />}
    </div>
  )
}

/** "+9", or "1 down" if one of the hidden monitors is down. */
function HiddenMonitors({ monitors }: { monitors: readonly OverviewMonitor[] }) {
  const downCount = monitors.filter(({ status }) => status === 'down').length
  return downCount > 0 ? (
    <span class="tag overview-tag-down">{formatNumber(downCount)} down</span>
  ) : (
    <span class="tag">
      +{formatNumber(monitors.length)}
      <span class="hidden-text"> {monitors.length === 1 ? 'monitor' : 'monitors'}</span>
    </span>
  )
}

function FavoriteButton({ website }: { website: OverviewWebsite }) {
  return (
    <button
      type="button"
      class="overview-star"
      aria-pressed={website.favorite}
      aria-label={`Favorite: ${toDisplayHost(website.domain)}`}
      onClick={() => void toggleFavorite(website)}
    >
      <Icon icon={Star} size={15} />
    </button>
  )
}

function Traffic({ website: { id, visitors_now, visitors_today, visitors } }: { website: OverviewWebsite }) {
  const total = visitors.reduce((sum, count) => sum + count, 0)
  return (
    <>
      <VisitorCount value={visitors_now} label="now" isLive />
      <VisitorCount value={visitors_today} label="today" />
      <div class="overview-trend">
        {hasVisitorTrend(visitors) ? (
          <Sparkline
            values={visitors}
            label={`Visitors: ${formatNumber(total)} in ${pluralize(visitors.length, 'day')}`}
            kind="visitors"
            id={id}
          />
        ) : (
          <EmptySparkline label="Too few days with visits for a line" />
        )}
      </div>
    </>
  )
}

/** The column heading says what the number is. Only phones, which have no headings, show the label. */
function VisitorCount({ value, label, isLive = false }: { value: number; label: string; isLive?: boolean }) {
  return (
    <span class={`overview-figure overview-${label} numbers`}>
      <span class={value === 0 ? 'muted' : isLive ? 'overview-value-live' : 'overview-value'}>
        {formatCompactNumber(value)}
      </span>
      <span class="hidden-text">{value === 1 ? ' visitor' : ' visitors'}</span>{' '}
      <span class="overview-label muted small">{label}</span>
    </span>
  )
}

function NoTraffic({ domain }: { domain: string }) {
  return (
    <span class="overview-no-traffic muted small">
      No visits yet
      {can('edit shared') && (
        <>
          {' · '}
          <RowLink href={`/${domain}`}>
            Get snippet<span class="hidden-text"> for {toDisplayHost(domain)}</span>
          </RowLink>
        </>
      )}
    </span>
  )
}
