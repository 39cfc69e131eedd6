/** Reads all websites and monitors of a user. Designed for ten thousand monitors and a thousand websites. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { addMs, type Clock, waitAtMost } from '../lib/clock.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { addDays, countDays, localDayAt } from '../lib/local-day.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import { UPTIME_DAYS } from '../shared/monitors.ts'
import type { Database } from '../storage/database.ts'
import type { TenantId } from '../storage/tenant.ts'
import { toIso } from '../storage/types.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import { VISITORS_NOW_WINDOW_MS } from '../traffic/stats/statistics.ts'
import { type Overview, type OverviewMonitorRecord, type OverviewWebsiteRecord, SPARKLINE_DAYS } from './schema.ts'
import {
  type MonitorsWithWatches,
  readIncidentSpans,
  readOverviewMonitors,
  readOverviewWebsites,
  type SpansByMonitor,
  type StoredOverviewMonitor,
  type StoredOverviewWebsite,
} from './store.ts'
import { type LocalDays, listLastDays, toUptimeBars } from './uptime-bars.ts'

/** One read takes three of the five connections for transactions, and both cores of a small machine. */
const MAX_CONCURRENT_READS = 1
/**
 * A slice is up to 2,000 waiting events, and rolling it up takes about 60 ms. Before reading, the overview rolls up at
 * most this many slices. Under heavy load more events are waiting, so the newest ones appear a second or two late.
 */
const MAX_ROLLUP_SLICES = 2
/**
 * Another process may hold the lock for rolling up. After this time, the overview omits events that are not rolled up.
 */
const ROLLUP_TIMEOUT_MS = 2_000
/**
 * Two more days than the sparkline shows, because today in a website's time zone can be one day before or after today
 * in UTC.
 */
const DAYS_TO_READ = SPARKLINE_DAYS + 2
/** Serializing this many monitors takes a few milliseconds. Between parts, other requests get their turn. */
const MONITORS_PER_PART = 500

export interface OverviewData {
  days: LocalDays & { zone: string }
  now: number
  websites: StoredOverviewWebsite[]
  monitors: MonitorsWithWatches
  incidentSpans: SpansByMonitor
}

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

  read(caller: TenantId, zone: string): Promise<OverviewData> {
    return this.#limiter.run(caller.userId, () => this.#read(caller, zone))
  }

  async #read(caller: TenantId, zone: string): Promise<OverviewData> {
    const now = this.#deps.clock.now()
    const days = { ...listLastDays(UPTIME_DAYS, zone, now.getTime()), zone }
    const tenant = this.#deps.db.as(caller)
    const since = new Date(days.bounds[0] as number)
    // With ten thousand monitors each query takes about 50 ms. Concurrently they take little longer than one.
    const [monitors, incidentSpans, websites] = await Promise.all([
      tenant.snapshot((q) => readOverviewMonitors(q, since)),
      tenant.snapshot((q) => readIncidentSpans(q, since)),
      this.#rollUp().then(() =>
        tenant.snapshot((q) =>
          readOverviewWebsites(q, computeFirstDayToRead(now), addMs(now, -VISITORS_NOW_WINDOW_MS)),
        ),
      ),
    ])
    return { days, now: now.getTime(), websites, monitors, incidentSpans }
  }

  async #rollUp(): Promise<void> {
    await waitAtMost(ROLLUP_TIMEOUT_MS, this.#deps.rollup.rollUpSlices(MAX_ROLLUP_SLICES))
  }
}

function computeFirstDayToRead(now: Date): string {
  return addDays(now.toISOString().slice(0, 10), 1 - DAYS_TO_READ)
}

/** Generates the response in parts. A short response has only one part. */
export async function* generateOverviewJson(data: OverviewData): AsyncGenerator<string, undefined> {
  const { days } = data
  const { rows } = data.monitors
  const dayInfo: Overview['days'] = { from: days.from, to: days.to, time_zone: days.zone }
  const websiteIdsByDomain = new Map(data.websites.map(({ domain, id }) => [domain, id]))
  let text = `{"data":{"days":${JSON.stringify(dayInfo)},"websites":${JSON.stringify(toOverviewWebsites(data))},"monitors":[`
  for (let from = 0; from < rows.length; from += MONITORS_PER_PART) {
    if (from > 0) {
      yield `${text},`
      text = ''
      await yieldToEventLoop()
    }
    const part = rows
      .slice(from, from + MONITORS_PER_PART)
      .map((row) => toOverviewMonitor(row, data, websiteIdsByDomain))
    text += JSON.stringify(part).slice(1, -1)
  }
  yield `${text}]}}`
}

function toOverviewWebsites({ websites, now }: OverviewData): OverviewWebsiteRecord[] {
  const firstDay = computeFirstDayToRead(new Date(now))
  /** Index of the website's today, counted from `firstDay`. */
  const todayIndexesByZone = new Map<string, number>()
  const findTodayIndex = (zone: string) => countDays(firstDay, localDayAt(zone, now).day) - 1
  return websites.map(({ days, visitors: counts, ...website }) => {
    const todayIndex = todayIndexesByZone.getOrInsertComputed(website.time_zone, findTodayIndex)
    const visitors: number[] = new Array(SPARKLINE_DAYS).fill(0)
    for (const [index, dayIndex] of days.entries()) {
      const position = dayIndex - todayIndex + SPARKLINE_DAYS - 1
      if (position >= 0 && position < SPARKLINE_DAYS) visitors[position] = counts[index] as number
    }
    const { id, domain, favorite, privacy, time_zone, has_traffic, visitors_now } = website
    const visitors_today = visitors[SPARKLINE_DAYS - 1] as number
    return { id, domain, favorite, privacy, time_zone, has_traffic, visitors_now, visitors_today, visitors }
  })
}

function toOverviewMonitor(
  row: StoredOverviewMonitor,
  { days, now, monitors, incidentSpans }: OverviewData,
  websiteIdsByDomain: Map<string, number>,
): OverviewMonitorRecord {
  const bars = toUptimeBars(monitors.watchSpans.get(row.id) ?? [], incidentSpans.get(row.id) ?? [], days, now)
  return {
    id: row.id,
    friendly_name: row.friendly_name,
    url: row.url,
    type: row.type,
    status: row.status,
    status_changed_at: toIso(row.status_changed_at),
    interval: row.interval,
    last_checked_at: row.last_checked_at && toIso(row.last_checked_at),
    last_response_ms: row.last_response_ms,
    last_error: row.last_error,
    website_id: findWebsiteId(parseMonitorHost(row), websiteIdsByDomain),
    ...bars,
  }
}

/** Finds the website of the host itself, or of its nearest parent domain. */
function findWebsiteId(host: string | undefined, websiteIdsByDomain: Map<string, number>): number | null {
  for (let domain = host ?? ''; domain !== ''; domain = domain.slice(domain.indexOf('.') + 1)) {
    const id = websiteIdsByDomain.get(domain)
    if (id !== undefined) return id
    if (!domain.includes('.')) break
  }
  return null
}
