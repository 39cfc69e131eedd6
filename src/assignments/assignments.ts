/** Assigns a provider to many monitors. If one of them does not exist, nothing changes. */
import type { Clock } from '../lib/clock.ts'
import { invalid, notFound } from '../lib/problem.ts'
import type { Queries } from '../storage/client.ts'
import { lockExistingMonitors, lockProvider, upsertAssignments } from './store.ts'

interface AssignMonitorsInput {
  userId: number
  providerId: number
  monitorIds: readonly number[]
  enabled: boolean
  /** undefined keeps the delay of assignments that exist, and is 0 for new ones. */
  delayMinutes: number | undefined
}

/** Call this in a transaction. */
export async function assignMonitors(
  q: Queries,
  { monitorIds, ...assignment }: AssignMonitorsInput,
  clock: Clock,
): Promise<{ assigned: number; updated: number }> {
  // Lock the provider first, like `createMonitor`. A different order could cause a deadlock.
  if (!(await lockProvider(q, assignment.providerId))) throw notFound()
  const uniqueIds = [...new Set(monitorIds)]
  const existingIds = new Set(await lockExistingMonitors(q, uniqueIds))
  const unknownIds = uniqueIds.filter((id) => !existingIds.has(id))
  if (unknownIds.length > 0) {
    throw invalid({ monitor_ids: [`\`monitor_ids\` names monitors that aren't yours: ${unknownIds.join(', ')}.`] })
  }
  const now = clock.now()
  const assignedCount = await upsertAssignments(q, { ...assignment, monitorIds: uniqueIds, now })
  return { assigned: assignedCount, updated: uniqueIds.length - assignedCount }
}
