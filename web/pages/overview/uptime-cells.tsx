import { UptimeBars } from '../../charts/uptime-bars.tsx'
import { RowLink } from '../../components/row-link.tsx'
import { UptimeFigure } from '../../components/uptime-figure.tsx'
import { buildNewMonitorPathForDomain, toDisplayHost } from '../../lib/address.ts'
import { formatMs } from '../../lib/format.ts'
import { getResponseMs, responseTimeLabel } from '../../lib/monitor-types.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { can } from '../../lib/team.ts'

interface UptimeCellsProps {
  monitor: OverviewMonitor
  dayCount: number
  /** Whether the row's main link leads to the same page. The Tab key then skips the link of this cell. */
  isDuplicateLink: boolean
}

export function UptimeCells({ monitor, dayCount, isDuplicateLink }: UptimeCellsProps) {
  const { id, friendly_name, type } = monitor
  const responseMs = getResponseMs(monitor)
  return (
    <>
      <RowLink href={`/monitors/${id}`} class="overview-bars" tabIndex={isDuplicateLink ? -1 : undefined}>
        <UptimeBars monitor={monitor} dayCount={dayCount} label={friendly_name} />
      </RowLink>
      <span class="overview-percent numbers" aria-hidden="true">
        <UptimeFigure uptime={monitor} />
      </span>
      <span class="overview-response numbers muted">
        {responseMs !== null && (
          <>
            <span class="hidden-text">{responseTimeLabel(type)} </span>
            {formatMs(responseMs)}
          </>
        )}
      </span>
    </>
  )
}

/** Guests see no monitors, so they don't learn whether there are any. */
export function NoMonitor({ domain }: { domain: string }) {
  if (!can('browse')) return null
  return (
    <span class="overview-no-monitor muted small">
      Not monitored
      {can('edit') && (
        <>
          {' · '}
          <RowLink href={buildNewMonitorPathForDomain(domain)}>
            Add monitor<span class="hidden-text"> for {toDisplayHost(domain)}</span>
          </RowLink>
        </>
      )}
    </span>
  )
}
