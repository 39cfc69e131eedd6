/** A monitor's incidents in a time window, and its uptime. */
import { notFound } from '../lib/problem.ts'
import type { Tenant } from '../storage/tenant.ts'
import { type IncidentSummary, readIncidents } from './store.ts'
import type { TimeWindow } from './window.ts'

/** Reads from one snapshot, so that the listed incidents, their total number and the downtime agree. */
export async function listIncidents(
  tenant: Tenant,
  monitorId: number,
  window: TimeWindow,
  page: { limit: number; offset: number },
): Promise<{ json: string; summary: IncidentSummary }> {
  const incidents = await tenant.snapshot((q) => readIncidents(q, monitorId, window, page))
  if (incidents === undefined) throw notFound()
  return incidents
}

/** Returns a percentage with three decimals, or null if the monitor was never monitored in the time window. */
export function computeUptimePercent({
  monitoredSeconds,
  monitoredDowntimeSeconds,
}: Pick<IncidentSummary, 'monitoredSeconds' | 'monitoredDowntimeSeconds'>): number | null {
  if (monitoredSeconds === 0) return null
  return Math.round((1 - monitoredDowntimeSeconds / monitoredSeconds) * 100_000) / 1_000
}
