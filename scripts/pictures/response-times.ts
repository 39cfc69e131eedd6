/** Generates response times that vary with the time of day, with slow days and outliers. */
import { bucketOf } from '../../src/results/histogram.ts'
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts'
import type { Random } from '../../src/traffic/demo/random.ts'
import type { MonitorHistory, SampleIncident } from './monitor-history.ts'
import { ago, now, type SampleMonitor } from './sample-data.ts'

export interface SampleCheck {
  at: number
  /** null if there was no response. */
  ms: number | null
  incident: SampleIncident | undefined
}

const BUSIEST_HOUR_UTC = 17
/** One in this many takes up to three times as long. */
const OUTLIER_RATE = 60

/** Roughly normal around 0, rarely beyond ±3. */
const spread = (random: Random) => random() + random() + random() + random() + random() + random() - 3

/** A factor per day, so that no two days are alike. */
const ofDay = (at: number) => {
  const day = Math.floor(at / DAY_MS)
  return 1 + 0.07 * Math.sin(day * 2.4) + 0.05 * Math.sin(day * 0.9)
}

function timeAt(monitor: SampleMonitor, at: number, random: Random): number {
  const { typicalMs, swing = 0.35, slow } = monitor
  const hour = (at / HOUR_MS) % 24
  const busy = (1 + Math.cos(((hour - BUSIEST_HOUR_UTC) / 12) * Math.PI)) / 2
  const isSlow = slow !== undefined && at > ago(slow[0]).getTime() && at < ago(slow[1]).getTime()
  const outlier = random() < 1 / OUTLIER_RATE ? 1.4 + 1.6 * random() : 1
  return Math.round(
    typicalMs * ofDay(at) * (1 + swing * busy) * (isSlow ? 2.6 : 1) * Math.exp(0.16 * spread(random)) * outlier,
  )
}

/** Failure causes where the server still responds quickly. The others run into the timeout. */
const causesWithResponse = new Set(['http_status', 'keyword', 'redirect'])

/** In chronological order, at the monitor's interval. */
export function* generateChecks(
  monitor: SampleMonitor,
  history: MonitorHistory,
  from: number,
  random: Random,
): Generator<SampleCheck> {
  const everyMs = (monitor.interval ?? 60) * 1000
  const first = Math.max(from, history.watchedFrom.getTime())
  const end = (history.watchedUntil ?? now).getTime()
  let next = history.incidents.findIndex(({ resolvedAt }) => resolvedAt === null || resolvedAt.getTime() > first)
  if (next === -1) next = history.incidents.length
  for (let at = first; at < end; at += everyMs) {
    while ((history.incidents[next]?.resolvedAt?.getTime() ?? Number.POSITIVE_INFINITY) <= at) next++
    const upcoming = history.incidents[next]
    const incident = upcoming !== undefined && upcoming.startedAt.getTime() <= at ? upcoming : undefined
    const isSilent = incident !== undefined && !causesWithResponse.has(incident.cause)
    yield { at, ms: isSilent ? null : timeAt(monitor, at, random), incident }
  }
}

/** The results of an hour or a day, as stored. */
export interface ResultSum {
  startsAt: number
  total: number
  failed: number
  sumMs: number
  buckets: Map<number, number>
}

export function addToSum(sums: Map<number, ResultSum>, stepMs: number, { at, ms, incident }: SampleCheck): void {
  const startsAt = at - (at % stepMs)
  const sum = sums.getOrInsertComputed(startsAt, () => ({
    startsAt,
    total: 0,
    failed: 0,
    sumMs: 0,
    buckets: new Map(),
  }))
  sum.total++
  if (incident !== undefined) sum.failed++
  if (ms === null) return
  sum.sumMs += ms
  const bucket = bucketOf(ms)
  sum.buckets.set(bucket, (sum.buckets.get(bucket) ?? 0) + 1)
}
