/** SQL that decides who is told of a post or a maintenance. Each subscriber is told of everything at most once. */
import type { Queries } from '../../storage/client.ts'

/**
 * Stores a message for every confirmed subscriber who follows the whole page or one of the post's monitors. A post without monitors
 * is for everybody. Call this in the transaction that stores the update.
 */
export async function createUpdateMessages(
  q: Queries,
  userId: number,
  { pageId, postId, updateId }: { pageId: number; postId: number; updateId: number },
  now: Date,
): Promise<void> {
  await q.query(
    // Subscribers are locked, because the insert would fail if one of them left before it.
    `with audience as materialized (
       select s.user_id, s.page_id, s.id
         from status_subscribers s
         join status_pages p on p.user_id = s.user_id and p.id = s.page_id
        where s.user_id = $1 and s.page_id = $2 and s.state = 'confirmed' and p.privacy <> 1
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
    [userId, pageId, postId, updateId, now],
  )
}
