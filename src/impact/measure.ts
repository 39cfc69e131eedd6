/** Measures the impact of incidents: what they cost, and whether visitors confirm them. */
import { addMs, type Clock } from '../lib/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import { findMonitorHost } from './history/website-of-host.ts'
import { findWebsiteOfMonitor, type TrafficWebsite } from './history/website-store.ts'
import { scheduleMeasurement } from './measure-schedule.ts'
import {
  claimDueIncidents,
  findIncidentAndBacklog,
  type IncidentKey,
  type IncidentToMeasure,
  isOutdated,
  type Measurement,
  storeMeasurement,
} from './measure-store.ts'
import { measureImpact } from './model/model.ts'
import { judgeVisitors } from './model/visitors.ts'
import { readOutage } from './outage-visits.ts'

export interface MeasureDeps {
  db: Database
  clock: Clock
  rollup: Pick<Rollup, 'rollUpWebsite'>
}

/** An incident is measured again after this time if a node claimed it and did not finish, or if the measurement failed. */
const CLAIM_MS = MINUTE_MS
const CLAIMED_INCIDENTS = 20
/** A run stops after this time. The next one continues. */
const MAX_RUN_MS = 4 * SECOND_MS
/** Days of an earlier version are counted in the background, which takes minutes. */
const UNCOUNTED_DELAY_MS = 10 * MINUTE_MS

/**
 * Can be repeated at any time, on any node. The result depends only on what is stored. Writes nothing if the incident is resolved
 * or diagnosed in the meantime.
 */
export async function measureIncident(deps: MeasureDeps, key: IncidentKey): Promise<void> {
  const now = deps.clock.now()
  const { incident, hasBacklog } = await findIncidentAndBacklog(deps.db, key)
  if (incident === undefined) return
  const website = lostVisits(incident) ? await findWebsiteOfMonitor(deps.db, key.userId, incident) : undefined
  const measurement =
    website === undefined
      ? { impact: null, visitors: null, measureAt: null }
      : await measureVisits(deps, incident, website, { now, hasBacklog })
  await storeMeasurement(deps.db, incident, measurement, now)
}

/** If Belfry could not collect visits, or the page lost its snippet, visits were just not counted, so they don't count as missed. */
export function lostVisits({ diagnosis }: Pick<IncidentToMeasure, 'diagnosis'>): boolean {
  return diagnosis !== 'collector' && diagnosis !== 'snippet_missing'
}

async function measureVisits(
  { db, rollup }: MeasureDeps,
  incident: IncidentToMeasure,
  website: TrafficWebsite,
  { now, hasBacklog }: { now: Date; hasBacklog: boolean },
): Promise<Measurement> {
  const { startedAt: from, resolvedAt, type } = incident
  const period = { from, to: new Date(Math.max(from.getTime(), (resolvedAt ?? now).getTime())) }
  if (hasBacklog) await rollup.rollUpWebsite(website.id)
  const host = type === 'traffic' ? undefined : findMonitorHost(incident)
  const { stored, prediction, seen } = await readOutage(db, website, host, period)
  const nextAt = scheduleMeasurement(from, resolvedAt, now)
  return {
    impact: measureImpact(prediction, seen),
    // A traffic monitor has nothing to confirm: it is down because visitors are gone.
    visitors: type === 'traffic' ? null : judgeVisitors(prediction, seen),
    measureAt: stored.incompleteDays.some(({ reason }) => reason === 'waiting')
      ? earlierOf(nextAt, addMs(now, UNCOUNTED_DELAY_MS))
      : nextAt,
  }
}

const earlierOf = (one: Date | null, other: Date) => (one !== null && one < other ? one : other)

/** Measures the incidents that are due. An incident that cannot be measured does not stop the others. */
export async function measureDueIncidents(deps: MeasureDeps, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  const endsAt = performance.now() + MAX_RUN_MS
  while (performance.now() < endsAt && !signal?.aborted) {
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

/** Measures an incident that has changed since it was last measured. Alerts need its impact before the next run of the job. */
export async function measureIfOutdated(deps: MeasureDeps, key: IncidentKey): Promise<void> {
  if (await isOutdated(deps.db, key, deps.clock.now())) await measureIncident(deps, key)
}
