/** What happened to a monitor within a window, and how much of it that took. */
import { notFound } from '../lib/problem.ts'
import type { Tenant } from '../storage/tenant.ts'
import { readIncidents, type Summary } from './store.ts'
import type { Window } from './window.ts'

/** At one moment, so that the page, its count and its sums agree. */
export async function listIncidents(
  tenant: Tenant,
  monitorId: number,
  window: Window,
  page: { limit: number; offset: number },
): Promise<{ json: string; summary: Summary }> {
  const found = await tenant.snapshot((q) => readIncidents(q, monitorId, window, page))
  if (found === undefined) throw notFound()
  return found
}

/** To three decimals; null when it was never watched. */
export function uptimeOf({
  watchedSeconds,
  watchedDowntimeSeconds,
}: Pick<Summary, 'watchedSeconds' | 'watchedDowntimeSeconds'>): number | null {
  if (watchedSeconds === 0) return null
  return Math.round((1 - watchedDowntimeSeconds / watchedSeconds) * 100_000) / 1_000
}
