/** Says when the monitors of a post were down. */
import { formatDuration } from '../../lib/format.ts'
import type { SnapshotPost } from '../snapshot.ts'
import { renderTime, renderTimeRange } from './times.ts'

export interface OutageSummary {
  /** How often something was down. Overlapping outages of several monitors count once. */
  count: number
  totalMs: number
  startedAt: number
  /** null: a monitor is still down. */
  resolvedAt: number | null
}

/** Returns undefined if the post is about no outage. An ongoing outage lasts until `now`. */
export function summarizeOutages(outages: SnapshotPost['outages'] = [], now: number): OutageSummary | undefined {
  const oldestFirst = outages.toSorted((a, b) => a.startedAt - b.startedAt)
  const [first] = oldestFirst
  if (first === undefined) return undefined
  let [count, totalMs, coveredUntil] = [0, 0, Number.NEGATIVE_INFINITY]
  for (const { startedAt, resolvedAt } of oldestFirst) {
    const end = resolvedAt ?? now
    if (startedAt > coveredUntil) count++
    totalMs += Math.max(0, end - Math.max(startedAt, coveredUntil))
    coveredUntil = Math.max(coveredUntil, end)
  }
  const isOver = outages.every(({ resolvedAt }) => resolvedAt !== null)
  return { count, totalMs, startedAt: first.startedAt, resolvedAt: isOver ? coveredUntil : null }
}

/** Returns, for example, "Down for 12 min · 09:07 – 09:19". `day` is the date of the heading above it. */
export function renderOutages(
  { count, totalMs, startedAt, resolvedAt }: OutageSummary,
  zone: string,
  day?: string,
): string {
  const duration = formatDuration(totalMs)
  const text = count === 1 ? `Down for ${duration}` : `Down ${count} times, ${duration} in total`
  const style = day === undefined ? undefined : ({ style: 'clock', day } as const)
  return resolvedAt === null
    ? `${text}, since ${renderTime(startedAt, zone, style)}`
    : `${text} · ${renderTimeRange(startedAt, resolvedAt, zone, day)}`
}
