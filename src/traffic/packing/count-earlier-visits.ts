/**
 * Counts visits by host and period of 5 minutes, on days that Belfry 0.2.0 packed without these counts. So the impact
 * of incidents and traffic alerts can use the history from before the upgrade. Version 0.4.0 removes this file and its
 * job.
 */

import type { Database } from '../../storage/database.ts'
import type { Queries } from '../../storage/transaction.ts'
import { type CountMap, packVisitSlots } from './packed-counts.ts'
import { countVisitSlots, findUncountedDays, lockVisitCounting, type UncountedDay, writeCountedDays } from './store.ts'

const DAYS_PER_TRANSACTION = 50
/** Counting this many visits takes about 100 ms. A busier day is counted alone. */
const MAX_VISITS_PER_TRANSACTION = 200_000
/** A run ends after this time, and the next run continues. In between, the database has time for other work. */
const MAX_RUN_MS = 2_000

export async function countEarlierVisits({ db }: { db: Database }, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + MAX_RUN_MS
  let hasMore = true
  while (hasMore && !signal?.aborted && performance.now() < deadline) hasMore = await db.transaction(countSomeDays)
}

/** Returns whether there may be more days. A day whose visits were deleted gets no counts, and isn't tried again. */
async function countSomeDays(q: Queries): Promise<boolean> {
  if (!(await lockVisitCounting(q))) return false
  const days = takeDays(await findUncountedDays(q, DAYS_PER_TRANSACTION))
  if (days.length === 0) return false
  const countsByDay = await countVisitSlots(q, days)
  const countedDays = days.map((day, index) => ({
    ...day,
    packedSlots: packVisitSlots(countsByDay[index] as CountMap),
  }))
  await writeCountedDays(q, countedDays)
  return true
}

function takeDays(days: readonly UncountedDay[]): readonly UncountedDay[] {
  let visitCount = 0
  const end = days.findIndex(({ visits }) => {
    visitCount += visits
    return visitCount > MAX_VISITS_PER_TRANSACTION
  })
  return end === -1 ? days : days.slice(0, Math.max(1, end))
}
