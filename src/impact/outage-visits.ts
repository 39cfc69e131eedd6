/** The visits that were expected and seen during an outage. */
import type { TimeWindow } from '../incidents/window.ts'
import { addMs } from '../lib/clock.ts'
import { DAY_MS } from '../shared/time.ts'
import type { Queries } from '../storage/client.ts'
import { countVisitsByHost, type HostVisits } from './history/history-store.ts'
import { ceilToSlot, floorToSlot, SLOT_MS } from './history/hours-of-week.ts'
import { readVisitHistory, type StoredHistory } from './history/read-history.ts'
import type { TrafficWebsite } from './history/website-store.ts'
import { predictFromMean, predictVisits, type VisitPrediction } from './model/model.ts'

/** How much history a prediction uses. */
export const HISTORY_DAYS = 8 * 7

/** If more of an outage is on quiet days, there is no estimate. */
const MAX_QUIET_SHARE = 0.1

/** Returns undefined if there is too little history. Time in which Belfry could not count visits is left out. */
export function predictOutage(stored: StoredHistory, { from, to }: TimeWindow): VisitPrediction | undefined {
  if (stored.incompleteDays.some((day) => day.reason === 'lost' && overlaps(day, { from, to }))) return undefined
  const toSlots = (time: Date) => (time.getTime() - stored.startsAt.getTime()) / SLOT_MS
  if (toSlots(from) < 0) return undefined
  const usualPrediction = predictVisits(stored.history, toSlots(from), toSlots(to))
  if (usualPrediction === undefined) return undefined
  const prediction = { ...usualPrediction, isUnusual: usualPrediction.isUnusual || isOnQuietDays(stored, { from, to }) }
  const gapMean = stored.gaps
    .map((gap) => ({ from: laterOf(from, gap.from), to: earlierOf(to, gap.to) }))
    .filter((gap) => gap.from < gap.to)
    .map((gap) => predictVisits(stored.history, toSlots(gap.from), toSlots(gap.to))?.mean ?? 0)
    .reduce((sum, mean) => sum + mean, 0)
  if (gapMean === 0) return prediction
  const mean = Math.max(0, prediction.mean - gapMean)
  return { ...prediction, ...predictFromMean(mean, prediction) }
}

/** Whether quiet days cover so much of the outage that nobody can estimate its visits. */
export function isOnQuietDays({ quietPeriods }: StoredHistory, { from, to }: TimeWindow): boolean {
  const quietMs = quietPeriods
    .map((quiet) => earlierOf(to, quiet.to).getTime() - laterOf(from, quiet.from).getTime())
    .reduce((sum, overlapMs) => sum + Math.max(0, overlapMs), 0)
  return quietMs > MAX_QUIET_SHARE * (to.getTime() - from.getTime())
}

const overlaps = (one: TimeWindow, other: TimeWindow) => one.from < other.to && one.to > other.from
const laterOf = (one: Date, other: Date) => (one > other ? one : other)
const earlierOf = (one: Date, other: Date) => (one < other ? one : other)

/** Reads the history of a website or host before an outage, predicts the visits begun in the outage, and counts them. */
export async function readOutage(
  q: Queries,
  website: TrafficWebsite,
  host: string | undefined,
  outage: TimeWindow,
): Promise<{ stored: StoredHistory; prediction: VisitPrediction | undefined; seen: number }> {
  // The prediction is computed while PostgreSQL counts. So the history is read first.
  const [{ stored, prediction }, edgeVisits] = await Promise.all([
    readVisitHistory(q, website, host, addMs(outage.from, -HISTORY_DAYS * DAY_MS), outage.to).then((history) => ({
      stored: history,
      prediction: predictOutage(history, outage),
    })),
    countVisitsByHost(q, website.id, listEdges(outage)),
  ])
  const seen = isIncomplete(stored, outage)
    ? await countOutageVisits(q, website.id, stored, outage)
    : sumHostVisits(edgeVisits, stored) + sumSlots(stored, outage)
  return { stored, prediction, seen }
}

/** Counts the visits begun in the outage. */
export async function countOutageVisits(
  q: Queries,
  websiteId: number,
  stored: StoredHistory,
  outage: TimeWindow,
): Promise<number> {
  const countsAll = isIncomplete(stored, outage)
  const hostVisits = await countVisitsByHost(q, websiteId, countsAll ? [outage] : listEdges(outage))
  return sumHostVisits(hostVisits, stored) + (countsAll ? 0 : sumSlots(stored, outage))
}

function sumHostVisits(hostVisits: readonly HostVisits[], { hostnameIds }: StoredHistory): number {
  return hostVisits
    .filter(({ hostnameId }) => hostnameIds === undefined || hostnameIds.includes(hostnameId))
    .reduce((sum, { visits }) => sum + visits, 0)
}

const isIncomplete = ({ incompleteDays }: StoredHistory, outage: TimeWindow) =>
  incompleteDays.some((day) => overlaps(day, outage))

/**
 * Whole slots are counted already, so a long outage of a busy website is counted as fast as a short one. Returns the times
 * before the first and after the last whole slot, whose visits are counted one by one.
 */
function listEdges({ from, to }: TimeWindow): TimeWindow[] {
  const { innerFrom, innerTo } = findWholeSlots({ from, to })
  if (innerFrom >= innerTo) return [{ from, to }]
  return [
    { from, to: innerFrom },
    { from: innerTo, to },
  ].filter((edge) => edge.from < edge.to)
}

const findWholeSlots = ({ from, to }: TimeWindow) => ({
  innerFrom: new Date(ceilToSlot(from.getTime())),
  innerTo: new Date(floorToSlot(to.getTime())),
})

function sumSlots({ startsAt, history }: StoredHistory, outage: TimeWindow): number {
  const { innerFrom, innerTo } = findWholeSlots(outage)
  const toSlot = (time: Date) => Math.round((time.getTime() - startsAt.getTime()) / SLOT_MS)
  let sum = 0
  for (let slot = Math.max(0, toSlot(innerFrom)); slot < toSlot(innerTo); slot++) sum += history.counts[slot] ?? 0
  return sum
}
