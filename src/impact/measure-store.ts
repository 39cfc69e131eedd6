/** SQL for the impact of incidents, across users. */
import type { Diagnosis, Impact, Visitors } from '../shared/impact.ts'
import type { MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/transaction.ts'

export interface IncidentKey {
  teamId: number
  monitorId: number
  incidentId: number
}

export interface IncidentToMeasure extends IncidentKey {
  startedAt: Date
  /** null while the incident is ongoing. */
  resolvedAt: Date | null
  diagnosis: Diagnosis | null
  type: MonitorType
  url: string
  websiteId: number | null
}

const incidentSql = `
  select i.user_id as "teamId", i.monitor_id as "monitorId", i.id as "incidentId", i.started_at as "startedAt",
         i.resolved_at as "resolvedAt", i.diagnosis, m.type, m.url, m.website_id as "websiteId"
    from incidents i join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
   where i.user_id = $1 and i.monitor_id = $2 and i.id = $3`

const toKeyValues = ({ teamId, monitorId, incidentId }: IncidentKey) => [teamId, monitorId, incidentId]

export async function findIncidentToMeasure(q: Queries, key: IncidentKey): Promise<IncidentToMeasure | undefined> {
  const [incident] = await q.query<IncidentToMeasure & Record<string, unknown>>(incidentSql, toKeyValues(key))
  return incident
}

/**
 * Also returns whether events wait to be rolled up. If none wait, the caller doesn't need to roll up, which saves a
 * round trip.
 */
export async function findIncidentAndBacklog(
  q: Queries,
  key: IncidentKey,
): Promise<{ incident: IncidentToMeasure | undefined; hasBacklog: boolean }> {
  const [incidents, batches] = await q.batch(
    { text: incidentSql, values: toKeyValues(key) },
    { text: 'select from event_inbox where fault is null limit 1' },
  )
  return { incident: incidents?.rows[0] as IncidentToMeasure | undefined, hasBacklog: batches?.count === 1 }
}

/**
 * Postpones the measurement of the incidents that it returns until `retryAt`. So no other node measures them in the
 * meantime, and they are measured again if this node is killed. It keeps no lock, because a lock would delay the
 * checker, which resolves incidents.
 */
export async function claimDueIncidents(q: Queries, now: Date, retryAt: Date, limit: number): Promise<IncidentKey[]> {
  return q.query<IncidentKey & Record<string, unknown>>(
    `with due as materialized (
       select user_id, monitor_id, id
         from incidents
        where measure_at <= $1
        -- After an upgrade, a year of old incidents is due. People wait for the newest incidents, which became due
        -- last.
        order by measure_at desc
        limit $3
          for no key update skip locked
     )
     update incidents i
        set measure_at = $2
       from due
      where i.user_id = due.user_id and i.monitor_id = due.monitor_id and i.id = due.id
     returning i.user_id as "teamId", i.monitor_id as "monitorId", i.id as "incidentId"`,
    [now, retryAt, limit],
  )
}

/**
 * Returns whether the incident has changed since it was last measured, or a further measurement of it is due. A change
 * counts even if another node is measuring the incident now.
 */
export async function isOutdated(q: Queries, key: IncidentKey, now: Date): Promise<boolean> {
  const rows = await q.query(
    `select from incidents
      where user_id = $1 and monitor_id = $2 and id = $3
        and (measure_at <= $4 or measure_at is not null and (measured_at is null or measured_at < resolved_at))`,
    [...toKeyValues(key), now],
  )
  return rows.length === 1
}

export interface StoredMeasurement {
  impact: Impact | null
  visitors: Visitors | null
  diagnosis: Diagnosis | null
}

/** Returns undefined if the incident was deleted. */
export async function findMeasurement(q: Queries, key: IncidentKey): Promise<StoredMeasurement | undefined> {
  const [measurement] = await q.query<StoredMeasurement & Record<string, unknown>>(
    'select impact, visitors, diagnosis from incidents where user_id = $1 and monitor_id = $2 and id = $3',
    toKeyValues(key),
  )
  return measurement
}

export interface Measurement {
  impact: Impact | null
  visitors: Visitors | null
  /** null: the measurement is final. */
  measureAt: Date | null
}

/** Stores nothing if the incident was resolved or diagnosed in the meantime, because it is due again then. */
export async function storeMeasurement(
  q: Queries,
  { teamId, monitorId, incidentId, resolvedAt, diagnosis }: IncidentToMeasure,
  { impact, visitors, measureAt }: Measurement,
  now: Date,
): Promise<void> {
  await q.query(
    // A Date has milliseconds. Other programs may have stored the end with microseconds, and without date_trunc, the incident
    // would be measured again every minute.
    `update incidents
        set impact = $4, visitors = $5, measure_at = $6, measured_at = $9
      where user_id = $1 and monitor_id = $2 and id = $3
        and date_trunc('milliseconds', resolved_at) is not distinct from $7 and diagnosis is not distinct from $8`,
    [teamId, monitorId, incidentId, impact && JSON.stringify(impact), visitors, measureAt, resolvedAt, diagnosis, now],
  )
}
