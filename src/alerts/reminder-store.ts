/** SQL for reminders about ongoing incidents, across users. */
import { preferIndexOrderStatement } from '../outbox/store.ts'
import type { MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/transaction.ts'
import { replaceLoneSurrogates } from './announcement-store.ts'

export interface DueReminder {
  teamId: number
  monitorId: number
  incidentId: number
  friendlyName: string
  url: string
  type: MonitorType
  detail: string
  since: Date
  /** How many reminders about the incident have been sent so far. */
  sentCount: number
  everyMinutes: number
}

/**
 * Skips incidents that are not announced yet and monitors in maintenance: their next reminder is sent afterwards. Also skips acknowledged
 * incidents: acknowledging clears `remind_at`, but a node of an earlier version may set it again. Locks the incidents
 * until the transaction ends, and skips those that another node has locked.
 */
export async function lockDueReminders(q: Queries, now: Date, limit: number): Promise<DueReminder[]> {
  const [, dueReminders] = await q.batch(preferIndexOrderStatement, {
    text: `select i.user_id as "teamId", i.monitor_id as "monitorId", i.id as "incidentId", i.detail,
             i.started_at as since, i.reminders as "sentCount", m.friendly_name as "friendlyName", m.url, m.type,
             m.remind_every_minutes as "everyMinutes"
        from incidents i join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
       where i.resolved_at is null and i.remind_at <= $1 and i.announced_at is not null
         and i.acknowledged_at is null
         and not is_in_maintenance(i.user_id, i.monitor_id, $1) order by i.remind_at limit $2
         for no key update of i skip locked`,
    values: [now, limit],
  })
  return dueReminders?.rows as DueReminder[]
}

export interface Reminder {
  teamId: number
  monitorId: number
  incidentId: number
  title: string
  body: string
  /** null if reminders have been turned off for the monitor. Then this reminder is not sent either. */
  nextAt: Date | null
  /** 1 for the first reminder about the incident. */
  reminderNumber: number
}

/**
 * Must run in the transaction that locked the incidents. If an alert about the monitor still waits to be sent through a
 * channel, that channel gets no reminder, because it would arrive right after the alert. Returns the number of new
 * alerts.
 */
export async function insertReminders(q: Queries, reminders: readonly Reminder[], now: Date): Promise<number> {
  const [, inserted] = await q.batch(
    {
      text: `update incidents i set reminders = r."reminderNumber", remind_at = r."nextAt"
          from json_to_recordset($1) as r ("teamId" bigint, "monitorId" bigint, "incidentId" bigint, "reminderNumber" integer,
                 "nextAt" timestamptz)
         where i.user_id = r."teamId" and i.monitor_id = r."monitorId" and i.id = r."incidentId"`,
      values: [JSON.stringify(reminders, replaceLoneSurrogates)],
    },
    {
      text: `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body, created_at,
          next_attempt_at)
        select r."teamId", r."monitorId", a.provider_id, 'reminder', r."incidentId", r."reminderNumber", r.title, r.body, $2, $2
          from json_to_recordset($1) as r ("teamId" bigint, "monitorId" bigint, "incidentId" bigint, "reminderNumber" integer,
                 title text, body text)
          join assignments a on a.user_id = r."teamId" and a.monitor_id = r."monitorId" and a.enabled
         where not exists (select from alerts w where w.user_id = a.user_id and w.monitor_id = a.monitor_id
                             and w.provider_id = a.provider_id and w.state = 'waiting')
        on conflict do nothing`,
      values: [
        JSON.stringify(
          reminders.filter(({ nextAt }) => nextAt !== null),
          replaceLoneSurrogates,
        ),
        now,
      ],
    },
  )
  return inserted?.count ?? 0
}
