/** SQL that reads what `decideAnnouncement` needs to know, and writes what it decides, across users. */
import type { IncidentKey } from '../impact/measure-store.ts'
import { preferIndexOrderStatement } from '../outbox/store.ts'
import type { Queries } from '../storage/transaction.ts'
import type { DecidedAlert, IncidentFacts, MonitorFacts, ParentFacts } from './announcement.ts'
import type { AlertText } from './message.ts'

/** What a decision is about: an incident, or only a monitor. */
export interface AnnouncementSubject {
  teamId: number
  monitorId: number
  incidentId: number | null
  /** The time of the decision. */
  at: Date
}

type FactsRow = Omit<IncidentFacts, 'parent' | 'incidentId'> & {
  incidentId: number | null
  parentId: number | null
  parentType: ParentFacts['type']
  parentStatus: ParentFacts['status']
  parentStatusChangedAt: Date
  parentFailures: number
  parentLastCheckedAt: Date | null
  parentRetries: number
  parentRetryIntervalSeconds: number
  parentTimeoutSeconds: number | null
  parentIncidentId: number | null
}

/**
 * Must run after a statement that locks the incidents. Then PostgreSQL sees what other transactions have changed before they released
 * the locks. Listing the events of alerts lets PostgreSQL use the index alerts_once_key, whose columns are (…, event, incident_id, …).
 */
export async function readAnnouncementFacts(
  q: Queries,
  subjects: readonly AnnouncementSubject[],
): Promise<(IncidentFacts | (MonitorFacts & { incidentId: null }))[]> {
  const [, facts] = await q.batch(preferIndexOrderStatement, {
    text: `select s."teamId", s."monitorId", s.at,
            m.friendly_name as "friendlyName", m.url, m.type, m.remind_every_minutes as "remindEveryMinutes",
            ms.last_checked_at as "lastCheckedAt",
            m.maintenance_until > s.at is true or is_in_maintenance(m.user_id, m.id, s.at) as "isInMaintenance",
            i.id as "incidentId", i.detail, i.started_at as "startedAt", i.detected_at as "detectedAt",
            i.resolved_at as "resolvedAt", i.announced_at as "announcedAt",
            i.acknowledged_at as "acknowledgedAt", i.remind_at as "remindAt",
            i.during_maintenance as "isDuringMaintenance", i.diagnosis,
            i.parent_monitor_id as "linkedMonitorId", i.parent_incident_id as "linkedIncidentId",
            p.id as "parentId", p.type as "parentType", p.status as "parentStatus",
            p.status_changed_at as "parentStatusChangedAt", ps.failures as "parentFailures",
            ps.last_checked_at as "parentLastCheckedAt", p.retries as "parentRetries",
            p.retry_interval_seconds as "parentRetryIntervalSeconds", p.timeout_seconds as "parentTimeoutSeconds",
            pi.id as "parentIncidentId",
            (select coalesce(json_agg(json_build_object(
                      'channelId', a.provider_id,
                      'delayMinutes', a.delay_minutes,
                      'wasAlerted', exists (
                        select from alerts e
                         where e.user_id = i.user_id and e.monitor_id = i.monitor_id and e.event in ('down', 'reminder')
                           and e.incident_id = i.id and e.provider_id = a.provider_id and e.state <> 'skipped'
                      )) order by a.provider_id), '[]')
               from assignments a
              where a.user_id = m.user_id and a.monitor_id = m.id and a.enabled) as channels
       from json_to_recordset($1) as s ("teamId" bigint, "monitorId" bigint, "incidentId" bigint, at timestamptz)
       join monitors m on m.user_id = s."teamId" and m.id = s."monitorId"
       join monitor_states ms on ms.user_id = m.user_id and ms.monitor_id = m.id
       left join incidents i on i.user_id = m.user_id and i.monitor_id = m.id and i.id = s."incidentId"
       left join monitors p on p.user_id = m.user_id and p.id = m.depends_on
       left join monitor_states ps on ps.user_id = p.user_id and ps.monitor_id = p.id
       left join incidents pi on pi.user_id = p.user_id and pi.monitor_id = p.id and pi.resolved_at is null`,
    values: [JSON.stringify(subjects)],
  })
  const rows = (facts?.rows ?? []) as FactsRow[]
  return rows.map((row) => ({ ...row, parent: toParentFacts(row) }) as IncidentFacts)
}

function toParentFacts(row: FactsRow): ParentFacts | null {
  if (row.parentId === null) return null
  return {
    monitorId: row.parentId,
    type: row.parentType,
    status: row.parentStatus,
    statusChangedAt: row.parentStatusChangedAt,
    failures: row.parentFailures,
    lastCheckedAt: row.parentLastCheckedAt,
    retries: row.parentRetries,
    retryIntervalSeconds: row.parentRetryIntervalSeconds,
    timeoutSeconds: row.parentTimeoutSeconds,
    incidentId: row.parentIncidentId,
  }
}

