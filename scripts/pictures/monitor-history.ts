/** Generates a year of a monitor's history: when it was monitored, when it was down, and why. */
import type { Cause } from '../../src/shared/causes.ts'
import { DAY_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { type Random, seededRandom } from '../../src/traffic/demo/random.ts'
import { daysAgo, monitors, now, type SampleMonitor } from './sample-data.ts'

export interface SampleIncident {
  cause: Cause
  detail: string
  startedAt: Date
  detectedAt: Date
  /** null while the incident is ongoing. */
  resolvedAt: Date | null
}

export interface MonitorHistory {
  monitoredFrom: Date
  monitoredUntil: Date | null
  /** Oldest first, without overlaps. */
  incidents: SampleIncident[]
}

const YEAR_DAYS = 365
/** An outage is confirmed by two retries, five seconds apart. */
const CONFIRMATION_MS = 10_000

/** Failure details as the checker writes them. */
const detailsByCause: Record<Cause, readonly string[]> = {
  dns: ['No such host: {host}'],
  connect: ['Connection refused by 203.0.113.7:443', 'Connection reset by 203.0.113.7:443'],
  tls: ['Certificate expired on 4 January 2026'],
  timeout: ['Response took longer than 10 s', 'Response body took longer than 10 s'],
  http_status: ['Status 502, expected 200–399', 'Status 503, expected 200–399', 'Status 500, expected 200–399'],
  keyword: ['Response does not contain "in stock"'],
  redirect: ['Redirected more than 5 times'],
  ping: ['No reply from 203.0.113.7 to 3 pings'],
  blocked: ['refused'],
  body: ['Response body ended after 3276 of 48210 bytes'],
  slow: ['Response took 4.2 s, longer than the limit of 2 s'],
  json: ['$.status is "degraded", expected "ok"'],
  tcp: ['{host}:5432 sent "FATAL", expected "ready"'],
  certificate: ['Certificate expired on 4 January 2026'],
  domain: ['The registration of {host} expired on 4 January 2026'],
  heartbeat_missed: ['No beat since 02:30, expected at 03:30'],
  heartbeat_failed: ['Exit code 1'],
  silence: ['No visits since 14:05'],
}

const typicalCauses: readonly Cause[] = ['http_status', 'timeout', 'http_status', 'timeout', 'connect', 'http_status']

function pickOne<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T
}

const hostOf = ({ url, type = 'http' }: SampleMonitor) =>
  (type === 'http' ? new URL(url).hostname : url.split(':')[0]) ?? ''

function createIncident(
  monitor: SampleMonitor,
  startedAt: Date,
  resolvedAt: Date | null,
  random: Random,
): SampleIncident {
  const cause = monitor.type === 'ping' ? 'ping' : pickOne(monitor.outageCauses ?? typicalCauses, random)
  return {
    cause,
    detail: pickOne(detailsByCause[cause], random).replace('{host}', hostOf(monitor)),
    startedAt,
    detectedAt: new Date(startedAt.getTime() + CONFIRMATION_MS),
    resolvedAt,
  }
}

/** Most outages last a few minutes; some last an hour or two. */
const pickDurationMs = (random: Random) => Math.round((1.5 + 130 * random() ** 3) * MINUTE_MS)

/** Returns the same history at each call. `index` is the monitor's place in the list. */
export function generateHistory(monitor: SampleMonitor, index: number): MonitorHistory {
  const random = seededRandom(index + 1, 1)
  const {
    outagesPerYear,
    intervalSeconds = 60,
    historyDays = YEAR_DAYS,
    recentOutage,
    downForMinutes,
    pausedForDays,
  } = monitor
  // Monitors start at different times, so that their checks don't all run in the same second.
  const monitoredFrom = new Date(daysAgo(historyDays).getTime() + random() * intervalSeconds * 1000)
  const monitoredUntil = pausedForDays === undefined ? null : daysAgo(pausedForDays)
  const spanMs = (monitoredUntil ?? now).getTime() - monitoredFrom.getTime()
  const outageCount = Math.round((outagesPerYear * spanMs) / DAY_MS / YEAR_DAYS)
  const incidents = Array.from({ length: outageCount }, (_, n) => {
    // Divide the time into equal parts with one outage each, so that outages don't overlap.
    const at = monitoredFrom.getTime() + ((n + 0.1 + 0.8 * random()) / outageCount) * spanMs
    return createIncident(monitor, new Date(at), new Date(at + pickDurationMs(random)), random)
  })
  if (recentOutage !== undefined) {
    const startedAt = daysAgo(recentOutage.daysAgo)
    const resolvedAt = new Date(startedAt.getTime() + recentOutage.minutes * MINUTE_MS)
    incidents.push(createIncident(monitor, startedAt, resolvedAt, random))
  }
  if (downForMinutes !== undefined)
    incidents.push(createIncident(monitor, new Date(now.getTime() - downForMinutes * MINUTE_MS), null, random))
  return { monitoredFrom, monitoredUntil, incidents }
}

/** Lists the outages of a website's home page. No visits began during them. */
export function listOutages(domain: string): SampleIncident[] {
  const url = `https://${domain}/`
  return monitors.flatMap((monitor, index) => (monitor.url === url ? generateHistory(monitor, index).incidents : []))
}
