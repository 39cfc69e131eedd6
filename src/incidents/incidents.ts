/** What happened to a monitor within a window, and how much of it that took. */
import { notFound } from '../lib/problem.ts'
import type { Tenant } from '../storage/tenant.ts'
import { type IncidentSummary, readIncidents } from './store.ts'
import type { TimeWindow } from './window.ts'

/** At one moment, so that the page, its count and its sums agree. */
export async function listIncidents(
  tenant: Tenant,
  monitorId: number,
  window: TimeWindow,
  page: { limit: number; offset: number },
): Promise<{ json: string; summary: IncidentSummary }> {
  const found = await tenant.snapshot((q) => readIncidents(q, monitorId, window, page))
  if (found === undefined) throw notFound()
  return found
}

/** To three decimals; null when it was never watched. */
export function uptimePercent({
  watchedSeconds,
  watchedDowntimeSeconds,
}: Pick<IncidentSummary, 'watchedSeconds' | 'watchedDowntimeSeconds'>): number | null {
  if (watchedSeconds === 0) return null
  return Math.round((1 - watchedDowntimeSeconds / watchedSeconds) * 100_000) / 1_000
}
