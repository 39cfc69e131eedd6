/** Reads the websites and monitors of a user. Designed for ten thousand monitors and a thousand websites. */
import { addMs, type Clock, waitAtMost } from '../lib/clock.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { addDays, countDays, localDayAt, toUtcDay } from '../lib/local-day.ts'
import { UPTIME_DAYS } from '../shared/monitors.ts'
import type { Database } from '../storage/database.ts'
import type { Tenant, TenantId } from '../storage/tenant.ts'
import type { Queries } from '../storage/transaction.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import { VISITORS_NOW_WINDOW_MS } from '../traffic/stats/statistics.ts'
import { listLastDays } from '../uptime/uptime-bars.ts'
import { chooseFirstRows } from './first-rows.ts'
import type { OverviewData } from './json.ts'
import { PreparedVisitors } from './prepared-visitors.ts'
import { computeRowOrder, createRowOrderCache, type RowOrder } from './row-order.ts'
import { type OverviewWebsiteRecord, SPARKLINE_DAYS } from './schema.ts'
import {
  readHistories,
  readListState,
  readMonitorNames,
  readOverviewMonitors,
  readSampleMonitorCount,
} from './store.ts'
import { computeStatusCounts, countStatuses, countVisitors, type VisitorCounts } from './summary.ts'
import {
  readOverviewWebsites,
  readTotalVisitorsNow,
  readVisitorsByDay,
  readWebsiteNames,
  type StoredOverviewWebsite,
} from './websites-store.ts'

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
/** Users with at most this many websites and monitors get all of them at once, because a second response would take longer. */
const MAX_ROWS_AT_ONCE = 100
/** The summary needs the visitors of today and yesterday. */
const SUMMARY_DAYS = 2
/** Today in a website's time zone can be yesterday in UTC. */
const EXTRA_UTC_DAYS = 1

interface OverviewDeps {
  db: Database
  clock: Clock
  rollup: Rollup
}

interface FirstRowsOptions {
  limit: number
  /** Undefined if nothing was prepared. Resolves to undefined if that failed. */
  preparedCounts: Promise<VisitorCounts | undefined> | undefined
}

/** The routes of the page and of its data share one reader, because the first prepares visitor counts for the second. */
export class OverviewReader {
  readonly #deps: OverviewDeps
  readonly #limiter = new ConcurrencyLimiter(MAX_CONCURRENT_READS)
  /** Has an entry for each team with more rows than fit into the first response. Never stores what a guest sees. */
  readonly #rowOrders = createRowOrderCache()
  readonly #preparedVisitors = new PreparedVisitors()

  constructor(deps: OverviewDeps) {
    this.#deps = deps
  }

  /**
   * With `limit`, returns only the websites and monitors of about this many rows at the top of the page, unless the user has at most
   * `MAX_ROWS_AT_ONCE`. `counts` includes all of them.
   */
  read(caller: TenantId, zone: string, limit: number | undefined): Promise<OverviewData> {
    // Take the counts before waiting for a turn: reading them needs a turn, too. If it began later, each would wait for the other.
    const preparedCounts = limit === undefined ? undefined : this.#preparedVisitors.take(caller, this.#deps.clock.now())
    return this.#limiter.run(caller.teamId, () =>
      limit === undefined ? this.#readAll(caller, zone) : this.#readFirst(caller, zone, { limit, preparedCounts }),
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
    const statusCounts = countStatuses(columns.status, await countSampleMonitors(tenant, websites))
    const counts = { ...statusCounts, ...countVisitors(websites) }
    return { days, now: now.getTime(), isComplete: true, websites, columns, histories, counts }
  }

