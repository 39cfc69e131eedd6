/** Stores generated checks, and compares responses with figures computed from these checks directly. */
import { expect } from 'vitest'
import { getBucketRange, toBucket } from '../../src/results/histogram.ts'
import type { SeriesPoint } from '../../src/results/series.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import type { Database } from '../../src/storage/database.ts'

export interface TestCheck {
  at: Date
  /** null if there was no response. */
  ms: number | null
  cause: string | null
}

/** Generates the same numbers in every run. */
export function createSeededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** Generates a check every `everyMs`, about a tenth of them failed. */
export function createTestChecks(options: { from: Date; to: Date; everyMs: number; seed?: number }): TestCheck[] {
  const random = createSeededRandom(options.seed ?? 1)
  const checks: TestCheck[] = []
  for (let at = options.from.getTime(); at < options.to.getTime(); at += options.everyMs) {
    const draw = random()
    checks.push({
      at: new Date(at),
      ms: draw < 0.05 ? null : Math.floor(5 + 60_000 ** random()),
      cause: draw < 0.05 ? 'timeout' : draw < 0.1 ? 'http_status' : null,
    })
  }
  return checks
}

export async function addChecks(db: Database, monitorId: number, checks: readonly TestCheck[]): Promise<void> {
  await db.query(
    `insert into checks (user_id, monitor_id, checked_at, response_ms, bucket, cause, detail)
     select m.user_id, m.id, c.at, c.ms, c.bucket, c.cause, c.cause
       from monitors m, unnest($2::timestamptz[], $3::integer[], $4::smallint[], $5::text[]) as c (at, ms, bucket, cause)
      where m.id = $1`,
    [
      monitorId,
      checks.map(({ at }) => at),
      checks.map(({ ms }) => ms),
      checks.map(({ ms }) => (ms === null ? null : toBucket(ms))),
      checks.map(({ cause }) => cause),
    ],
  )
}

/** Compares figures of a response with exact ones. Percentiles may differ within one histogram bucket. */
export function expectFigures(figures: Omit<SeriesPoint, 'starts_at'>, checks: readonly TestCheck[]): void {
  const times = checks.flatMap(({ ms }) => ms ?? []).sort((a, b) => a - b)
  const failedCount = checks.filter(({ cause }) => cause !== null).length
  expect({ total: figures.total, failed: figures.failed }).toEqual({ total: checks.length, failed: failedCount })
  if (times.length === 0) {
    expect(figures).toMatchObject({ avg_ms: null, p50_ms: null, p95_ms: null, p99_ms: null })
    return
  }
  expect(figures.avg_ms).toBe(Math.round(times.reduce((sum, ms) => sum + ms, 0) / times.length))
  for (const [percent, actualMs] of [
    [50, figures.p50_ms],
    [95, figures.p95_ms],
    [99, figures.p99_ms],
  ] as const) {
    const exactMs = times[Math.ceil((percent * times.length) / 100) - 1] ?? -1
    const { minMs, maxMs } = getBucketRange(toBucket(exactMs))
    expect(actualMs).toBeGreaterThanOrEqual(minMs)
    expect(actualMs).toBeLessThanOrEqual(maxMs)
  }
}

export interface ChecksResponse {
  data: SeriesPoint[]
  meta: Omit<SeriesPoint, 'starts_at'> & {
    from: string
    to: string
    bucket_seconds: number
    recent: { checked_at: string }[]
  }
}

/** Compares every minute, hour or day of the response, and its totals, with figures computed from the checks. */
export function expectSeries({ data, meta }: ChecksResponse, checks: readonly TestCheck[]): void {
  const stepMs = meta.bucket_seconds * 1000
  const floorToStep = (time: number) => Math.floor(time / stepMs) * stepMs
  const [from, to] = [Date.parse(meta.from), Date.parse(meta.to)]
  const start = stepMs < DAY_MS ? from : floorToStep(from)
  const checksInWindow = checks.filter(({ at }) => at.getTime() >= start && at.getTime() <= to)
  expect(data.map(({ starts_at }) => Date.parse(starts_at))).toEqual(
    Array.from(
      { length: (floorToStep(to) - floorToStep(from)) / stepMs + 1 },
      (_, n) => floorToStep(from) + n * stepMs,
    ),
  )
  const checksByPoint = Map.groupBy(checksInWindow, ({ at }) => floorToStep(at.getTime()))
  for (const point of data) expectFigures(point, checksByPoint.get(Date.parse(point.starts_at)) ?? [])
  expectFigures(meta, checksInWindow)
}
