import { UPTIME_DAYS } from '../../../src/shared/monitors.ts'
import { ChartTooltips } from '../../charts/chart-tooltips.tsx'
import { describeUptimePoint } from '../../charts/describe-point.ts'
import { UptimeBars } from '../../charts/uptime-bars.tsx'
import { Panel } from '../../components/page.tsx'
import { Skeleton } from '../../components/states.tsx'
import { formatDay, formatUptimePercent } from '../../lib/format.ts'
import { hadDowntime } from '../../lib/overview.ts'
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
          <span class="muted numbers">
            {formatUptimePercent(uptime, summary !== undefined && hadDowntime(summary.monitor))} uptime
          </span>
        )
      }
    >
      <div class="monitor-days">
        {summary === undefined ? (
          <Skeleton height="3rem" />
        ) : (
          <ChartTooltips
            describe={(_chart, _id, point) => describeUptimePoint(summary.monitor, summary.days, UPTIME_DAYS, point)}
          >
            <UptimeBars monitor={summary.monitor} isFocusable />
          </ChartTooltips>
        )}
        <div class="monitor-days-ends small muted">
          <span>{summary ? formatDay(summary.days.from) : '\u00a0'}</span>
          <span>Today</span>
        </div>
      </div>
    </Panel>
  )
}
