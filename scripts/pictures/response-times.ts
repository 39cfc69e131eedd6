/** Generates response times that vary with the time of day, with slow days and outliers. */
import { toBucket } from '../../src/results/histogram.ts'
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts'
import type { Random } from '../../src/traffic/demo/random.ts'
import type { MonitorHistory, SampleIncident } from './monitor-history.ts'
import { daysAgo, now, type SampleMonitor } from './sample-data.ts'

export interface SampleCheck {
  at: number
  /** null if there was no response. */
  ms: number | null
  incident: SampleIncident | undefined
}

const BUSIEST_HOUR_UTC = 17
/** One check in this many takes up to three times as long as usual. */
const CHECKS_PER_OUTLIER = 60

/** Roughly normally distributed around 0, and always within ±3. */
const pickDeviation = (random: Random) => random() + random() + random() + random() + random() + random() - 3

/** Returns a different factor for each day, so that no two days are alike. */
const computeDayFactor = (at: number) => {
  const day = Math.floor(at / DAY_MS)
  return 1 + 0.07 * Math.sin(day * 2.4) + 0.05 * Math.sin(day * 0.9)
}

function generateResponseMs(monitor: SampleMonitor, at: number, random: Random): number {
  const { typicalMs, swing = 0.35, slowPeriod } = monitor
  const hour = (at / HOUR_MS) % 24
  const dailyLoad = (1 + Math.cos(((hour - BUSIEST_HOUR_UTC) / 12) * Math.PI)) / 2
  const isSlow =
    slowPeriod !== undefined && at > daysAgo(slowPeriod[0]).getTime() && at < daysAgo(slowPeriod[1]).getTime()
  const outlierFactor = random() < 1 / CHECKS_PER_OUTLIER ? 1.4 + 1.6 * random() : 1
  return Math.round(
    typicalMs *
      computeDayFactor(at) *
      (1 + swing * dailyLoad) *
      (isSlow ? 2.6 : 1) *
      Math.exp(0.16 * pickDeviation(random)) *
      outlierFactor,
  )
}

/** With these failure causes, the server still responds. With the others, a check has no response time. */
const causesWithResponse = new Set(['http_status', 'keyword', 'redirect'])

/** Yields checks in chronological order, at the monitor's interval. */
export function* generateChecks(
  monitor: SampleMonitor,
  history: MonitorHistory,
  from: number,
  random: Random,
): Generator<SampleCheck> {
  const intervalMs = (monitor.intervalSeconds ?? 60) * 1000
  const firstAt = Math.max(from, history.monitoredFrom.getTime())
  const end = (history.monitoredUntil ?? now).getTime()
  let incidentIndex = history.incidents.findIndex(
    ({ resolvedAt }) => resolvedAt === null || resolvedAt.getTime() > firstAt,
  )
  if (incidentIndex === -1) incidentIndex = history.incidents.length
  for (let at = firstAt; at < end; at += intervalMs) {
    while ((history.incidents[incidentIndex]?.resolvedAt?.getTime() ?? Number.POSITIVE_INFINITY) <= at) incidentIndex++
    const nextIncident = history.incidents[incidentIndex]
    const incident = nextIncident !== undefined && nextIncident.startedAt.getTime() <= at ? nextIncident : undefined
    const isSilent = incident !== undefined && !causesWithResponse.has(incident.cause)
    yield { at, ms: isSilent ? null : generateResponseMs(monitor, at, random), incident }
  }
}

/** The results of an hour or a day, as the database stores them. */
export interface ResultSum {
  startsAt: number
  total: number
  failed: number
  sumMs: number
  buckets: Map<number, number>
}

export function addToSum(sums: Map<number, ResultSum>, periodMs: number, { at, ms, incident }: SampleCheck): void {
  const startsAt = at - (at % periodMs)
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
  const bucket = toBucket(ms)
  sum.buckets.set(bucket, (sum.buckets.get(bucket) ?? 0) + 1)
}
