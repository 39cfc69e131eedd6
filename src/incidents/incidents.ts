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

/** Returns a percentage with three decimals, or null if the monitor was never watched in the time window. */
export function computeUptimePercent({
  watchedSeconds,
  watchedDowntimeSeconds,
}: Pick<IncidentSummary, 'watchedSeconds' | 'watchedDowntimeSeconds'>): number | null {
  if (watchedSeconds === 0) return null
  return Math.round((1 - watchedDowntimeSeconds / watchedSeconds) * 100_000) / 1_000
}
