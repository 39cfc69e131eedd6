/** SQL for held incidents, across users: open incidents that are not announced yet. */
import { preferIndexOrderStatement } from '../outbox/store.ts'
import type { MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/client.ts'

export interface HeldIncident {
  userId: number
  monitorId: number
  incidentId: number
  friendlyName: string
  url: string
  type: MonitorType
  detail: string
  since: Date
  remindEveryMinutes: number
  /**
   * announce: the alerts can be sent
   * link: the monitor that this one depends on is down, too, so the incident of that monitor becomes the parent of this incident
   * check: `checkedMonitorId` has to be checked before this can be decided
   */
  action: 'announce' | 'link' | 'check'
  parentMonitorId: number | null
  parentIncidentId: number | null
  checkedMonitorId: number
}

/**
 * Locks the incidents until the transaction ends, and skips those that another node has locked, those that still have to wait, and
 * those of monitors in maintenance. It also skips silence that Belfry itself seems to cause (diagnosis `collector`).
 *
 * In the query, `p` is the parent: the monitor that the monitor `m` depends on. If the parent was down (`i.parent_monitor_id`) and is
 * up again, the next check of `m` shows whether `m` has a problem of its own. Otherwise, a check of the parent after the outage began
 * shows whether the parent is the problem. Heartbeats can't be checked early. If there was no such check by `waits_until`, the
 * incident is announced: an unnecessary alert is better than a missing one.
 */
export async function lockHeldIncidents(q: Queries, now: Date, limit: number): Promise<HeldIncident[]> {
  const [, held] = await q.batch(preferIndexOrderStatement, {
    text: `select i.user_id as "userId", i.monitor_id as "monitorId", i.id as "incidentId", i.detail, i.started_at as since,
                  m.friendly_name as "friendlyName", m.url, m.type, m.remind_every_minutes as "remindEveryMinutes",
                  decision.action, p.id as "parentMonitorId", pi.id as "parentIncidentId",
                  case when i.parent_monitor_id = p.id then m.id else p.id end as "checkedMonitorId"
             from incidents i
             join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
             join monitor_states ms on ms.user_id = m.user_id and ms.monitor_id = m.id
             left join monitors p on p.user_id = m.user_id and p.id = m.depends_on
             left join monitor_states ps on ps.user_id = p.user_id and ps.monitor_id = p.id
             left join incidents pi on pi.user_id = p.user_id and pi.monitor_id = p.id and pi.resolved_at is null
            cross join lateral (
              select greatest(i.detected_at, case when i.parent_monitor_id = p.id then p.status_changed_at end)
                     + least(interval '5 minutes',
                             interval '30 seconds'
                             + p.retries * (p.retry_interval_seconds + coalesce(p.timeout_seconds, 10)) * interval '1 second')
                     as waits_until
            ) bound
            cross join lateral (
              select case
                when p.id is null or p.status not in ('up', 'down') then 'announce'
                when p.status = 'down' then case when i.parent_incident_id is distinct from pi.id then 'link' end
                when bound.waits_until <= $1 then 'announce'
                when ps.failures > 0 then null
                when i.parent_monitor_id = p.id then
                  case when ms.last_checked_at > p.status_changed_at then 'announce'
                       when m.type <> 'heartbeat' then 'check'
                  end
                when p.type = 'heartbeat' or ps.last_checked_at >= i.started_at then 'announce'
                else 'check'
              end as action
            ) decision
            where i.resolved_at is null and i.announced_at is null and decision.action is not null
              and i.diagnosis is distinct from 'collector'
              and not is_in_maintenance(i.user_id, i.monitor_id, $1)
            order by i.user_id, i.monitor_id
            limit $2
              for no key update of i skip locked`,
    values: [now, limit],
  })
  return held?.rows as HeldIncident[]
}

export interface Announcement {
  userId: number
  monitorId: number
  incidentId: number
  title: string
  body: string
  remindAt: Date | null
}

/** Must run in the transaction that locked the incidents. Returns the number of new alerts. */
export async function announceIncidents(
  q: Queries,
  announcements: readonly Announcement[],
  now: Date,
): Promise<number> {
  const [, inserted] = await q.batch(
    {
      text: `update incidents i
                set announced_at = $5, remind_at = n.remind_at
               from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[])
                 as n (user_id, monitor_id, incident_id, remind_at)
              where i.user_id = n.user_id and i.monitor_id = n.monitor_id and i.id = n.incident_id`,
      values: [...toIncidentKeyColumns(announcements), announcements.map(({ remindAt }) => remindAt), now],
    },
    {
      text: `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, title, body, created_at, delayed_until,
                                 next_attempt_at)
             select n.user_id, n.monitor_id, a.provider_id, 'down', n.incident_id, n.title, n.body, $6,
                    case when a.delay_minutes > 0 then $6::timestamptz + a.delay_minutes * interval '1 minute' end,
                    $6::timestamptz + a.delay_minutes * interval '1 minute'
               from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[])
                 as n (user_id, monitor_id, incident_id, title, body)
               join assignments a on a.user_id = n.user_id and a.monitor_id = n.monitor_id and a.enabled
             on conflict do nothing`,
      values: [
        ...toIncidentKeyColumns(announcements),
        announcements.map(({ title }) => title),
        announcements.map(({ body }) => body),
        now,
      ],
    },
  )
  return inserted?.count ?? 0
}

/** Must run in the transaction that locked the incidents. */
export async function linkParents(q: Queries, incidents: readonly HeldIncident[]): Promise<void> {
  await q.query(
    `update incidents i
        set parent_monitor_id = n.parent_monitor_id, parent_incident_id = n.parent_incident_id
       from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
         as n (user_id, monitor_id, incident_id, parent_monitor_id, parent_incident_id)
      where i.user_id = n.user_id and i.monitor_id = n.monitor_id and i.id = n.incident_id`,
    [
      ...toIncidentKeyColumns(incidents),
      incidents.map(({ parentMonitorId }) => parentMonitorId),
      incidents.map(({ parentIncidentId }) => parentIncidentId),
    ],
  )
}

/** Three parameters for `unnest`: the ids of the users, the monitors and the incidents. */
export function toIncidentKeyColumns(
  incidents: readonly Pick<Announcement, 'userId' | 'monitorId' | 'incidentId'>[],
): number[][] {
  return [
    incidents.map(({ userId }) => userId),
    incidents.map(({ monitorId }) => monitorId),
    incidents.map(({ incidentId }) => incidentId),
  ]
}