  /**
   * Starts to count the visitors when a browser requests the page. The page requests its first rows about 100 ms later, and for a thousand
   * websites this count takes as much CPU time as the rest of that response. Users with few rows don't need it.
   */
  prepareVisitorCounts(caller: TenantId): void {
    if (this.#rowOrders.get(caller.teamId) === undefined) return
    this.#preparedVisitors.prepare(caller, this.#deps.clock.now(), () =>
      this.#limiter.run(caller.teamId, async () => {
        await this.#rollUp()
        return readVisitorCounts(this.#deps.db.as(caller), this.#deps.clock.now())
      }),
    )
  }

  /** First chooses the first rows, and then reads their details. */
  async #readFirst(caller: TenantId, zone: string, { limit, preparedCounts }: FirstRowsOptions): Promise<OverviewData> {
    const now = this.#deps.clock.now()
    const days = { ...listLastDays(UPTIME_DAYS, zone, now.getTime()), zone }
    const since = new Date(days.bounds[0] as number)
    const tenant = this.#deps.db.as(caller)
    await this.#rollUp()
    const [{ state, isComplete, order, ...rows }, earlyCounts] = await Promise.all([
      tenant.snapshot(async (q) => {
        const state = await readListState(q)
        const isComplete = state.isGuest || state.websiteCount + state.monitorCount <= Math.max(limit, MAX_ROWS_AT_ONCE)
        const order = isComplete ? undefined : await this.#findRowOrder(q, caller.teamId, state.version)
        const firstRows = order && chooseFirstRows(order, state.wentDownAt, limit)
        const [columns, histories, websites] = await Promise.all([
          readOverviewMonitors(q, firstRows?.monitorIds),
          readHistories(q, since, firstRows?.monitorIds),
          readWebsitesWithVisitors(q, now, SPARKLINE_DAYS, firstRows?.websiteIds),
        ])
        return { state, isComplete, order, columns, histories, websites }
      }),
      preparedCounts ?? this.#countVisitorsOfLargeUser(caller, now),
    ])
    // The snapshot has confirmed that the caller still has access. Without access, a query finds no rows, whose order must not be remembered.
    if (order !== undefined) this.#rowOrders.set(caller.teamId, order)
    else if (!state.isGuest) this.#rowOrders.delete(caller.teamId)
    const visitorCounts = isComplete
      ? countVisitors(rows.websites)
      : (earlyCounts ?? (await readVisitorCounts(tenant, now)))
    return {
      days,
      now: now.getTime(),
      isComplete,
      ...rows,
      counts: { ...computeStatusCounts(state), ...visitorCounts },
    }
  }

  /** Returns undefined if the row order is not remembered: if the user has few rows, whose visitors the response contains, or is new to this process. */
  async #countVisitorsOfLargeUser(caller: TenantId, now: Date): Promise<VisitorCounts | undefined> {
    if (this.#rowOrders.get(caller.teamId) === undefined) return undefined
    return readVisitorCounts(this.#deps.db.as(caller), now)
  }

  /** Computing the order of 10,000 monitors takes about 40 ms, so it is remembered. */
  async #findRowOrder(q: Queries, teamId: number, version: string): Promise<RowOrder> {
    const rememberedOrder = this.#rowOrders.get(teamId)
    if (rememberedOrder?.version === version) return rememberedOrder
    const [websites, monitors] = await Promise.all([readWebsiteNames(q), readMonitorNames(q)])
    return computeRowOrder(version, websites, monitors)
  }

  async #rollUp(): Promise<void> {
    await waitAtMost(ROLLUP_TIMEOUT_MS, this.#deps.rollup.rollUpSlices(MAX_SLICES_TO_ROLL_UP))
  }
}

/** Most users have no sample data, so they need no query. */
const countSampleMonitors = async (q: Queries, websites: readonly OverviewWebsiteRecord[]) =>
  websites.some(({ is_sample }) => is_sample) ? readSampleMonitorCount(q) : 0

/** Reads the visitors of all websites together. */
async function readVisitorCounts(tenant: Tenant, now: Date): Promise<VisitorCounts> {
  const sinceDay = addDays(toUtcDay(now), 1 - SUMMARY_DAYS - EXTRA_UTC_DAYS)
  const [visitorsByDay, visitorsNow] = await Promise.all([
    tenant.snapshot((q) => readVisitorsByDay(q, sinceDay)),
    tenant.snapshot((q) => readTotalVisitorsNow(q, addMs(now, -VISITORS_NOW_WINDOW_MS))),
  ])
  const counts = { visitors_now: visitorsNow, visitors_today: 0, visitors_yesterday: 0 }
  for (const { timeZone, day, visitors } of visitorsByDay) {
    const today = localDayAt(timeZone, now.getTime()).day
    if (day === today) counts.visitors_today += visitors
    else if (day === addDays(today, -1)) counts.visitors_yesterday += visitors
  }
  return counts
}

/** Reads the visitors of the last `dayCount` days, today last. Without `ids`, reads all websites. */
async function readWebsitesWithVisitors(
  q: Queries,
  now: Date,
  dayCount: number,
  ids: readonly number[] | null = null,
): Promise<OverviewWebsiteRecord[]> {
  const firstDay = addDays(toUtcDay(now), 1 - dayCount - EXTRA_UTC_DAYS)
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
