/** Measures the impact of incidents: what they cost, and whether visitors confirm them. */
import type { TimeWindow } from '../incidents/window.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import type { TransactionQueries } from '../storage/transaction.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import { readVisitHistory, type StoredHistory } from './history/read-visit-history.ts'
import { countSnapshotVisitsByHost, countVisitsByHost, type HostVisits } from './history/store.ts'
import { findWebsiteOfMonitor, type TrafficWebsite } from './history/website-store.ts'
import {
  claimDueIncidents,
  findIncidentAndBacklog,
  type IncidentKey,
  type IncidentToMeasure,
  isOutdated,
  type Measurement,
  storeMeasurement,
} from './measure-store.ts'
import { judgeVisitors, measureImpact, predictFromMean, predictVisits, type VisitPrediction } from './model/model.ts'
import { ceilToSlot, floorToSlot, SLOT_MS } from './model/visit-history.ts'

export interface MeasureDeps {
  db: Database
  clock: Clock
  rollup: Pick<Rollup, 'rollUpWebsite'>
}

/** An incident is measured again after this time if a node claimed it and did not finish, or if the measurement failed. */
const CLAIM_MS = MINUTE_MS
const CLAIMED_INCIDENTS = 20
/** A run claims no further incidents after this time. The next run continues. */
const MAX_RUN_MS = 4 * SECOND_MS

/** Measures the incidents that are due. An incident that cannot be measured does not stop the others. */
export async function measureDueIncidents(deps: MeasureDeps, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  const deadline = performance.now() + MAX_RUN_MS
  while (performance.now() < deadline && !signal?.aborted) {
    const now = deps.clock.now()
    const keys = await claimDueIncidents(deps.db, now, addMs(now, CLAIM_MS), CLAIMED_INCIDENTS)
    if (keys.length === 0) break
    for (const key of keys) {
      if (signal?.aborted) break
      await measureIncident(deps, key).catch((error) => failures.push(error))
    }
  }
  if (failures.length > 0) {
    throw new Error(`Incidents that could not be measured: ${failures.length}`, { cause: failures[0] })
  }
}

/** Measures an incident that has changed since it was last measured. An alert about it can't wait for the next run of the job. */
export async function measureIfOutdated(deps: MeasureDeps, key: IncidentKey): Promise<void> {
  if (await isOutdated(deps.db, key, deps.clock.now())) await measureIncident(deps, key)
}

/**
 * Nodes can repeat this at any time, because the result depends only on what is stored. Writes nothing if the incident
 * is resolved or diagnosed in the meantime.
 */
export async function measureIncident(deps: MeasureDeps, key: IncidentKey): Promise<void> {
  const now = deps.clock.now()
  const { incident, hasBacklog } = await findIncidentAndBacklog(deps.db, key)
  if (incident === undefined) return
  const website = hasMissedVisits(incident) ? await findWebsiteOfMonitor(deps.db, key.teamId, incident) : undefined
  const measurement =
    website === undefined
      ? { impact: null, visitors: null, measureAt: null }
      : await measureVisits(deps, incident, website, { now, hasBacklog })
  await storeMeasurement(deps.db, incident, measurement, now)
}

/**
 * Returns whether visits that didn't arrive count as missed. If Belfry could not collect visits, or the page lost its
 * snippet, there may have been as many visits as usual, which were just not counted.
 */
export function hasMissedVisits({ diagnosis }: Pick<IncidentToMeasure, 'diagnosis'>): boolean {
  return diagnosis !== 'collector' && diagnosis !== 'snippet_missing'
}

/**
 * An incident on days that are not counted by slot yet is measured again after this time. After an upgrade, days that
 * an earlier version has counted are counted by slot in the background, which takes minutes.
 */
const UNCOUNTED_DELAY_MS = 10 * MINUTE_MS

async function measureVisits(
  { db, rollup }: MeasureDeps,
  incident: IncidentToMeasure,
  website: TrafficWebsite,
  { now, hasBacklog }: { now: Date; hasBacklog: boolean },
): Promise<Measurement> {
  const { startedAt: from, resolvedAt, type } = incident
  const period = { from, to: new Date(Math.max(from.getTime(), (resolvedAt ?? now).getTime())) }
  if (hasBacklog) await rollup.rollUpWebsite(website.id)
  const host = type === 'traffic' ? undefined : parseMonitorHost(incident)
  const { storedHistory, prediction, visits } = await readOutage(db, website, host, period)
  const nextAt = scheduleMeasurement(from, resolvedAt, now)
  const recountedAt = addMs(now, UNCOUNTED_DELAY_MS)
  const isWaiting = storedHistory.incompleteDays.some(({ reason }) => reason === 'waiting')
  return {
    impact: measureImpact(prediction, visits),
    // A traffic monitor has nothing to confirm: it is down because visitors are gone.
    visitors: type === 'traffic' ? null : judgeVisitors(prediction, visits),
    measureAt: isWaiting && (nextAt === null || nextAt > recountedAt) ? recountedAt : nextAt,
  }
}

const MIN_OPEN_DELAY_MS = 30 * SECOND_MS
const MAX_OPEN_DELAY_MS = 10 * MINUTE_MS
/** An ongoing incident is measured again after this share of its duration. */
const OPEN_DELAY_SHARE = 0.1
/** An incident that is over is measured again at these times after its end, because events can arrive late. Then the impact is final. */
const RESOLVED_DELAYS_MS = [5 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS]

