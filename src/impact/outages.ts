/** Adds up the outages of a website: how long they lasted, and how many visits they cost. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { TimeWindow } from '../incidents/window.ts'
import { addMs } from '../lib/clock.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import type { Impact } from '../shared/impact.ts'
import { DAY_MS, SECOND_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import type { Queries, TransactionQueries } from '../storage/transaction.ts'
import { readVisitHistory, type StoredHistory } from './history/read-visit-history.ts'
import { findWebsiteIds, removeWwwLabel, type TrafficWebsite } from './history/website-store.ts'
import { countOutageVisits, HISTORY_DAYS, hasMissedVisits, predictOutage } from './measure.ts'
import { measureImpact, sumPredictions, type VisitPrediction } from './model/model.ts'
import { readIncidentsMentioning, type WebsiteIncidentRow } from './outages-store.ts'

/** The scope of incidents that concern all visitors of the website. */
export const WHOLE_WEBSITE = '*'

export interface ScopedIncident extends TimeWindow {
  id: number
  /** Whose visitors the incident concerns: those of a host, or `WHOLE_WEBSITE`. */
  scope: string
}

export interface OutageCluster<T extends ScopedIncident> extends TimeWindow {
  scope: string
  incidents: T[]
}

/**
 * At most this many clusters are predicted, because a prediction takes about two milliseconds. If there are more, only
 * the longest ones are predicted, which contain nearly all visits.
 */
const MAX_PREDICTIONS = 500

export interface OutageSum {
  outages: number
  downtimeSeconds: number
  impact: Impact
  /** Outages whose visits cannot be estimated. They are not in `impact`. */
  outagesWithoutEstimate: number
  incidentIds: number[]
}

type CountedIncident = ScopedIncident & WebsiteIncidentRow

/**
 * Callers must roll up the website first. Overlapping incidents count once. Incidents that began during planned
 * maintenance don't count. Incidents with the cause `silence` don't count either if Belfry only failed to count the
 * visits.
 */
export async function sumOutages(db: Database, website: TrafficWebsite, window: TimeWindow): Promise<OutageSum> {
  const { incidents, clusters } = await db.snapshot((q) => readClusters(q, website, window))
  const periods = mergePeriods(incidents)
  return {
    outages: periods.length,
    downtimeSeconds: Math.floor(periods.reduce((sum, period) => sum + getLengthMs(period), 0) / SECOND_MS),
    ...(await measureClusters(clusters)),
    incidentIds: incidents.map(({ id }) => id),
  }
}

interface CountedCluster extends OutageCluster<CountedIncident> {
  history: StoredHistory
  actual: number
}

async function readClusters(
  q: TransactionQueries,
  website: TrafficWebsite,
  window: TimeWindow,
): Promise<{ incidents: CountedIncident[]; clusters: CountedCluster[] }> {
  const histories = new Map<string, StoredHistory>()
  const incidents: CountedIncident[] = []
  for (const row of await readOutageIncidents(q, website, window)) {
    incidents.push(await addScope(q, { website, window, histories }, row))
  }
  const longestFirst = clusterIncidents(incidents).sort((one, other) => getLengthMs(other) - getLengthMs(one))
  const clusters = longestFirst
    .slice(0, MAX_PREDICTIONS)
    .map((cluster) => ({ ...cluster, history: histories.get(cluster.scope) as StoredHistory }))
  const actual = await countOutageVisits(q, website.id, clusters)
  return { incidents, clusters: clusters.map((cluster, index) => ({ ...cluster, actual: actual[index] as number })) }
}

/** Limits the incidents to the window. An ongoing incident lasts until the end of the window. */
async function readOutageIncidents(
  q: Queries,
  website: TrafficWebsite,
  window: TimeWindow,
): Promise<(WebsiteIncidentRow & TimeWindow)[]> {
  const { incidents, subdomains } = await readIncidentsMentioning(q, website, window)
  const websites = [website.domain, ...subdomains].map((domain, id) => ({ domain, id }))
  const owners = findWebsiteIds(
    incidents.map(({ url }) => url),
    incidents.map(({ type }) => type),
    websites,
  )
  return incidents
    .filter(({ websiteId }, index) => (websiteId === null ? owners[index] === 0 : websiteId === website.id))
    .filter(hasMissedVisits)
    .map((incident) => ({
      ...incident,
      from: new Date(Math.max(incident.startedAt.getTime(), window.from.getTime())),
      to: new Date(Math.min((incident.resolvedAt ?? window.to).getTime(), window.to.getTime())),
    }))
}

