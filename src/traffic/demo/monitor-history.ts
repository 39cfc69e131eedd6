/** Generates the history of the sample monitor: a few outages and plausible response times. */
import { type Histogram, toBucket } from '../../results/histogram.ts'
import type { Cause } from '../../shared/causes.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts'
import { type Random, seededRandom } from './random.ts'

export interface DemoIncident {
  cause: Cause
  detail: string
  startedAt: number
  detectedAt: number
  resolvedAt: number
}

export interface DemoCheckTotals extends Histogram {
  startsAt: number
  total: number
  failed: number
  sumMs: number
}

export interface DemoMonitorHistory {
  incidents: DemoIncident[]
  /** Whole UTC days before today. */
  days: DemoCheckTotals[]
  /** Whole hours of the last two days. */
  hours: DemoCheckTotals[]
  /** The single checks of the last hour, oldest first. */
  checks: DemoCheck[]
}

export interface DemoCheck {
  checkedAt: number
  responseMs: number
}

/**
 * `day` and `hour` count from the beginning of the history. The last outage is long and at a busy time, so that it
 * costs some visits.
 */
const outages: readonly { day: number; hour: number; minutes: number; cause: Cause; detail: string }[] = [
  { day: 20, hour: 3.2, minutes: 4, cause: 'timeout', detail: 'Response took longer than 10 s' },
  { day: 38, hour: 16.3, minutes: 18, cause: 'http_status', detail: 'Status 503, expected 200–399' },
  { day: 56, hour: 9.1, minutes: 2, cause: 'connect', detail: 'Connection refused' },
  { day: 81, hour: 10.2, minutes: 100, cause: 'http_status', detail: 'Status 502, expected 200–399' },
]
/** An incident is detected after the first failed check and two retries, 5 seconds apart. */
const DETECTION_MS = 10_000
const RECENT_DAYS = 2

/** `from` is the time at which the website's traffic begins: midnight in the time zone of the website. */
export function generateMonitorHistory(
  from: number,
  now: number,
  { intervalMs, seed }: { intervalMs: number; seed: number },
): DemoMonitorHistory {
  const random = seededRandom(seed, 1)
  const today = floorTo(DAY_MS, now)
  const incidents = outages.map(({ day, hour, minutes, cause, detail }) => {
    const startedAt = Math.round(from + day * DAY_MS + hour * HOUR_MS)
    return {
      cause,
      detail,
      startedAt,
      detectedAt: startedAt + DETECTION_MS,
      resolvedAt: startedAt + minutes * MINUTE_MS,
    }
  })
  const createTotals = (stepMs: number) => (startsAt: number) =>
    summarizeChecks({ startsAt, endsAt: startsAt + stepMs, intervalMs, incidents, random })
  return {
    incidents,
    days: listStarts(DAY_MS, from, today).map(createTotals(DAY_MS)),
    hours: listStarts(HOUR_MS, Math.max(from, today - RECENT_DAYS * DAY_MS), floorTo(HOUR_MS, now)).map(
      createTotals(HOUR_MS),
    ),
    checks: listStarts(intervalMs, now - HOUR_MS, now + intervalMs).map((checkedAt) => ({
      checkedAt,
      responseMs: drawResponseMs(checkedAt, random),
    })),
  }
}

const floorTo = (stepMs: number, at: number) => at - (at % stepMs)

/** The starts of all whole steps between `from` and `to`. */
function listStarts(stepMs: number, from: number, to: number): number[] {
  const first = floorTo(stepMs, from + stepMs - 1)
  return Array.from({ length: Math.max(0, Math.floor((to - first) / stepMs)) }, (_, n) => first + n * stepMs)
}

interface Checks {
  startsAt: number
  endsAt: number
  intervalMs: number
  incidents: readonly DemoIncident[]
  random: Random
}

function summarizeChecks({ startsAt, endsAt, intervalMs, incidents, random }: Checks): DemoCheckTotals {
  const countsByBucket = new Map<number, number>()
  const totals = { startsAt, total: 0, failed: 0, sumMs: 0 }
  for (let at = startsAt; at < endsAt; at += intervalMs) {
    totals.total += 1
    if (incidents.some(({ startedAt, resolvedAt }) => at >= startedAt && at < resolvedAt)) {
      totals.failed += 1
      continue
    }
    const ms = drawResponseMs(at, random)
    totals.sumMs += ms
    countsByBucket.set(toBucket(ms), (countsByBucket.get(toBucket(ms)) ?? 0) + 1)
  }
  const buckets = [...countsByBucket.keys()].sort((a, b) => a - b)
  return { ...totals, buckets, counts: buckets.map((bucket) => countsByBucket.get(bucket) as number) }
}

/** Response times are around 150 ms, and longer in the afternoon. A few are several times as long. */
function drawResponseMs(at: number, random: Random): number {
  const dayShare = (at % DAY_MS) / DAY_MS
  const load = 1 + 0.25 * Math.sin((dayShare - 0.3) * 2 * Math.PI)
  const tail = random() < 0.02 ? 2 + 3 * random() : 1
  return Math.round(130 * load * tail * (0.8 + 0.4 * random() * random()) + 15 * random())
}
