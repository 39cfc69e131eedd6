/** Shares rate limit counts between nodes about once a second, with one statement, or none if nothing was counted. */
import type { Clock } from '../lib/clock.ts'
import type { WindowCount, WindowCounter } from '../lib/window-counter.ts'
import type { Database } from './database.ts'

/** The longest window of any rate limit, plus an hour. Older rows have no effect. */
const COUNT_LIFETIME_SECONDS = 86_400 + 3_600

async function addCounts(db: Database, counts: readonly WindowCount[]): Promise<WindowCount[]> {
  const rows = await db.query(
    `insert into rate_counts as r (name, window_start, count)
     select name, window_start, count
       from unnest($1::text[], $2::bigint[], $3::integer[]) as counted (name, window_start, count)
      order by name, window_start
     on conflict (name, window_start) do update set count = r.count + excluded.count
     returning name, window_start, count`,
    [counts.map((c) => c.name), counts.map((c) => c.windowStart), counts.map((c) => c.count)],
  )
  return rows.map((row) => ({ name: row['name'], windowStart: row['window_start'], count: row['count'] }))
}

/**
 * The latest run of `syncRateCounts` for each counter. The next run waits for it. Otherwise a run could end while
 * counts of an earlier run are still on their way to the database.
 */
const latestSyncs = new WeakMap<WindowCounter, Promise<void>>()

/** Adds this node's counts to the shared ones and reads the totals. If this fails, each node continues with only its own counts. */
export function syncRateCounts(db: Database, counter: WindowCounter): Promise<void> {
  const previousSync = latestSyncs.get(counter) ?? Promise.resolve()
  const sync = previousSync
    .catch(() => {})
    .then(async () => {
      const counts = counter.drain()
      if (counts.length > 0) counter.replaceTotals(await addCounts(db, counts))
    })
  latestSyncs.set(counter, sync)
  return sync
}

export async function deleteOldRateCounts(db: Database, clock: Clock): Promise<void> {
  await db.query('delete from rate_counts where window_start < $1', [
    Math.floor(clock.now().getTime() / 1000) - COUNT_LIFETIME_SECONDS,
  ])
}
