import { useState } from 'preact/hooks'
import { UPTIME_DAYS } from '../../../src/shared/monitors.ts'
import { describeUptimePoint } from '../../charts/describe-point.ts'
import { ChartTooltips } from '../../charts/tooltips.tsx'
import { UptimeBars } from '../../charts/uptime-bars.tsx'
import { getDayAt } from '../../charts/uptime-day.ts'
import { Panel } from '../../components/page.tsx'
import { Skeleton } from '../../components/states.tsx'
import { formatDay, formatUptimePercent } from '../../lib/format.ts'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'
import { describeMissedVisitsOfDay } from './describe-missed-visits-of-day.ts'
import { getUptimeWords } from './get-uptime-words.ts'
import { useIncidents } from './queries.ts'

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
        summary !== undefined &&
        uptime !== null && (
          <span class="muted numbers">{getUptimeWords(summary.monitor.type).share(formatUptimePercent(uptime))}</span>
        )
      }
    >
      <div class="monitor-days">
        {summary === undefined ? <Skeleton height="3rem" /> : <Days {...summary} />}
        <div class="monitor-days-ends small muted">
          <span>{summary ? formatDay(summary.days.from) : '\u00a0'}</span>
          <span>Today</span>
        </div>
      </div>
    </Panel>
  )
}

/** Fetches the incidents only when the user explores the bars. */
function Days({ days, monitor }: NonNullable<DaysPanelProps['summary']>) {
  const [isExplored, setExplored] = useState(false)
  const { data, hasNextPage } = useIncidents(monitor.id, '6mo', isExplored)
  const incidents = data?.pages.flatMap((page) => page.data) ?? []
  function describe(point: number) {
    const day = getDayAt(days.from, point)
    // If not all pages of incidents are loaded, some incidents of this day may be missing.
    const oldestAt = Date.parse(incidents.at(-1)?.started_at ?? '')
    const isListed = !hasNextPage || oldestAt < Date.parse(`${day}T00:00`)
    const detail = isListed ? describeMissedVisitsOfDay(incidents, day) : undefined
    return { ...describeUptimePoint(monitor, days, UPTIME_DAYS, point), detail }
  }
  return (
    <div onPointerEnter={() => setExplored(true)} onFocusIn={() => setExplored(true)}>
      <ChartTooltips describe={(_chart, _id, point) => describe(point)}>
        <UptimeBars monitor={monitor} isFocusable />
      </ChartTooltips>
    </div>
  )
}