/** Returns when an incident that is measured now has to be measured again. null: never. */
export function scheduleMeasurement(startedAt: Date, resolvedAt: Date | null, now: Date): Date | null {
  if (resolvedAt === null) {
    const delayMs = (now.getTime() - startedAt.getTime()) * OPEN_DELAY_SHARE
    return addMs(now, Math.min(MAX_OPEN_DELAY_MS, Math.max(MIN_OPEN_DELAY_MS, delayMs)))
  }
  return RESOLVED_DELAYS_MS.map((delayMs) => addMs(resolvedAt, delayMs)).find((time) => time > now) ?? null
}

/** How much history a prediction uses. */
export const HISTORY_DAYS = 8 * 7

interface MeasuredOutage {
  storedHistory: StoredHistory
  prediction: VisitPrediction | undefined
  /** The visits that actually began in the outage. */
  visits: number
}

/** Reads the history of a website or host before an outage, predicts the visits begun in the outage, and counts the actual ones. */
async function readOutage(
  db: Database,
  website: TrafficWebsite,
  host: string | undefined,
  outage: TimeWindow,
): Promise<MeasuredOutage> {
  const { from, to } = outage
  const historyFrom = addMs(from, -HISTORY_DAYS * DAY_MS)
  // The history is requested first, so that the prediction is computed while PostgreSQL counts.
  const [{ storedHistory, prediction }, edgeVisits] = await Promise.all([
    readVisitHistory(db, { website, host, from: historyFrom, to }).then((history) => ({
      storedHistory: history,
      prediction: predictOutage(history, outage),
    })),
    countVisitsByHost(db, website.id, listEdges(outage)),
  ])
  const visits = isIncomplete(storedHistory, outage)
    ? sumHostVisits((await countVisitsByHost(db, website.id, [outage])).flat(), storedHistory)
    : sumHostVisits(edgeVisits.flat(), storedHistory) + sumSlots(storedHistory, outage)
  return { storedHistory, prediction, visits }
}

/** Returns undefined if there is too little history. Time in which Belfry could not count visits is left out. */
export function predictOutage(storedHistory: StoredHistory, { from, to }: TimeWindow): VisitPrediction | undefined {
  if (storedHistory.incompleteDays.some((day) => day.reason === 'lost' && overlaps(day, { from, to }))) return undefined
  const toSlots = (time: Date) => (time.getTime() - storedHistory.startsAt.getTime()) / SLOT_MS
  if (toSlots(from) < 0) return undefined
  const usualPrediction = predictVisits(storedHistory.history, toSlots(from), toSlots(to))
  if (usualPrediction === undefined) return undefined
  const prediction = {
    ...usualPrediction,
    isUnusual: usualPrediction.isUnusual || isOnQuietDays(storedHistory, { from, to }),
  }
  const gapMean = storedHistory.gaps
    .map((gap) => ({ from: laterOf(from, gap.from), to: earlierOf(to, gap.to) }))
    .filter((gap) => gap.from < gap.to)
    .map((gap) => predictVisits(storedHistory.history, toSlots(gap.from), toSlots(gap.to))?.mean ?? 0)
    .reduce((sum, mean) => sum + mean, 0)
  if (gapMean === 0) return prediction
  const mean = Math.max(0, prediction.mean - gapMean)
  return { ...prediction, ...predictFromMean(mean, prediction) }
}

/** If a larger share of an outage is on quiet days, there is no estimate. */
const MAX_QUIET_SHARE = 0.1

/** Whether quiet days cover too much of the outage to estimate its visits. */
export function isOnQuietDays({ quietPeriods }: StoredHistory, { from, to }: TimeWindow): boolean {
  const quietMs = quietPeriods
    .map((quiet) => earlierOf(to, quiet.to).getTime() - laterOf(from, quiet.from).getTime())
    .reduce((sum, overlapMs) => sum + Math.max(0, overlapMs), 0)
  return quietMs > MAX_QUIET_SHARE * (to.getTime() - from.getTime())
}

/**
 * Counts the visits that began in each outage. Whole slots come from the outage's history, and the rest from stored visits; if the history is
 * incomplete, all come from stored visits. `q` must be a transaction that reads one snapshot. All outages are counted in one read, so that a
 * block is decoded only once.
 */
export async function countOutageVisits(
  q: TransactionQueries,
  websiteId: number,
  outages: readonly (TimeWindow & { history: StoredHistory })[],
): Promise<number[]> {
  const periods = outages.flatMap((outage, index) =>
    (isIncomplete(outage.history, outage) ? [outage] : listEdges(outage)).map(({ from, to }) => ({ index, from, to })),
  )
  const sums = outages.map((outage) => (isIncomplete(outage.history, outage) ? 0 : sumSlots(outage.history, outage)))
  for (const [position, hostVisits] of (await countSnapshotVisitsByHost(q, websiteId, periods)).entries()) {
    const { index } = periods[position] as (typeof periods)[number]
    sums[index] =
      (sums[index] as number) + sumHostVisits(hostVisits, (outages[index] as (typeof outages)[number]).history)
  }
  return sums
}

function sumHostVisits(hostVisits: readonly HostVisits[], { hostnameIds }: StoredHistory): number {
  return hostVisits
    .filter(({ hostnameId }) => hostnameIds === undefined || hostnameIds.includes(hostnameId))
    .reduce((sum, { visits }) => sum + visits, 0)
}

const isIncomplete = ({ incompleteDays }: StoredHistory, outage: TimeWindow) =>
  incompleteDays.some((day) => overlaps(day, outage))

/**
 * Returns the parts of an outage before its first whole slot and after its last one. The visits in these parts are
 * counted one by one. The history has the counts of whole slots, so a long outage of a busy website is counted as fast
 * as a short one.
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

const overlaps = (one: TimeWindow, other: TimeWindow) => one.from < other.to && one.to > other.from
const laterOf = (one: Date, other: Date) => (one > other ? one : other)
const earlierOf = (one: Date, other: Date) => (one < other ? one : other)
