/** Every website and monitor of somebody at a glance. Sized for ten thousand monitors and a thousand websites. */
import { setImmediate as breathe } from 'node:timers/promises'
import { addMs, type Clock, waitAtMost } from '../lib/clock.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { addDays, countDays, localDayOf } from '../lib/local-day.ts'
import { monitorHost } from '../monitors/target.ts'
import { UPTIME_DAYS } from '../shared/monitors.ts'
import type { Database } from '../storage/database.ts'
import type { TenantId } from '../storage/tenant.ts'
import { isoOf } from '../storage/types.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import { VISITORS_NOW_MS } from '../traffic/stats/statistics.ts'
import { barsOf, type Days, lastDays } from './bars.ts'
import { type MonitorGlance, type Overview, POINT_DAYS, type WebsiteGlance } from './schema.ts'
import {
  type MonitorRow,
  type Monitors,
  readIncidents,
  readMonitors,
  readWebsites,
  type SpansByMonitor,
  type WebsiteRow,
} from './store.ts'

/** Each takes three of the five connections for whole transactions, and both cores of a small machine. */
const AT_ONCE = 1
/** Slices of waiting events that are added up first, some 60 ms each; in a crowd the numbers are a second or two late. */
const SLICES_MOST = 2
/** Somebody else may be adding up or packing: what they hold up is left out. */
const PATIENCE_MS = 2_000
/** Websites' days are up to a day ahead of UTC's, or behind it. */
const READ_DAYS = POINT_DAYS + 2
/** Monitors in one piece: a few milliseconds, after which others have their turn. */
const TOGETHER = 500

export interface Read {
  days: Days & { zone: string }
  now: number
  websites: WebsiteRow[]
  monitors: Monitors
  incidents: SpansByMonitor
}

export class Overviews {
  readonly #needs: { db: Database; clock: Clock; rollup: Rollup }
  readonly #turns = new ConcurrencyLimiter(AT_ONCE)

  constructor(needs: { db: Database; clock: Clock; rollup: Rollup }) {
    this.#needs = needs
  }

  read(caller: TenantId, zone: string): Promise<Read> {
    return this.#turns.run(caller.userId, () => this.#read(caller, zone))
  }

  async #read(caller: TenantId, zone: string): Promise<Read> {
    const now = this.#needs.clock.now()
    const days = { ...lastDays(UPTIME_DAYS, zone, now.getTime()), zone }
    const tenant = this.#needs.db.as(caller)
    const since = new Date(days.bounds[0] as number)
    // PostgreSQL takes some 50 ms for each of them with ten thousand monitors: at once they take little more than one.
    const [monitors, incidents, websites] = await Promise.all([
      tenant.snapshot((q) => readMonitors(q, since)),
      tenant.snapshot((q) => readIncidents(q, since)),
      this.#addUp().then(() =>
        tenant.snapshot((q) => readWebsites(q, firstDayRead(now), addMs(now, -VISITORS_NOW_MS))),
      ),
    ])
    return { days, now: now.getTime(), websites, monitors, incidents }
  }

  async #addUp(): Promise<void> {
    await waitAtMost(PATIENCE_MS, this.#needs.rollup.rollUpSlices(SLICES_MOST))
  }
}

function firstDayRead(now: Date): string {
  return addDays(now.toISOString().slice(0, 10), 1 - READ_DAYS)
}

/** The answer as JSON, piece by piece. Whatever is short comes in one. */
export async function* writeOverview(read: Read): AsyncGenerator<string, undefined> {
  const { days } = read
  const { rows } = read.monitors
  const glance: Overview['days'] = { from: days.from, to: days.to, time_zone: days.zone }
  const byDomain = new Map(read.websites.map(({ domain, id }) => [domain, id]))
  let text = `{"data":{"days":${JSON.stringify(glance)},"websites":${JSON.stringify(glanceWebsites(read))},"monitors":[`
  for (let from = 0; from < rows.length; from += TOGETHER) {
    if (from > 0) {
      yield `${text},`
      text = ''
      await breathe()
    }
    const some = rows.slice(from, from + TOGETHER).map((row) => glanceMonitor(row, read, byDomain))
    text += JSON.stringify(some).slice(1, -1)
  }
  yield `${text}]}}`
}

function glanceWebsites({ websites, now }: Read): WebsiteGlance[] {
  const firstDay = firstDayRead(new Date(now))
  /** By time zone: where today is among the days that were read. */
  const places = new Map<string, number>()
  const placeOf = (zone: string) => countDays(firstDay, localDayOf(zone, now).day) - 1
  return websites.map(({ days, visitors: counts, ...website }) => {
    const today = places.getOrInsertComputed(website.time_zone, placeOf)
    const visitors: number[] = new Array(POINT_DAYS).fill(0)
    for (const [index, day] of days.entries()) {
      const place = day - today + POINT_DAYS - 1
      if (place >= 0 && place < POINT_DAYS) visitors[place] = counts[index] as number
    }
    const { id, domain, favorite, privacy, time_zone, has_traffic, visitors_now } = website
    const visitors_today = visitors[POINT_DAYS - 1] as number
    return { id, domain, favorite, privacy, time_zone, has_traffic, visitors_now, visitors_today, visitors }
  })
}

function glanceMonitor(
  row: MonitorRow,
  { days, now, monitors, incidents }: Read,
  byDomain: Map<string, number>,
): MonitorGlance {
  const bars = barsOf(monitors.watches.get(row.id) ?? [], incidents.get(row.id) ?? [], days, now)
  return {
    id: row.id,
    friendly_name: row.friendly_name,
    url: row.url,
    type: row.type,
    status: row.status,
    status_changed_at: isoOf(row.status_changed_at),
    interval: row.interval,
    last_checked_at: row.last_checked_at && isoOf(row.last_checked_at),
    last_response_ms: row.last_response_ms,
    last_error: row.last_error,
    website_id: findWebsite(monitorHost(row), byDomain),
    ...bars,
  }
}

/** That of the host itself, or of the nearest above it. */
function findWebsite(host: string | undefined, byDomain: Map<string, number>): number | null {
  for (let rest = host ?? ''; rest !== ''; rest = rest.slice(rest.indexOf('.') + 1)) {
    const id = byDomain.get(rest)
    if (id !== undefined) return id
    if (!rest.includes('.')) break
  }
  return null
}
