/** The visits that were expected and seen during an outage. */
import type { TimeWindow } from '../incidents/window.ts'
import type { Queries } from '../storage/client.ts'
import { findCountRange } from './count-distribution.ts'
import { ceilToSlot, floorToSlot, SLOT_MS } from './hours-of-week.ts'
import { countVisits } from './measure-store.ts'
import { predictVisits, type VisitPrediction } from './model.ts'
import type { StoredHistory } from './read-history.ts'

/** How much history a prediction uses. */
export const HISTORY_DAYS = 8 * 7

/** Returns undefined if there is too little history. Time in which Belfry could not count visits is left out. */
export function predictOutage(stored: StoredHistory, { from, to }: TimeWindow): VisitPrediction | undefined {
  if (stored.incompleteDays.some((day) => day.reason === 'lost' && overlaps(day, { from, to }))) return undefined
  const toSlots = (time: Date) => (time.getTime() - stored.startsAt.getTime()) / SLOT_MS
  if (toSlots(from) < 0) return undefined
  const prediction = predictVisits(stored.history, toSlots(from), toSlots(to))
  if (prediction === undefined) return undefined
  const gapMean = stored.gaps
    .map((gap) => ({ from: laterOf(from, gap.from), to: earlierOf(to, gap.to) }))
    .filter((gap) => gap.from < gap.to)
    .map((gap) => predictVisits(stored.history, toSlots(gap.from), toSlots(gap.to))?.mean ?? 0)
    .reduce((sum, mean) => sum + mean, 0)
  if (gapMean === 0) return prediction
  const mean = Math.max(0, prediction.mean - gapMean)
  const { dispersion } = prediction
  return { mean, dispersion, expected: Math.round(mean), ...findCountRange(mean, dispersion) }
}

const overlaps = (one: TimeWindow, other: TimeWindow) => one.from < other.to && one.to > other.from
const laterOf = (one: Date, other: Date) => (one > other ? one : other)
const earlierOf = (one: Date, other: Date) => (one < other ? one : other)

/**
 * Counts the visits begun in the period. Whole slots are counted already, so that a long outage of a busy website is counted as
 * fast as a short one. Only the visits before the first and after the last whole slot are counted one by one.
 */
export async function countOutageVisits(
  q: Queries,
  websiteId: number,
  stored: StoredHistory,
  period: TimeWindow,
): Promise<number> {
  const innerFrom = new Date(ceilToSlot(period.from.getTime()))
  const innerTo = new Date(floorToSlot(period.to.getTime()))
  const isIncomplete = stored.incompleteDays.some((day) => overlaps(day, period))
  if (isIncomplete || innerFrom >= innerTo)
    return sumCounts(await q.batch(countVisits(websiteId, stored.hostnameIds, period)))
  const edges = [
    { from: period.from, to: innerFrom },
    { from: innerTo, to: period.to },
  ].filter(({ from, to }) => from < to)
  const results =
    edges.length === 0 ? [] : await q.batch(...edges.map((edge) => countVisits(websiteId, stored.hostnameIds, edge)))
  return sumCounts(results) + sumSlots(stored, innerFrom, innerTo)
}

const sumCounts = (results: readonly { rows: Record<string, unknown>[] }[]) =>
  results.reduce((sum, { rows }) => sum + ((rows[0]?.['visits'] as number | undefined) ?? 0), 0)

function sumSlots({ startsAt, history }: StoredHistory, from: Date, to: Date): number {
  const toSlot = (time: Date) => Math.round((time.getTime() - startsAt.getTime()) / SLOT_MS)
  let sum = 0
  for (let slot = Math.max(0, toSlot(from)); slot < toSlot(to); slot++) sum += history.counts[slot] ?? 0
  return sum
}
