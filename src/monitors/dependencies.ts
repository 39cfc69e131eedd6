/** A monitor can depend on another one of the same user. Dependencies must not form a cycle. */
import { invalid } from '../lib/problem.ts'
import type { Queries } from '../storage/client.ts'
import { lockCallerRow } from '../storage/statements.ts'
import { listDependencyIds } from './dependency-store.ts'

/**
 * Call this in a transaction. It locks the caller's row, because two changes at the same time could form a cycle that neither of them
 * would see. `monitorId` is null for a new monitor, which nothing can depend on yet.
 */
export async function requireValidDependency(
  q: Queries,
  monitorId: number | null,
  dependsOn: number | null,
): Promise<void> {
  if (dependsOn === null) return
  if (dependsOn === monitorId) throw invalid({ depends_on: ['`depends_on` must be another monitor.'] })
  await lockCallerRow(q)
  const ids = await listDependencyIds(q, dependsOn)
  if (ids.length === 0) throw invalid({ depends_on: ['`depends_on` is not one of your monitors.'] })
  if (monitorId !== null && ids.includes(monitorId)) {
    throw invalid({ depends_on: ['`depends_on` must not be a monitor that depends on this one.'] })
  }
}
