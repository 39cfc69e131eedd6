import type { LoadResult } from './load.ts'

export function median(values: readonly number[]): number {
  const sortedValues = [...values].sort((a, b) => a - b)
  return sortedValues[Math.floor(sortedValues.length / 2)] ?? 0
}

/** Prints what we promise about performance, the measured value, and whether the promise holds. */
export function reportPerformancePromise(text: string, measuredText: string, isKept: boolean): boolean {
  console.log(`${isKept ? 'holds ' : 'BROKEN'}  ${text}: ${measuredText}`)
  return isKept
}

/** The results of one round: those of Belfry, and those of a bare route for comparison. */
export interface LoadRound {
  bare: LoadResult
  belfry: LoadResult
}

export function printLoadRound({ bare, belfry }: LoadRound): void {
  const format = ({ perSecond, p50Ms, p99Ms }: LoadResult) =>
    `${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`
  console.log(`  bare ${format(bare)}   belfry ${format(belfry)}`)
}

/** Compares the median of the rounds with what we promise. */
export function reportLoad(
  rounds: readonly LoadRound[],
  { minRatio, maxP99Ms }: { minRatio: number; maxP99Ms: number },
): boolean[] {
  const ratio = median(rounds.map(({ bare, belfry }) => belfry.perSecond / bare.perSecond))
  const p99 = median(rounds.map(({ belfry }) => belfry.p99Ms))
  const failures = rounds.reduce((sum, { bare, belfry }) => sum + bare.failures + belfry.failures, 0)
  const ratioText = `at least ${minRatio} of the throughput of a bare route`
  return [
    reportPerformancePromise(ratioText, ratio.toFixed(2), ratio >= minRatio),
    reportPerformancePromise(`p99 under ${maxP99Ms} ms`, `${p99.toFixed(1)} ms`, p99 < maxP99Ms),
    reportPerformancePromise('no request failed', `${failures} failed`, failures === 0),
  ]
}
