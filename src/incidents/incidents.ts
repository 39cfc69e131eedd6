/** A monitor's incidents in a time window. */
import { notFound } from '../lib/problem.ts'
import type { Tenant } from '../storage/tenant.ts'
import { type ListedIncidents, readIncidents } from './store.ts'
import type { TimeWindow } from './window.ts'

/** Reads from one snapshot, so that the listed incidents, their total number and the history agree. */
export async function listIncidents(
  tenant: Tenant,
  monitorId: number,
  window: TimeWindow,
  page: { limit: number; offset: number },
): Promise<ListedIncidents> {
  const incidents = await tenant.snapshot((q) => readIncidents(q, monitorId, window, page))
  if (incidents === undefined) throw notFound()
  return incidents
}
