/** SQL that acknowledges incidents. It works in a transaction of the owner, and in one across users. */
import type { IncidentKey } from '../impact/measure-store.ts'
import type { Queries } from '../storage/transaction.ts'

export interface AcknowledgeableIncident extends IncidentKey {
  resolvedAt: Date | null
  acknowledgedAt: Date | null
}

/**
 * Locks the incident until the transaction ends. If a check is resolving it, or a job is announcing it or sending a reminder, this waits for
 * that transaction, and the next statements see what it has stored. Returns undefined if the user has no such incident.
 */
export async function lockIncident(
  q: Queries,
  { teamId, incidentId }: Pick<IncidentKey, 'teamId' | 'incidentId'>,
): Promise<AcknowledgeableIncident | undefined> {
  const [incident] = await q.query<AcknowledgeableIncident & Record<string, unknown>>(
    `select user_id as "teamId", monitor_id as "monitorId", id as "incidentId", resolved_at as "resolvedAt",
            acknowledged_at as "acknowledgedAt"
       from incidents
      where user_id = $1 and id = $2
        for no key update`,
    [teamId, incidentId],
  )
  return incident
}

/**
 * Must run in the transaction that locked the incident. Clears `remind_at` and skips delayed alerts immediately, so that nodes of earlier
 * versions, which don't know acknowledgements, respect them, too.
 *
 * The second update tests `delayed_until` again: if another node decides at the same moment that the delay has ended
 * (`writeDelayedAlerts`), one of the two waits for the other's lock, and the later one changes nothing. So an alert is either sent or
 * skipped, never both. The third update skips only reminders that no node is sending: a node must claim a channel before it sends alerts,
 * and can't claim one that this update has locked.
 */
export async function writeAcknowledgement(
  q: Queries,
  { teamId, monitorId, incidentId }: IncidentKey,
  { at, by }: { at: Date; by: string },
): Promise<void> {
  const key = [teamId, monitorId, incidentId]
  await q.batch(
    {
      text: `update incidents
                set acknowledged_at = $4, acknowledged_by = $5, remind_at = null
              where user_id = $1 and monitor_id = $2 and id = $3 and acknowledged_at is null`,
      values: [...key, at, by],
    },
    {
      text: `update alerts
                set state = 'skipped', next_attempt_at = null
              where user_id = $1 and monitor_id = $2 and event = 'down' and incident_id = $3
                and state = 'waiting' and delayed_until is not null and attempts = 0`,
      values: key,
    },
    {
      text: `with reminders as materialized (
               select id, provider_id
                 from alerts
                where user_id = $1 and monitor_id = $2 and event = 'reminder' and incident_id = $3
                  and state = 'waiting' and attempts = 0
             ), idle_channels as materialized (
               select id
                 from providers
                where user_id = $1 and id in (select provider_id from reminders) and claimed_by is null
                  for no key update skip locked
             )
             update alerts a
                set state = 'skipped', next_attempt_at = null
               from reminders r
               join idle_channels c on c.id = r.provider_id
              where a.user_id = $1 and a.id = r.id and a.next_attempt_at is not null and a.attempts = 0`,
      values: key,
    },
  )
}
