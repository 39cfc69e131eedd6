/** The expected and actual visits around an incident, for a chart. */
import type { TimeWindow } from '../incidents/window.ts'
import { addMs } from '../lib/clock.ts'
import type { ImpactBasis } from '../shared/impact.ts'
import { DAY_MS, HOUR_MS } from '../shared/time.ts'
import type { Queries } from '../storage/transaction.ts'
import { readVisitHistory, type StoredHistory } from './history/read-visit-history.ts'
import type { TrafficWebsite } from './history/website-store.ts'
import { HISTORY_DAYS, isOnQuietDays } from './measure.ts'
import { predictFromMean, predictVisits } from './model/model.ts'
import { fitVisitProfile, sumProfile, tallyHistory } from './model/profile.ts'
import { ceilToSlot, floorToSlot, SLOT_MS, SLOTS_PER_DAY, type VisitHistory } from './model/visit-history.ts'

const BEFORE_MS = 2 * HOUR_MS
const AFTER_MS = HOUR_MS
const MAX_POINTS = 200
/** A point is one or several slots: 5, 15 or 30 minutes, 1, 2, 4 or 8 hours, or days. */
const slotsPerPoint = [1, 3, 6, 12, 24, 48, 96, SLOTS_PER_DAY]

export interface VisitsPoint {
  startsAt: Date
  actual: number
  expected: number
  low: number
  high: number
}

export interface VisitsAround extends TimeWindow {
  pointMs: number
  basis: ImpactBasis
  points: VisitsPoint[]
}

/**
 * Callers must roll up the website first. `host` is undefined for the whole website. The slot of `now` is left out,
 * because it is not over.
 */
export async function readVisitsAround(
  q: Queries,
  website: TrafficWebsite,
  host: string | undefined,
  { incident, now }: { incident: TimeWindow; now: Date },
): Promise<VisitsAround> {
  const from = new Date(floorToSlot(incident.from.getTime() - BEFORE_MS))
  const to = new Date(Math.min(floorToSlot(now.getTime()), ceilToSlot(incident.to.getTime() + AFTER_MS)))
  const slotCount = Math.max(0, (to.getTime() - from.getTime()) / SLOT_MS)
  const pointSlots =
    slotsPerPoint.find((slots) => slotCount / slots <= MAX_POINTS) ??
    Math.ceil(slotCount / MAX_POINTS / SLOTS_PER_DAY) * SLOTS_PER_DAY
  const chartRange = { from, to, pointMs: pointSlots * SLOT_MS }
  if (slotCount === 0) return { ...chartRange, basis: 'profile', points: [] }
  const storedHistory = await readVisitHistory(q, {
    website,
    host,
    from: addMs(incident.from, -HISTORY_DAYS * DAY_MS),
    to,
  })
  const predictPoint = createPointPredictor(storedHistory, incident.from, pointSlots)
  if (predictPoint === 'unusual' || isOnQuietDays(storedHistory, incident))
    return { ...chartRange, basis: 'unusual_traffic', points: [] }
  if (predictPoint === undefined) return { ...chartRange, basis: 'too_little_history', points: [] }
  const firstSlot = Math.round((from.getTime() - storedHistory.startsAt.getTime()) / SLOT_MS)
  const points: VisitsPoint[] = []
  for (let slot = 0; slot < slotCount; slot += pointSlots) {
    const [first, end] = [firstSlot + slot, firstSlot + Math.min(slotCount, slot + pointSlots)]
    points.push({
      startsAt: addMs(from, slot * SLOT_MS),
      actual: sumBetween(storedHistory.history, first, end),
      ...predictPoint(first, end),
    })
  }
  return { ...chartRange, basis: 'profile', points }
}

/**
 * All points use the profile, the level and the dispersion as they were known at the beginning of the incident. Returns
 * undefined if there was too little history, and `unusual` if visits were too unusual before the incident.
 */
function createPointPredictor({ history, startsAt }: StoredHistory, incidentFrom: Date, pointSlots: number) {
  const end = Math.floor((incidentFrom.getTime() - startsAt.getTime()) / SLOT_MS)
  const prediction = end < 0 ? undefined : predictVisits(history, end, end + pointSlots)
  if (prediction === undefined) return undefined
  if (prediction.isUnusual) return 'unusual'
  const tally = tallyHistory(history, Math.max(0, end - HISTORY_DAYS * SLOTS_PER_DAY), end)
  const profile = fitVisitProfile(tally, undefined)
  const usualVisits = sumProfile(history, profile, end, end + pointSlots)
  const level = usualVisits > 0 ? prediction.mean / usualVisits : 1
  return (from: number, to: number) => {
    const mean = level * sumProfile(history, profile, from, to)
    const { low, high } = predictFromMean(mean, prediction)
    return { expected: Math.round(mean * 100) / 100, low, high }
  }
}

function sumBetween({ counts }: VisitHistory, from: number, to: number): number {
  let sum = 0
  for (let slot = Math.max(0, from); slot < to; slot++) sum += counts[slot] ?? 0
  return sum
}
