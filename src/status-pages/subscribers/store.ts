/** SQL for the owner of a page, who can see and remove its subscribers. */
import { foldCase } from '../../lib/text.ts'
import type { SubscriberState } from '../../shared/status-pages.ts'
import type { Queries } from '../../storage/transaction.ts'

export interface SubscriberRow {
  id: number
  email: string
  state: SubscriberState
  monitor_ids: number[] | null
  created_at: Date
  confirmed_at: Date | null
}

export type SubscriberCounts = Record<SubscriberState, number>

interface SubscriberListQuery {
  pageId: number
  search: string
  state: SubscriberState | undefined
  /** Lists only subscribers who get emails about posts that affect one of these monitors. */
  monitorIds: readonly number[] | undefined
  limit: number
  offset: number
}

/**
 * Reads subscribers, newest first. `counts` includes all subscribers of the page. Returns undefined if the caller has
 * no such page. Call this in `db.snapshot`, so that rows and counts agree.
 */
export async function readSubscribers(
  q: Queries,
  { pageId, search, state, monitorIds, limit, offset }: SubscriberListQuery,
): Promise<{ rows: SubscriberRow[]; total: number; counts: SubscriberCounts } | undefined> {
  const filter = [pageId, state ?? null, foldCase(search.trim()), monitorIds ?? null]
  const [pages, listed, matching, counted] = await q.batch(
    { text: 'select from status_pages where user_id = acting_team() and id = $1', values: [pageId] },
    {
      text: `select s.id, s.email, s.state, s.created_at, s.confirmed_at,
                    case when not s.all_monitors then
                      array(select f.monitor_id
                              from status_subscriber_monitors f
                             where f.user_id = s.user_id and f.subscriber_id = s.id
                             order by f.monitor_id)
                    end as monitor_ids
               from status_subscribers s
              where s.user_id = own_team() and s.page_id = $1 and ($2::text is null or s.state = $2)
                and position($3::text in s.email_key) > 0
                and ($4::bigint[] is null or s.all_monitors
                     or exists (select from status_subscriber_monitors f
                                 where f.user_id = s.user_id and f.subscriber_id = s.id and f.monitor_id = any ($4)))
              order by s.id desc
              limit $5 offset $6`,
      values: [...filter, limit, offset],
    },
    {
      text: `select count(*)::int as total
               from status_subscribers s
              where s.user_id = own_team() and s.page_id = $1 and ($2::text is null or s.state = $2)
                and position($3::text in s.email_key) > 0
                and ($4::bigint[] is null or s.all_monitors
                     or exists (select from status_subscriber_monitors f
                                 where f.user_id = s.user_id and f.subscriber_id = s.id and f.monitor_id = any ($4)))`,
      values: filter,
    },
    {
      text: `select count(*) filter (where state = 'pending')::int as pending,
                    count(*) filter (where state = 'confirmed')::int as confirmed,
                    count(*) filter (where state = 'bounced')::int as bounced
               from status_subscribers
              where user_id = own_team() and page_id = $1`,
      values: [pageId],
    },
  )
  if (pages?.rows.length !== 1) return undefined
  return {
    rows: listed?.rows as unknown as SubscriberRow[],
    total: matching?.rows[0]?.['total'] ?? 0,
    counts: counted?.rows[0] as SubscriberCounts,
  }
}

/** Returns whether the page had this subscriber. Also deletes the messages that wait to be sent to them. */
export async function deleteSubscriberOfPage(q: Queries, pageId: number, subscriberId: number): Promise<boolean> {
  const [deleted] = await q.batch({
    text: 'delete from status_subscribers where user_id = own_team() and page_id = $1 and id = $2',
    values: [pageId, subscriberId],
  })
  return deleted?.count === 1
}
