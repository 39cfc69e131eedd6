import { ResponseLine } from '../../charts/response-line.tsx'
import { UptimeBars } from '../../charts/uptime-bars.tsx'
import { Icon } from '../../components/icon.tsx'
import { MaintenanceBadge } from '../../components/maintenance-badge.tsx'
import { OngoingIncident } from '../../components/ongoing-incident.tsx'
import { RowLink } from '../../components/row-link.tsx'
import { StatusDot } from '../../components/status.tsx'
import { TagList } from '../../components/tag-list.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { UptimeFigure } from '../../components/uptime-figure.tsx'
import { formatDurationSeconds, formatMs } from '../../lib/format.ts'
import { getStatusLabel, NO_SIGNAL_LABEL } from '../../lib/monitor-status.ts'
import {
  describeTarget,
  getResponseMs,
  hasResponseTimes,
  isProbed,
  monitorTypeInfo,
  responseTimeLabel,
} from '../../lib/monitor-types.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { can } from '../../lib/team.ts'

interface MonitorListRowProps {
  monitor: OverviewMonitor
  dayCount: number
  isSelected: boolean
  onToggle: (isSelected: boolean, isRange: boolean) => void
  onTag: (tag: string) => void
}

export function MonitorListRow({ monitor, dayCount, isSelected, onToggle, onTag }: MonitorListRowProps) {
  const { id, friendly_name, type, status, tags, maintenance_until } = monitor
  return (
    <div class={`monitors-row monitors-row-${status}`} data-chart-row="">
      {can('edit') && (
        <input
          type="checkbox"
          aria-label={`Select ${friendly_name}`}
          checked={isSelected}
          onClick={(event) => onToggle(event.currentTarget.checked, event.shiftKey)}
        />
      )}
      <div class="monitors-name">
        <StatusDot monitor={monitor} isDecoration />
        <span class="hidden-text">{getStatusLabel(monitor)} </span>
        <div class="monitors-title">
          <RowLink href={`/monitors/${id}`} class="clip" data-row-focus>
            {friendly_name}
          </RowLink>
          <span class="monitors-url muted">
            <Icon icon={monitorTypeInfo[type].icon} size={12} />
            <span class="hidden-text">{monitorTypeInfo[type].label}: </span>
            <span class="clip">{describeTarget(monitor)}</span>
          </span>
        </div>
        <span class="monitors-tags tags-row">
          <TagList tags={tags} max={maintenance_until ? 1 : 2} onFilter={onTag}>
            {maintenance_until && <MaintenanceBadge until={maintenance_until} />}
          </TagList>
        </span>
      </div>
      <div class="monitors-trend">{hasResponseTimes(type) && <ResponseLine monitor={monitor} />}</div>
      <span class="numbers monitors-response">
        <span class="hidden-text">{responseTimeLabel(type)} </span>
        {formatMs(getResponseMs(monitor))}
      </span>
      {/* This link is only for the mouse. Keyboard and screen reader users have the name's link and the uptime figure. */}
      <RowLink href={`/monitors/${id}`} class="monitors-bars" tabIndex={-1} aria-hidden="true">
        <UptimeBars monitor={monitor} dayCount={dayCount} />
      </RowLink>
      <span class="numbers monitors-uptime">
        <span class="hidden-text">Uptime </span>
        <UptimeFigure uptime={monitor} />
      </span>
      <span class="small muted monitors-checked">
        <LastCheck monitor={monitor} />
        {isProbed(type) && !monitor.is_sample && (
          <span class="monitors-interval">every {formatDurationSeconds(monitor.interval)}</span>
        )}
      </span>
      {status === 'down' && <OngoingIncident monitor={monitor} />}
    </div>
  )
}

/** A traffic monitor is checked only once a day, and when visits stop or return, so the time of its last check would look old. */
function LastCheck({ monitor: { type, last_checked_at, is_sample } }: Pick<MonitorListRowProps, 'monitor'>) {
  if (type === 'traffic' || is_sample) return <>–</>
  if (last_checked_at !== null) return <RelativeTime at={last_checked_at} />
  return <>{type === 'heartbeat' ? NO_SIGNAL_LABEL : 'Not checked yet'}</>
}
