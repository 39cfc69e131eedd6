/** Checks as the checker records them, and what they come to by sorting and counting. */
import { expect } from 'vitest'
import { bucketOf, bucketRange } from '../../src/results/histogram.ts'
import type { SeriesPoint } from '../../src/results/series.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import type { Database } from '../../src/storage/database.ts'

export interface MadeCheck {
  at: Date
  /** null: nothing answered. */
  ms: number | null
  cause: string | null
}

/** The same in every run. */
export function randoms(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** One every so often, of which some fail. */
export function makeChecks(options: { from: Date; to: Date; everyMs: number; seed?: number }): MadeCheck[] {
  const random = randoms(options.seed ?? 1)
  const checks: MadeCheck[] = []
  for (let at = options.from.getTime(); at < options.to.getTime(); at += options.everyMs) {
    const fate = random()
    checks.push({
      at: new Date(at),
      ms: fate < 0.05 ? null : Math.floor(5 + 60_000 ** random()),
      cause: fate < 0.05 ? 'timeout' : fate < 0.1 ? 'http_status' : null,
    })
  }
  return checks
}

export async function addChecks(db: Database, monitorId: number, checks: readonly MadeCheck[]): Promise<void> {
  await db.query(
    `insert into checks (user_id, monitor_id, checked_at, response_ms, bucket, cause, detail)
     select m.user_id, m.id, given.at, given.ms, given.bucket, given.cause, given.cause
       from monitors m, unnest($2::timestamptz[], $3::integer[], $4::smallint[], $5::text[]) as given (at, ms, bucket, cause)
      where m.id = $1`,
    [
      monitorId,
      checks.map(({ at }) => at),
      checks.map(({ ms }) => ms),
      checks.map(({ ms }) => (ms === null ? null : bucketOf(ms))),
      checks.map(({ cause }) => cause),
    ],
  )
}

/** Holds what was answered against what sorting and counting find. */
export function expectFigures(answered: Omit<SeriesPoint, 'starts_at'>, checks: readonly MadeCheck[]): void {
  const times = checks.flatMap(({ ms }) => ms ?? []).sort((a, b) => a - b)
  const failed = checks.filter(({ cause }) => cause !== null).length
  expect({ total: answered.total, failed: answered.failed }).toEqual({ total: checks.length, failed })
  if (times.length === 0) {
    expect(answered).toMatchObject({ avg_ms: null, p50_ms: null, p95_ms: null, p99_ms: null })
    return
  }
  expect(answered.avg_ms).toBe(Math.round(times.reduce((sum, ms) => sum + ms, 0) / times.length))
  for (const [percent, found] of [
    [50, answered.p50_ms],
    [95, answered.p95_ms],
    [99, answered.p99_ms],
  ] as const) {
    const exact = times[Math.ceil((percent * times.length) / 100) - 1] ?? -1
    const { leastMs, mostMs } = bucketRange(bucketOf(exact))
    expect(found).toBeGreaterThanOrEqual(leastMs)
    expect(found).toBeLessThanOrEqual(mostMs)
  }
}

export interface Answered {
  data: SeriesPoint[]
  meta: Omit<SeriesPoint, 'starts_at'> & {
    from: string
    to: string
    bucket_seconds: number
    recent: { checked_at: string }[]
  }
}

/** The whole answer: every hour or day by itself, and all of them together. */
export function expectSeries({ data, meta }: Answered, checks: readonly MadeCheck[]): void {
  const stepMs = meta.bucket_seconds * 1000
  const floor = (time: number) => Math.floor(time / stepMs) * stepMs
  const [from, to] = [Date.parse(meta.from), Date.parse(meta.to)]
  const begin = stepMs === HOUR_MS ? from : floor(from)
  const within = checks.filter(({ at }) => at.getTime() >= begin && at.getTime() <= to)
  expect(data.map(({ starts_at }) => Date.parse(starts_at))).toEqual(
    Array.from({ length: (floor(to) - floor(from)) / stepMs + 1 }, (_, n) => floor(from) + n * stepMs),
  )
  for (const point of data) {
    const own = within.filter(({ at }) => floor(at.getTime()) === Date.parse(point.starts_at))
    expectFigures(point, own)
  }
  expectFigures(meta, within)
}
