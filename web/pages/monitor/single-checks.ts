/** Prepares single checks for the chart of the last hour. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/shared/time.ts'
import { causeTexts, toSentence } from '../../lib/causes.ts'
import type { RecentCheck } from './queries.ts'

/** The chart of a new monitor starts at its first check instead of an hour ago, but covers at least this much time. */
const MIN_RANGE_MS = 10 * MINUTE_MS

/**
 * The page fetches `recentChecks` after every check, but `hourChecks` less often. Adds the newer checks of
 * `recentChecks` to `hourChecks`. Both lists are newest first; the result is oldest first.
 */
export function mergeChecks(hourChecks: readonly RecentCheck[], recentChecks: readonly RecentCheck[]): RecentCheck[] {
  const newestAt = hourChecks[0]?.checked_at ?? ''
  const newerChecks = recentChecks.filter(({ checked_at }) => checked_at > newestAt)
  const checks = [...newerChecks, ...hourChecks].toReversed()
  const start = Date.parse(checks.at(-1)?.checked_at ?? '') - HOUR_MS
  return checks.filter(({ checked_at }) => Date.parse(checked_at) >= start)
}

/** `checks` are oldest first. `to` is the server's time of the response. */
export function toCheckChart(checks: readonly RecentCheck[], to: string) {
  const times = checks.map(({ checked_at }) => Date.parse(checked_at))
  const end = Math.max(Date.parse(to), times.at(-1) ?? 0)
  const start = Math.max(end - HOUR_MS, Math.min(times[0] ?? end, end - MIN_RANGE_MS))
  return {
    x: times.map((ms) => ms / SECOND_MS),
    xRange: [start / SECOND_MS, end / SECOND_MS] as const,
    values: checks.map(({ response_ms }) => response_ms),
    failures: new Map(checks.flatMap((check, index) => (check.ok ? [] : [[index, describeFailure(check)]]))),
  }
}

export function describeFailure({ cause, detail }: Pick<RecentCheck, 'cause' | 'detail'>): string {
  const title = cause === null ? 'Check failed' : causeTexts[cause].title
  return detail === null ? `${title}.` : `${title}. ${toSentence(detail)}`
}
