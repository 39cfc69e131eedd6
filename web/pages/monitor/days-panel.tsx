import { useState } from 'preact/hooks'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { UPTIME_DAYS } from '../../../src/shared/monitors.ts'
import { describeUptimePoint } from '../../charts/describe-point.ts'
import { encodeDays } from '../../charts/encode-days.ts'
import { ChartTooltips } from '../../charts/tooltips.tsx'
import { type MonitorWithDays, UptimeBars } from '../../charts/uptime-bars.tsx'
import { getDayAt } from '../../charts/uptime-day.ts'
import { Panel } from '../../components/page.tsx'
import { Skeleton } from '../../components/states.tsx'
import { formatDay } from '../../lib/format.ts'
import { describeUptime } from '../../lib/uptime-text.ts'
import { describeMissedVisitsOfDay } from './describe-missed-visits-of-day.ts'
import { getUptimeWords } from './get-uptime-words.ts'
import { type Uptime, useIncidents } from './queries.ts'

interface DaysPanelProps {
  monitor: MonitorRecord
  /** Undefined while loading. */
  uptime: Uptime | undefined
}

export function DaysPanel({ monitor, uptime }: DaysPanelProps) {
  const period = uptime?.periods.find(({ period }) => period === '90d')
  return (
    <Panel
      title={`Last ${UPTIME_DAYS} days`}
      actions={
        period !== undefined &&
        period.uptime_percent !== null && (
          <span class="muted numbers">{describeUptime(period, '', getUptimeWords(monitor.type).share)}</span>
        )
      }
    >
      <div class="monitor-days">
        {uptime === undefined || period === undefined ? (
          <Skeleton height="3rem" />
        ) : (
          <Days
            firstDay={uptime.days[0]?.date ?? ''}
            monitor={{ ...monitor, ...period, days: encodeDays(uptime.days) }}
          />
        )}
        <div class="monitor-days-ends small muted">
          <span>{uptime?.days[0] ? formatDay(uptime.days[0].date) : '\u00a0'}</span>
          <span>Today</span>
        </div>
      </div>
    </Panel>
  )
}

/** Fetches the incidents only when the user explores the bars. */
function Days({ firstDay, monitor }: { firstDay: string; monitor: MonitorWithDays }) {
  const [isExplored, setExplored] = useState(false)
  const { data, hasNextPage } = useIncidents(monitor.id, '6mo', isExplored)
  const incidents = data?.pages.flatMap((page) => page.data) ?? []
  function describe(point: number) {
    const day = getDayAt(firstDay, point)
    // If not all pages of incidents are loaded, some incidents of this day may be missing.
    const oldestAt = Date.parse(incidents.at(-1)?.started_at ?? '')
    const isListed = !hasNextPage || oldestAt < Date.parse(`${day}T00:00`)
    const detail = isListed ? describeMissedVisitsOfDay(incidents, day) : undefined
    return { ...describeUptimePoint(monitor, { from: firstDay }, UPTIME_DAYS, point), detail }
  }
  return (
    <div onPointerEnter={() => setExplored(true)} onFocusIn={() => setExplored(true)}>
      <ChartTooltips describe={(_chart, _id, point) => describe(point)}>
        <UptimeBars monitor={monitor} isFocusable />
      </ChartTooltips>
    </div>
  )
}
