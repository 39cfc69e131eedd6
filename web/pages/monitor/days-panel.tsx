import { UPTIME_DAYS } from '../../../src/shared/monitors.ts'
import { toUptimeDays, UptimeBars } from '../../charts/uptime-bars.tsx'
import { Panel } from '../../components/page.tsx'
import { Skeleton } from '../../components/states.tsx'
import { formatDay, formatUptimePercent } from '../../lib/format.ts'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'

interface DaysPanelProps {
  /** Undefined while loading. */
  summary: { days: Overview['days']; monitor: OverviewMonitor } | undefined
}

export function DaysPanel({ summary }: DaysPanelProps) {
  const uptime = summary?.monitor.uptime_percent ?? null
  return (
    <Panel
      title={`Last ${UPTIME_DAYS} days`}
      actions={
        uptime !== null && (
          <span class="muted numbers">{formatUptimePercent(uptime, summary?.monitor.down.length !== 0)} uptime</span>
        )
      }
    >
      <div class="monitor-days">
        {summary === undefined ? (
          <Skeleton height="3rem" />
        ) : (
          <UptimeBars uptimeDays={toUptimeDays(summary.days, summary.monitor)} />
        )}
        <div class="monitor-days-ends small muted">
          <span>{summary ? formatDay(summary.days.from) : '\u00a0'}</span>
          <span>Today</span>
        </div>
      </div>
    </Panel>
  )
}
