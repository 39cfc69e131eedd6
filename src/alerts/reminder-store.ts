/** SQL of reminders, across users. */
import type { Queries } from '../storage/client.ts'
import { keepOrder } from './outbox-store.ts'

export interface DueReminder {
  userId: number
  monitorId: number
  incidentId: number
  friendlyName: string
  url: string
  detail: string
  since: Date
  /** How many there were. */
  reminders: number
  everyMinutes: number
}

/** Locked until the transaction ends; what another node is at is its own. */
export async function lockDueReminders(q: Queries, now: Date, limit: number): Promise<DueReminder[]> {
  const [, found] = await q.flight(keepOrder, {
    text: `select i.user_id as "userId", i.monitor_id as "monitorId", i.id as "incidentId", i.detail,
             i.started_at as since, i.reminders, m.friendly_name as "friendlyName", m.url,
             m.remind_every_minutes as "everyMinutes"
        from incidents i join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
       where i.resolved_at is null and i.remind_at <= $1 order by i.remind_at limit $2
         for no key update of i skip locked`,
    values: [now, limit],
  })
  return found?.rows as DueReminder[]
}

export interface Reminder {
  userId: number
  monitorId: number
  incidentId: number
  title: string
  body: string
  /** null: nobody wants to hear of it any more, nor of this one. */
  nextAt: Date | null
  number: number
}

/**
 * Needs the transaction that locked them. Whoever has not even got the message before, because it is still waiting to be
 * sent, is not reminded of it.
 */
export async function writeReminders(q: Queries, reminders: readonly Reminder[], now: Date): Promise<number> {
  const keysOf = (some: readonly Reminder[]) => [
    some.map(({ userId }) => userId),
    some.map(({ monitorId }) => monitorId),
    some.map(({ incidentId }) => incidentId),
    some.map(({ number }) => number),
  ]
  const wanted = reminders.filter(({ nextAt }) => nextAt !== null)
  const given = `unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[]`
  const [, said] = await q.flight(
    {
      text: `update incidents i set reminders = g.number, remind_at = g.next_at
          from ${given}, $5::timestamptz[]) as g (user_id, monitor_id, id, number, next_at)
         where i.user_id = g.user_id and i.monitor_id = g.monitor_id and i.id = g.id`,
      values: [...keysOf(reminders), reminders.map(({ nextAt }) => nextAt)],
    },
    {
      text: `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body, created_at,
          next_attempt_at)
        select g.user_id, g.monitor_id, a.provider_id, 'reminder', g.incident_id, g.number, g.title, g.body, $7, $7
          from ${given}, $5::text[], $6::text[]) as g (user_id, monitor_id, incident_id, number, title, body)
          join assignments a on a.user_id = g.user_id and a.monitor_id = g.monitor_id and a.enabled
         where not exists (select from alerts w where w.user_id = a.user_id and w.monitor_id = a.monitor_id
                             and w.provider_id = a.provider_id and w.state = 'waiting')
        on conflict do nothing`,
      values: [...keysOf(wanted), wanted.map(({ title }) => title), wanted.map(({ body }) => body), now],
    },
  )
  return said?.count ?? 0
}