/**
 * Lists ongoing incidents that are not announced yet, ordered by user and monitor, beginning after the monitor `after`.
 */
export async function listHeldIncidents(
  q: Queries,
  after: Pick<IncidentKey, 'teamId' | 'monitorId'>,
  limit: number,
): Promise<IncidentKey[]> {
  const [, held] = await q.batch(preferIndexOrderStatement, {
    text: `select user_id as "teamId", monitor_id as "monitorId", id as "incidentId"
             from incidents
            where resolved_at is null and announced_at is null and (user_id, monitor_id) > ($1, $2)
            order by user_id, monitor_id
            limit $3`,
    values: [after.teamId, after.monitorId, limit],
  })
  return held?.rows as IncidentKey[]
}

/**
 * Locks the incidents until the transaction ends, and returns those that it has locked. Skips incidents that are no
 * longer held, and incidents that another transaction has locked, because that transaction decides about them. This
 * never waits for a lock, so the order of the locks doesn't matter. Because the inner query locks rows, PostgreSQL
 * doesn't merge it with the outer one, and looks up each incident.
 */
export async function lockHeldIncidents(q: Queries, incidents: readonly IncidentKey[]): Promise<IncidentKey[]> {
  return q.query<IncidentKey & Record<string, unknown>>(
    `select i.user_id as "teamId", i.monitor_id as "monitorId", i.id as "incidentId"
       from json_to_recordset($1) as n ("teamId" bigint, "monitorId" bigint, "incidentId" bigint)
      cross join lateral (
        select user_id, monitor_id, id
          from incidents
         where user_id = n."teamId" and monitor_id = n."monitorId" and id = n."incidentId"
           and resolved_at is null and announced_at is null
           for no key update skip locked
      ) i`,
    [JSON.stringify(incidents)],
  )
}

export interface IncidentUpdate extends IncidentKey {
  announcedAt: Date | null
  remindAt: Date | null
  parentMonitorId: number | null
  parentIncidentId: number | null
}

export interface NewAlert extends DecidedAlert, AlertText {
  teamId: number
  monitorId: number
  incidentId: number | null
  /** Distinguishes warnings about the expiry of the same certificate or domain. Empty for alerts about incidents. */
  occurrence: string
  createdAt: Date
}

/**
 * Must run in the transaction that locked the incidents. Skips alerts for channels that were deleted, unassigned or disabled after the facts
 * were read. The alerts about one monitor are sent in the order of their ids, so they are stored in the order of the list. Returns the
 * number of new alerts.
 */
export async function writeAnnouncements(
  q: Queries,
  { incidents, alerts }: { incidents: readonly IncidentUpdate[]; alerts: readonly NewAlert[] },
): Promise<number> {
  if (incidents.length === 0 && alerts.length === 0) return 0
  const [, inserted] = await q.batch(
    {
      text: `update incidents i
                set announced_at = n."announcedAt", remind_at = n."remindAt",
                    parent_monitor_id = n."parentMonitorId", parent_incident_id = n."parentIncidentId"
               from json_to_recordset($1) as n ("teamId" bigint, "monitorId" bigint, "incidentId" bigint,
                      "announcedAt" timestamptz, "remindAt" timestamptz, "parentMonitorId" bigint, "parentIncidentId" bigint)
              where i.user_id = n."teamId" and i.monitor_id = n."monitorId" and i.id = n."incidentId"`,
      values: [JSON.stringify(incidents)],
    },
    {
      text: `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body, created_at,
                                 delayed_until, next_attempt_at)
             select n."teamId", n."monitorId", n."channelId", n.event, n."incidentId", n.occurrence, n.title, n.body,
                    n."createdAt", n."delayedUntil", coalesce(n."delayedUntil", n."createdAt")
               from rows from (
                      json_to_recordset($1) as ("teamId" bigint, "monitorId" bigint, "channelId" bigint, event text,
                        "incidentId" bigint, occurrence text, title text, body text, "createdAt" timestamptz,
                        "delayedUntil" timestamptz)
                    ) with ordinality as n ("teamId", "monitorId", "channelId", event, "incidentId", occurrence, title, body,
                                            "createdAt", "delayedUntil", place)
               join assignments a on a.user_id = n."teamId" and a.monitor_id = n."monitorId" and a.provider_id = n."channelId"
                                 and a.enabled
              order by n.place
             on conflict do nothing`,
      values: [JSON.stringify(alerts, replaceLoneSurrogates)],
    },
  )
  return inserted?.count ?? 0
}

/** PostgreSQL rejects JSON that contains half of a surrogate pair. */
export const replaceLoneSurrogates = (_key: string, value: unknown) =>
  typeof value === 'string' ? value.toWellFormed() : value