interface OutageHistories {
  website: TrafficWebsite
  window: TimeWindow
  /** The history of each scope that has been read. */
  histories: Map<string, StoredHistory>
}

/** Returns the incident with its scope. Reads the history of the scope, unless `histories` already contains it. */
async function addScope(
  q: Queries,
  { website, window, histories }: OutageHistories,
  incident: WebsiteIncidentRow & TimeWindow,
): Promise<CountedIncident> {
  const host = incident.type === 'traffic' ? undefined : removeWwwLabel(parseMonitorHost(incident) ?? website.domain)
  const key = host ?? WHOLE_WEBSITE
  let history = histories.get(key)
  if (history === undefined) {
    const from = addMs(window.from, -HISTORY_DAYS * DAY_MS)
    history = await readVisitHistory(q, { website, host, from, to: window.to })
    histories.set(key, history)
  }
  if (history.hostnameIds !== undefined) return { ...incident, scope: key }
  if (!histories.has(WHOLE_WEBSITE)) histories.set(WHOLE_WEBSITE, history)
  return { ...incident, scope: WHOLE_WEBSITE }
}

async function measureClusters(clusters: readonly CountedCluster[]) {
  if (clusters.length === 0) return { impact: noImpact, outagesWithoutEstimate: 0 }
  const predictions: VisitPrediction[] = []
  let unusualPrediction: VisitPrediction | undefined
  let actual = 0
  for (const cluster of clusters) {
    const prediction = predictOutage(cluster.history, cluster)
    if (prediction?.isUnusual) unusualPrediction = prediction
    else if (prediction !== undefined) {
      predictions.push(prediction)
      actual += cluster.actual
    }
    // Let other requests run between two predictions.
    await yieldToEventLoop()
  }
  const impact = measureImpact(predictions.length === 0 ? unusualPrediction : sumPredictions(predictions), actual)
  return { impact, outagesWithoutEstimate: clusters.length - predictions.length }
}

const noImpact: Impact = {
  ...measureImpact(undefined, 0),
  visits_expected: 0,
  visits_low: 0,
  visits_high: 0,
  visits_seen: 0,
  visits_missed: 0,
  visits_missed_low: 0,
  visits_missed_high: 0,
  basis: 'profile',
}

const getLengthMs = ({ from, to }: TimeWindow) => to.getTime() - from.getTime()

/**
 * Incidents must be in the order of their start. Those that overlap become one cluster if they concern the same visitors. Everything
 * that overlaps an outage of the whole website is a part of it.
 */
export function clusterIncidents<T extends ScopedIncident>(incidents: readonly T[]): OutageCluster<T>[] {
  const endedClusters: OutageCluster<T>[] = []
  let currentClusters: OutageCluster<T>[] = []
  for (const incident of incidents) {
    const { scope, from, to } = incident
    const groups = Object.groupBy(currentClusters, (cluster) => {
      if (cluster.to <= from) return 'ended'
      return [cluster.scope, scope].includes(WHOLE_WEBSITE) || cluster.scope === scope ? 'overlapping' : 'separate'
    })
    endedClusters.push(...(groups.ended ?? []))
    const parts = [...(groups.overlapping ?? []), { scope, from, to, incidents: [incident] }]
    currentClusters = [...(groups.separate ?? []), joinClusters(parts)]
  }
  return [...endedClusters, ...currentClusters]
}

function joinClusters<T extends ScopedIncident>(parts: readonly OutageCluster<T>[]): OutageCluster<T> {
  return {
    scope: parts.some(({ scope }) => scope === WHOLE_WEBSITE) ? WHOLE_WEBSITE : (parts[0] as OutageCluster<T>).scope,
    from: new Date(Math.min(...parts.map(({ from }) => from.getTime()))),
    to: new Date(Math.max(...parts.map(({ to }) => to.getTime()))),
    incidents: parts.flatMap((part) => part.incidents),
  }
}

/** Merges periods that overlap or touch. `periods` must be sorted by start, and the result is sorted by start, too. */
export function mergePeriods(periods: readonly TimeWindow[]): TimeWindow[] {
  const mergedPeriods: TimeWindow[] = []
  for (const { from, to } of periods) {
    const last = mergedPeriods.at(-1)
    if (last === undefined || last.to < from) mergedPeriods.push({ from, to })
    else if (to > last.to) last.to = to
  }
  return mergedPeriods
}
