/** Reads the websites and monitors of a user. Designed for ten thousand monitors and a thousand websites. */
import { addMs, type Clock, waitAtMost } from '../lib/clock.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { addDays, countDays, localDayAt } from '../lib/local-day.ts'
import { UPTIME_DAYS } from '../shared/monitors.ts'
import type { Database } from '../storage/database.ts'
import type { TenantId } from '../storage/tenant.ts'
import type { Queries } from '../storage/transaction.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import { VISITORS_NOW_WINDOW_MS } from '../traffic/stats/statistics.ts'
import { listLastDays } from '../uptime/uptime-bars.ts'
import { chooseFirstRows } from './first-rows.ts'
import type { OverviewData } from './json.ts'
import { type OverviewWebsiteRecord, SPARKLINE_DAYS } from './schema.ts'
import { readHistories, readMonitorOrderData, readOverviewMonitors, readSampleMonitorCount } from './store.ts'
import { countOverview } from './summary.ts'
import { readOverviewWebsites, readWebsiteNames, type StoredOverviewWebsite } from './websites-store.ts'

/**
 * One read takes both cores of a small machine and three connections for transactions, of which there are five by
 * default.
 */
const MAX_CONCURRENT_READS = 1
/**
 * A slice is up to 2,000 waiting events, and rolling it up takes about 60 ms. Before reading, the overview rolls up at
 * most this many slices. Under heavy load more events are waiting, so the newest ones appear a second or two late.
 */
const MAX_SLICES_TO_ROLL_UP = 2
/**
 * Another process may hold the lock for rolling up. After this time, the overview omits events that are not rolled up.
 */
const ROLLUP_TIMEOUT_MS = 2_000
/** The summary needs the visitors of today and yesterday. */
const SUMMARY_DAYS = 2

interface OverviewDeps {
  db: Database
  clock: Clock
  rollup: Rollup
}

export class OverviewReader {
  readonly #deps: OverviewDeps
  readonly #limiter = new ConcurrencyLimiter(MAX_CONCURRENT_READS)

  constructor(deps: OverviewDeps) {
    this.#deps = deps
  }

  /** With `limit`, returns only about this many websites and monitors, from the top of the page. `counts` includes all of them. */
  read(caller: TenantId, zone: string, limit: number | undefined): Promise<OverviewData> {
    return this.#limiter.run(caller.userId, () =>
      limit === undefined ? this.#readAll(caller, zone) : this.#readFirst(caller, zone, limit),
    )
  }

  async #readAll(caller: TenantId, zone: string): Promise<OverviewData> {
    const now = this.#deps.clock.now()
    const days = { ...listLastDays(UPTIME_DAYS, zone, now.getTime()), zone }
    const tenant = this.#deps.db.as(caller)
    const since = new Date(days.bounds[0] as number)
    // With ten thousand monitors, each of these queries takes about 50 ms. Run concurrently, they take little longer
    // than one of them.
    const [columns, histories, websites] = await Promise.all([
      tenant.snapshot((q) => readOverviewMonitors(q)),
      tenant.snapshot((q) => readHistories(q, since)),
      this.#rollUp().then(() => tenant.snapshot((q) => readWebsitesWithVisitors(q, now, SPARKLINE_DAYS))),
    ])
    const counts = countOverview(columns.status, websites, await countSampleMonitors(tenant, websites))
    return { days, now: now.getTime(), isComplete: true, websites, columns, histories, counts }
  }

  /**
   * First reads the names and states that decide the order of all rows, and then the details of the first rows. Reading
   * the figures of all websites takes as long as these two reads together, so it runs concurrently.
   */
  async #readFirst(caller: TenantId, zone: string, limit: number): Promise<OverviewData> {
    const now = this.#deps.clock.now()
    const days = { ...listLastDays(UPTIME_DAYS, zone, now.getTime()), zone }
    const since = new Date(days.bounds[0] as number)
    const tenant = this.#deps.db.as(caller)
    await this.#rollUp()
    const [{ statuses, ...rows }, allWebsites] = await Promise.all([
      tenant.snapshot(async (q) => {
        const websiteNames = await readWebsiteNames(q)
        const orderData = await readMonitorOrderData(q)
        const { websiteIds, monitorIds, isComplete } = chooseFirstRows(websiteNames, orderData, limit)
        const columns = await readOverviewMonitors(q, monitorIds)
        const histories = await readHistories(q, since, monitorIds)
        const websites = await readWebsitesWithVisitors(q, now, SPARKLINE_DAYS, websiteIds)
        return { statuses: orderData.statuses, isComplete, columns, histories, websites }
      }),
      tenant.snapshot((q) => readWebsitesWithVisitors(q, now, SUMMARY_DAYS)),
    ])
    const counts = countOverview(statuses, allWebsites, await countSampleMonitors(tenant, allWebsites))
    return { days, now: now.getTime(), ...rows, counts }
  }

  async #rollUp(): Promise<void> {
    await waitAtMost(ROLLUP_TIMEOUT_MS, this.#deps.rollup.rollUpSlices(MAX_SLICES_TO_ROLL_UP))
  }
}

/** Most users have no sample data, so they need no query. */
const countSampleMonitors = async (q: Queries, websites: readonly OverviewWebsiteRecord[]) =>
  websites.some(({ is_sample }) => is_sample) ? readSampleMonitorCount(q) : 0

/** Today in a website's time zone can be one day before or after today in UTC. */
const EXTRA_DAYS = 2

/** Reads the visitors of the last `dayCount` days, today last. Without `ids`, reads all websites. */
async function readWebsitesWithVisitors(
  q: Queries,
  now: Date,
  dayCount: number,
  ids: readonly number[] | null = null,
): Promise<OverviewWebsiteRecord[]> {
  const firstDay = addDays(now.toISOString().slice(0, 10), 1 - dayCount - EXTRA_DAYS)
  const websites = await readOverviewWebsites(q, firstDay, addMs(now, -VISITORS_NOW_WINDOW_MS), ids)
  return alignDays(websites, { firstDay, dayCount, now: now.getTime() })
}

function alignDays(
  websites: readonly StoredOverviewWebsite[],
  { firstDay, dayCount, now }: { firstDay: string; dayCount: number; now: number },
): OverviewWebsiteRecord[] {
  /** For each time zone, the index of today, counted from `firstDay`. */
  const todayIndexesByZone = new Map<string, number>()
  const findTodayIndex = (zone: string) => countDays(firstDay, localDayAt(zone, now).day) - 1
  return websites.map(({ days, visitors: counts, ...website }) => {
    const todayIndex = todayIndexesByZone.getOrInsertComputed(website.time_zone, findTodayIndex)
    const visitors: number[] = new Array(dayCount).fill(0)
    for (const [index, dayIndex] of days.entries()) {
      const position = dayIndex - todayIndex + dayCount - 1
      if (position >= 0 && position < dayCount) visitors[position] = counts[index] as number
    }
    return { ...website, visitors_today: visitors[dayCount - 1] as number, visitors }
  })
}
