import { ResponseLine } from '../../charts/response-line.tsx'
import { Icon } from '../../components/icon.tsx'
import { MaintenanceBadge } from '../../components/maintenance-badge.tsx'
import { OngoingIncident } from '../../components/ongoing-incident.tsx'
import { RowLink } from '../../components/row-link.tsx'
import { StatusDot } from '../../components/status.tsx'
import { TagList } from '../../components/tag-list.tsx'
import { describeTarget, hasResponseTimes, monitorTypeInfo } from '../../lib/monitor-types.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'

import type { MonitorRowData } from './rows.ts'
import { UptimeCells } from './uptime-cells.tsx'
import './row-name.css'

interface MonitorRowProps {
  row: MonitorRowData
  dayCount: number
  onTag: (tag: string) => void
}

export function MonitorRowView({ row: { monitor, isIndented }, dayCount, onTag }: MonitorRowProps) {
  return (
    <div class={`overview-row overview-monitor${isIndented ? ' overview-indented' : ''}`} data-chart-row="">
      <div class="overview-name">
        <StatusDot monitor={monitor} />
        <div class="overview-title">
          <RowLink href={`/monitors/${monitor.id}`} class="overview-main clip" data-row-focus="">
            {monitor.friendly_name}
          </RowLink>
          <span class="overview-url muted">
            <Icon icon={monitorTypeInfo[monitor.type].icon} size={12} />
            <span class="hidden-text">{monitorTypeInfo[monitor.type].label}: </span>
            <span class="clip">{shortenTarget(monitor)}</span>
          </span>
        </div>
        <span class="tags-row">
          <TagList tags={monitor.tags} max={2} onFilter={onTag}>
            {monitor.maintenance_until && (
              <MaintenanceBadge until={monitor.maintenance_until} isCompact={monitor.tags.length > 0} />
            )}
          </TagList>
        </span>
      </div>
      <div class="overview-trend">{hasResponseTimes(monitor.type) && <ResponseLine monitor={monitor} />}</div>
      <UptimeCells monitor={monitor} dayCount={dayCount} isDuplicateLink />
      {monitor.status === 'down' && <OngoingIncident monitor={monitor} />}
    </div>
  )
}

/** Drops the scheme and a trailing slash to save space. */
const shortenTarget = (monitor: OverviewMonitor) =>
  describeTarget(monitor)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
