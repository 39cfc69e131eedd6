import { toUptimeDays, UptimeBars } from '../../charts/uptime-bars.tsx'
import { Panel } from '../../components/page.tsx'
import { Skeleton } from '../../components/states.tsx'
import { formatDay, formatUptime } from '../../lib/format.ts'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'

interface DaysPanelProps {
  /** Not there while it is loading. */
  seen: { days: Overview['days']; monitor: OverviewMonitor } | undefined
}

export function DaysPanel({ seen }: DaysPanelProps) {
  const uptime = seen?.monitor.uptime_percent ?? null
  return (
    <Panel
      title="The last 90 days"
      actions={
        uptime !== null && <span class="muted numbers">{formatUptime(uptime, seen?.monitor.down.length !== 0)} up</span>
      }
    >
      <div class="monitor-days">
        {seen === undefined ? <Skeleton height="3rem" /> : <UptimeBars bars={toUptimeDays(seen.days, seen.monitor)} />}
        <div class="monitor-days-ends small muted">
          <span>{seen ? formatDay(seen.days.from) : '\u00a0'}</span>
          <span>Today</span>
        </div>
      </div>
    </Panel>
  )
}
