/** SQL for the alert log. */

import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'

/** How many alerts the message contains. An alert without a group has a message of its own. */
const messageAlertsSql =
  'greatest(1, (select count(*) from alerts g where g.user_id = a.user_id and g.group_id = a.group_id))'

interface AlertLog {
  /** The records of one page, newest first. */
  json: string
  total: number
}

/** Reads only alerts about `incidentIds`, if given. Returns undefined if the caller has no such monitor. */
export async function readAlertLog(
  q: Queries,
  monitorId: number,
  incidentIds: readonly number[] | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<AlertLog | undefined> {
  const [monitor, count, page] = await queryWithFreshPlan(
    q,
    { text: `select from monitors where ${OWN_ROWS} and id = $1`, values: [monitorId] },
    ...(incidentIds === undefined
      ? selectAllAlerts(monitorId, limit, offset)
      : selectAlertsAboutIncidents(monitorId, incidentIds, limit, offset)),
  )
  if (monitor?.count !== 1) return undefined
  return { json: page?.json ?? '', total: count?.rows[0]?.['total'] }
}

function selectAllAlerts(monitorId: number, limit: number, offset: number) {
  return [
    { text: `select count(*) as total from alerts where ${OWN_ROWS} and monitor_id = $1`, values: [monitorId] },
    {
      text: `select a.message_id as id, coalesce(a.group_id, a.message_id) as message_id, a.event, a.incident_id,
               a.provider_id, p.provider_type, p.name as provider_name, a.state, a.attempts, a.created_at,
               a.last_attempt_at, a.next_attempt_at, a.title, a.details, a.answer, ${messageAlertsSql} as message_alerts
          from alerts a join providers p on p.user_id = a.user_id and p.id = a.provider_id
         where a.${OWN_ROWS} and a.monitor_id = $1
         order by a.id desc limit $2 offset $3`,
      values: [monitorId, limit, offset],
      asJson: true,
    },
  ]
}

/**
 * Listing the events lets PostgreSQL use alerts_once_key, whose columns are (…, event, incident_id, …). `materialized`
 * stops PostgreSQL from scanning the alerts of all monitors, newest first, just to avoid sorting the few selected ones.
 */
function selectAlertsAboutIncidents(monitorId: number, incidentIds: readonly number[], limit: number, offset: number) {
  return [
    {
      text: `select count(*) as total from alerts
              where ${OWN_ROWS} and monitor_id = $1 and event in ('down', 'recovered', 'reminder')
                and incident_id = any ($2::bigint[])`,
      values: [monitorId, incidentIds],
    },
    {
      text: `with selected as materialized (
          select id, user_id, message_id, group_id, event, incident_id, provider_id, state, attempts, created_at,
                 last_attempt_at, next_attempt_at, title, details, answer
            from alerts
           where ${OWN_ROWS} and monitor_id = $1 and event in ('down', 'recovered', 'reminder')
             and incident_id = any ($4::bigint[])
        )
        select a.message_id as id, coalesce(a.group_id, a.message_id) as message_id, a.event, a.incident_id,
               a.provider_id, p.provider_type, p.name as provider_name, a.state, a.attempts, a.created_at,
               a.last_attempt_at, a.next_attempt_at, a.title, a.details, a.answer, ${messageAlertsSql} as message_alerts
          from selected a join providers p on p.user_id = a.user_id and p.id = a.provider_id
         order by a.id desc limit $2 offset $3`,
      values: [monitorId, limit, offset, incidentIds],
      asJson: true,
    },
  ]
}

/** Deletes alerts of all users, except those that are still waiting to be sent. */
export async function deleteOldAlerts(q: Queries, now: Date): Promise<void> {
  await q.query(`delete from alerts where created_at < $1::timestamptz - interval '1 year' and state <> 'waiting'`, [
    now,
  ])
}
