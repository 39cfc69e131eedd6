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

/** Lists the figures that differ from the exact ones. Percentiles may differ within one histogram bucket. */
function listWrongFigures(figures: Omit<SeriesPoint, 'starts_at'>, checks: readonly TestCheck[]): string[] {
  const times = checks.flatMap(({ ms }) => ms ?? []).sort((a, b) => a - b)
  const hasTimes = times.length > 0
  const getPercentileRange = (percent: number) => {
    if (!hasTimes) return null
    return getBucketRange(toBucket(times[Math.ceil((percent * times.length) / 100) - 1] ?? -1))
  }
  const averageMs = hasTimes ? Math.round(times.reduce((sum, ms) => sum + ms, 0) / times.length) : null
  const wrongExactFigures = [
    ['total', figures.total, checks.length],
    ['failed', figures.failed, checks.filter(({ cause }) => cause !== null).length],
    ['avg_ms', figures.avg_ms, averageMs],
  ].filter(([, actual, expected]) => actual !== expected)
  const wrongPercentiles = (
    [
      ['p50_ms', figures.p50_ms, getPercentileRange(50)],
      ['p95_ms', figures.p95_ms, getPercentileRange(95)],
      ['p99_ms', figures.p99_ms, getPercentileRange(99)],
    ] as const
  ).filter(([, actual, range]) => {
    if (actual === null || range === null) return actual !== range
    return !(actual >= range.minMs && actual <= range.maxMs)
  })
  return [...wrongExactFigures, ...wrongPercentiles].map(
    ([name, actual, expected]) => `${name} is ${actual}, not ${JSON.stringify(expected)}`,
  )
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
  // One expectation covers all points, because a day has hundreds of points and each expectation takes time.
  const wrongFigures = data.flatMap((point) =>
    listWrongFigures(point, checksByPoint.get(Date.parse(point.starts_at)) ?? []).map(
      (text) => `${point.starts_at}: ${text}`,
    ),
  )
  expect(wrongFigures).toEqual([])
  expect(listWrongFigures(meta, checksInWindow)).toEqual([])
}
