/**
 * SQL that decides who gets an email about an update or a maintenance. Each subscriber gets at most one email about
 * each update and each maintenance.
 */
import type { Queries } from '../../storage/transaction.ts'

/**
 * Stores a message for every confirmed subscriber who follows the whole page or one of the post's monitors. A post without monitors
 * is for everybody. Call this in the transaction that stores the update.
 */
export async function createUpdateMessages(
  q: Queries,
  teamId: number,
  { pageId, postId, updateId }: { pageId: number; postId: number; updateId: number },
  now: Date,
): Promise<void> {
  await q.query(
    // Locks the subscribers, because the insert would fail if one of them unsubscribed in the meantime.
    `with audience as materialized (
       select s.user_id, s.page_id, s.id
         from status_subscribers s
        where s.user_id = $1 and s.page_id = $2 and s.state = 'confirmed'
          and exists (select from status_pages p where p.user_id = $1 and p.id = $2 and p.privacy <> 1)
          and (s.all_monitors
               or not exists (select from status_post_monitors a where a.user_id = $1 and a.post_id = $3)
               or exists (select from status_subscriber_monitors f
                            join status_post_monitors a on a.user_id = f.user_id and a.monitor_id = f.monitor_id
                           where f.user_id = s.user_id and f.subscriber_id = s.id and a.post_id = $3))
          for key share of s
     )
     insert into status_messages (user_id, page_id, subscriber_id, kind, subject_id, created_at, next_attempt_at)
     select user_id, page_id, id, 'post_update', $4, $5, $5 from audience
     on conflict do nothing`,
    [teamId, pageId, postId, updateId, now],
  )
}

/**
 * Stores messages about maintenances that begin within `noticeHours` or are in progress, and records that these maintenances were
 * announced on these pages. One statement does both or neither, and several workers can run it at the same time. Returns the number of
 * messages.
 */
export async function createMaintenanceMessages(q: Queries, now: Date, noticeHours: number): Promise<number> {
  const rows = await q.query(
    `with due as materialized (
       select distinct w.user_id, p.id as page_id, t.id as maintenance_id
         from maintenance_windows w
         join maintenances t on t.user_id = w.user_id and t.id = w.maintenance_id
         join status_pages p on p.user_id = w.user_id
        where w.state <> 'past' and w.starts_at <= $1::timestamptz + $2 * interval '1 hour' and w.ends_at > $1
          and p.privacy <> 1
          and not exists (select from status_announced_maintenances a
                           where a.user_id = p.user_id and a.page_id = p.id and a.maintenance_id = t.id)
          and exists (select from status_page_monitors pm
                        join monitors m on m.user_id = pm.user_id and m.id = pm.monitor_id
                       where pm.user_id = p.user_id and pm.page_id = p.id
                         and (t.all_monitors or m.tag_keys && t.tag_keys
                              or exists (select from maintenance_monitors c
                                          where c.user_id = t.user_id and c.maintenance_id = t.id
                                            and c.monitor_id = m.id)))
     ), announced as (
       insert into status_announced_maintenances (user_id, page_id, maintenance_id, announced_at)
       select user_id, page_id, maintenance_id, $1 from due order by user_id, page_id, maintenance_id
       on conflict do nothing
       returning user_id, page_id, maintenance_id
     ), audience as materialized (
       select s.user_id, s.page_id, s.id, t.id as maintenance_id
         from announced a
         join maintenances t on t.user_id = a.user_id and t.id = a.maintenance_id
         join status_subscribers s on s.user_id = a.user_id and s.page_id = a.page_id
        where s.state = 'confirmed'
          and (s.all_monitors
               or exists (select from status_subscriber_monitors f
                            join status_page_monitors pm
                              on pm.user_id = f.user_id and pm.page_id = s.page_id and pm.monitor_id = f.monitor_id
                            join monitors m on m.user_id = f.user_id and m.id = f.monitor_id
                           where f.user_id = s.user_id and f.subscriber_id = s.id
                             and (t.all_monitors or m.tag_keys && t.tag_keys
                                  or exists (select from maintenance_monitors c
                                              where c.user_id = t.user_id and c.maintenance_id = t.id
                                                and c.monitor_id = m.id))))
          for key share of s
     )
     insert into status_messages (user_id, page_id, subscriber_id, kind, subject_id, created_at, next_attempt_at)
     select user_id, page_id, id, 'maintenance', maintenance_id, $1, $1 from audience
     on conflict do nothing
     returning id`,
    [now, noticeHours],
  )
  return rows.length
}

/** How long sent messages are kept. Messages that still wait are cancelled before that. */
const MESSAGE_RETENTION_DAYS = 30

export async function deleteOldStatusMessages(q: Queries, now: Date): Promise<void> {
  await q.query(
    `delete from status_messages
      where created_at < $1::timestamptz - $2 * interval '1 day' and state <> 'waiting'`,
    [now, MESSAGE_RETENTION_DAYS],
  )
}
