/** Compares Belfry with a baseline of the same run under load, in rounds of a few seconds each. */
import { setTimeout as delay } from 'node:timers/promises'
import { type HttpLoadOptions, type LoadResult, runHttpLoad } from './load.ts'
import { median, reportPerformancePromise } from './report.ts'

const ROUNDS = 5
/** The first rounds are not compared, because V8 optimizes the code during the first seconds under load. */
const WARM_UP_ROUNDS = 2
const ROUND_SECONDS = 3

type Requests = Omit<HttpLoadOptions, 'connections' | 'seconds'>

interface LoadOptions {
  /** What Belfry is compared with, such as "a bare route". */
  baselineName: string
  connections: number
  baseline: Requests
  belfry: Requests
  /** How long to wait after each round, until Belfry has done the work that its requests left behind. */
  pauseMs?: number
}

interface LoadRound {
  baseline: LoadResult
  belfry: LoadResult
}

export interface LoadComparison {
  baselineName: string
  /** The rounds after the warm-up. */
  rounds: LoadRound[]
  /** How many requests Belfry acknowledged in all rounds, those of the warm-up included. */
  acknowledgedCount: number
  /** How many requests failed in all rounds. */
  failures: number
}

/** Prints both results of each round. */
export async function compareUnderLoad(options: LoadOptions): Promise<LoadComparison> {
  const { baselineName, connections, baseline, belfry, pauseMs = 0 } = options
  console.log(`  ${connections} connections, ${ROUNDS} rounds of ${ROUND_SECONDS} s each`)
  const run = (requests: Requests) => runHttpLoad({ ...requests, connections, seconds: ROUND_SECONDS })
  const allRounds: LoadRound[] = []
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const result = { baseline: await run(baseline), belfry: await run(belfry) }
    allRounds.push(result)
    if (round >= 0) console.log(`  ${baselineName} ${format(result.baseline)}   belfry ${format(result.belfry)}`)
    await delay(pauseMs)
  }
  const sum = (read: (round: LoadRound) => number) => allRounds.reduce((total, round) => total + read(round), 0)
  return {
    baselineName,
    rounds: allRounds.slice(WARM_UP_ROUNDS),
    acknowledgedCount: sum(({ belfry }) => belfry.count - belfry.failures),
    failures: sum(({ baseline, belfry }) => baseline.failures + belfry.failures),
  }
}

const format = ({ perSecond, p50Ms, p99Ms }: LoadResult) =>
  `${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`

/** Compares the median ratio of the rounds with what we promise. */
export function reportLoad(
  { baselineName, rounds, failures }: LoadComparison,
  { minThroughput, maxP99 }: { minThroughput: number; maxP99: number },
): boolean[] {
  const throughput = median(rounds.map(({ baseline, belfry }) => belfry.perSecond / baseline.perSecond))
  const p99 = median(rounds.map(({ baseline, belfry }) => belfry.p99Ms / baseline.p99Ms))
  return [
    reportPerformancePromise(
      `at least ${minThroughput}× the throughput of ${baselineName}`,
      `${throughput.toFixed(2)}×`,
      throughput >= minThroughput,
    ),
    reportPerformancePromise(`p99 at most ${maxP99}× that of ${baselineName}`, `${p99.toFixed(2)}×`, p99 <= maxP99),
    reportPerformancePromise('no request failed', `${failures} failed`, failures === 0),
  ]
}
