/** How long a monitor's answers took: by the time of the day, with slow days, and with some that take much longer. */
import { bucketOf } from '../../src/results/histogram.ts'
import type { Random } from '../../src/traffic/demo/random.ts'
import { ago, DAY_MS, MINUTE_MS, now, type Watched } from './cast.ts'
import type { MadeIncident, Past } from './past.ts'

export interface MadeCheck {
  at: number
  /** null: nothing answered. */
  ms: number | null
  incident: MadeIncident | undefined
}

const HOUR_MS = 60 * MINUTE_MS
const BUSIEST_HOUR_UTC = 17
/** One in so many takes up to three times as long. */
const SELDOM = 60

/** Around 0, hardly ever beyond 3. */
const spread = (random: Random) => random() + random() + random() + random() + random() + random() - 3

/** No two days are alike. */
const ofDay = (at: number) => {
  const day = Math.floor(at / DAY_MS)
  return 1 + 0.07 * Math.sin(day * 2.4) + 0.05 * Math.sin(day * 0.9)
}

function timeAt(monitor: Watched, at: number, random: Random): number {
  const { usualMs, swing = 0.35, slow } = monitor
  const hour = (at / HOUR_MS) % 24
  const busy = (1 + Math.cos(((hour - BUSIEST_HOUR_UTC) / 12) * Math.PI)) / 2
  const isSlow = slow !== undefined && at > ago(slow[0]).getTime() && at < ago(slow[1]).getTime()
  const seldom = random() < 1 / SELDOM ? 1.4 + 1.6 * random() : 1
  return Math.round(
    usualMs * ofDay(at) * (1 + swing * busy) * (isSlow ? 2.6 : 1) * Math.exp(0.16 * spread(random)) * seldom,
  )
}

/** Who closes the connection or sends an error does so at once; whoever is silent is so until we give up. */
const answers = new Set(['http_status', 'keyword', 'redirect'])

/** In the order of time, each so long after the last as the monitor says. */
export function* makeChecks(monitor: Watched, past: Past, from: number, random: Random): Generator<MadeCheck> {
  const everyMs = (monitor.interval ?? 60) * 1000
  const first = Math.max(from, past.watchedFrom.getTime())
  const end = (past.watchedUntil ?? now).getTime()
  let next = past.incidents.findIndex(({ resolvedAt }) => resolvedAt === null || resolvedAt.getTime() > first)
  if (next === -1) next = past.incidents.length
  for (let at = first; at < end; at += everyMs) {
    while ((past.incidents[next]?.resolvedAt?.getTime() ?? Number.POSITIVE_INFINITY) <= at) next++
    const coming = past.incidents[next]
    const incident = coming !== undefined && coming.startedAt.getTime() <= at ? coming : undefined
    const isSilent = incident !== undefined && !answers.has(incident.cause)
    yield { at, ms: isSilent ? null : timeAt(monitor, at, random), incident }
  }
}

/** An hour or a day, as it is kept. */
export interface Sum {
  startsAt: number
  total: number
  failed: number
  sumMs: number
  buckets: Map<number, number>
}

export function addUp(sums: Map<number, Sum>, stepMs: number, { at, ms, incident }: MadeCheck): void {
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
