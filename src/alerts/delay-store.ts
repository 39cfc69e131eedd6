/** SQL for delayed alerts: those of assignments with a delay, and warnings that wait for the end of a maintenance. */
import type { Statement } from '../storage/batch.ts'
import type { AlertQueue } from './outbox-store.ts'

/**
 * Decides about the delayed alerts of a queue, or of all queues:
 * - If the incident ended within the delay, or the assignment was removed or disabled, the alert is skipped, and so is the alert about
 *   the recovery.
 * - If the delay ends during a maintenance, the alert waits for the end of the maintenance. It is looked at again every minute,
 *   because the maintenance can be ended early.
 * - If the delay has ended, the alert is no longer delayed. It will be sent, even if the incident ends in the meantime.
 *
 * It must run before each selection of a queue's next alert, because a delayed alert is due at the end of its delay.
 */
export function updateDelayedAlerts(now: Date, queue?: AlertQueue): Statement {
  const inQueue = queue === undefined ? '' : 'a.user_id = $2 and a.provider_id = $3 and'
  return {
    text: `with delayed as materialized (
             select a.user_id, a.id, a.provider_id, a.monitor_id, a.incident_id, m.maintenance_until,
                    coalesce(i.resolved_at < a.delayed_until, false) or not exists (
                      select from assignments s
                       where s.user_id = a.user_id and s.monitor_id = a.monitor_id and s.provider_id = a.provider_id and s.enabled
                    ) as is_over,
                    is_in_maintenance(a.user_id, a.monitor_id, $1) as is_in_maintenance
               from alerts a
               join monitors m on m.user_id = a.user_id and m.id = a.monitor_id
               left join incidents i on i.user_id = a.user_id and i.monitor_id = a.monitor_id and i.id = a.incident_id
              where ${inQueue} a.state = 'waiting' and a.delayed_until is not null
                and (a.delayed_until <= $1 or i.resolved_at is not null)
                for no key update of a skip locked
           ), skipped_recoveries as (
             update alerts a
                set state = 'skipped', next_attempt_at = null
               from delayed d
              where a.user_id = d.user_id and a.provider_id = d.provider_id and a.monitor_id = d.monitor_id
                and a.incident_id = d.incident_id and a.event = 'recovered' and a.state = 'waiting' and d.is_over
           )
           update alerts a
              set state = case when d.is_over then 'skipped' else a.state end,
                  delayed_until = case when d.is_over then a.delayed_until
                                       when d.is_in_maintenance then next.retry_at end,
                  next_attempt_at = case when d.is_over then null
                                         when d.is_in_maintenance then next.retry_at
                                         else a.next_attempt_at end
             from delayed d
            cross join lateral (
              select least(case when d.maintenance_until > $1 then d.maintenance_until end,
                           $1::timestamptz + interval '1 minute') as retry_at
            ) next
            where a.user_id = d.user_id and a.id = d.id`,
    values: queue === undefined ? [now] : [now, queue.userId, queue.channelId],
  }
}
