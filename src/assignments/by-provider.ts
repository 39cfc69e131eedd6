/** Many monitors assigned to one provider: all of them, or none. */
import type { Clock } from '../lib/clock.ts'
import { invalid, notFound } from '../lib/problem.ts'
import type { Queries } from '../storage/client.ts'
import { assignMonitors, lockExistingMonitors, lockProvider } from './by-provider-store.ts'

interface Wish {
  userId: number
  providerId: number
  monitorIds: readonly number[]
  enabled: boolean
}

/** Needs a transaction. */
export async function assignMonitorsToProvider(
  q: Queries,
  { userId, providerId, monitorIds, enabled }: Wish,
  clock: Clock,
): Promise<{ assigned: number; updated: number }> {
  // The provider first, as whoever makes a monitor does.
  if (!(await lockProvider(q, providerId))) throw notFound()
  const wanted = [...new Set(monitorIds)]
  const found = new Set(await lockExistingMonitors(q, wanted))
  const missing = wanted.filter((id) => !found.has(id))
  if (missing.length > 0) {
    throw invalid({ monitor_ids: [`\`monitor_ids\` names monitors that aren't yours: ${missing.join(', ')}.`] })
  }
  const now = clock.now()
  const assigned = await assignMonitors(q, { userId, providerId, monitorIds: wanted, enabled, now })
  return { assigned, updated: wanted.length - assigned }
}
