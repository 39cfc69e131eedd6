/** The uptime of one monitor in all periods that its page shows, at one moment. */
import { getWindowEndingAt } from '../incidents/window.ts'
import { notFound } from '../lib/problem.ts'
import { UPTIME_DAYS } from '../shared/monitors.ts'
import { SECOND_MS } from '../shared/time.ts'
import type { Tenant } from '../storage/tenant.ts'
import { readMonitorHistory } from '../uptime/store.ts'
import { computeUptime, countIncidents } from '../uptime/uptime.ts'
import { listLastDays, listUptimeDays } from '../uptime/uptime-bars.ts'
import { type UptimeRecord, uptimePeriodNames } from './uptime-schema.ts'

export async function readMonitorUptime(
  tenant: Tenant,
  monitorId: number,
  { zone, now }: { zone: string; now: Date },
): Promise<UptimeRecord> {
  const to = now.getTime()
  const localDays = listLastDays(UPTIME_DAYS, zone, to)
  const periods = uptimePeriodNames.map((period) => ({
    period,
    from: period === '90d' ? (localDays.bounds[0] as number) : getWindowEndingAt(period, now).from.getTime(),
  }))
  const since = new Date(Math.min(...periods.map(({ from }) => from)))
  const history = await tenant.snapshot((q) => readMonitorHistory(q, monitorId, since))
  if (history === undefined) throw notFound()
  return {
    to: now.toISOString(),
    time_zone: zone,
    periods: periods.map(({ period, from }) => {
      const uptime = computeUptime(history, { from, to })
      return {
        period,
        from: formatTime(from),
        uptime_percent: uptime.percent,
        monitored_since: uptime.monitoredSince === null ? null : formatTime(uptime.monitoredSince),
        monitored_seconds: Math.floor(uptime.monitoredMs / SECOND_MS),
        downtime_seconds: Math.floor(uptime.downMs / SECOND_MS),
        incidents: countIncidents(history, { from, to }),
      }
    }),
    days: listUptimeDays(history, localDays, to),
  }
}

const formatTime = (at: number) => new Date(at).toISOString()
