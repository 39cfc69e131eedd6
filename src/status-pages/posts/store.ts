/** SQL for posts on a status page. `update-store.ts` has the SQL for their updates. */
import { MAX_POST_DELAY_MS } from '../../shared/post-outages.ts'
import type { PostState } from '../../shared/status-pages.ts'
import { SECOND_MS } from '../../shared/time.ts'
import type { Queries } from '../../storage/transaction.ts'
import { incidentEndSql } from '../../uptime/store.ts'

/** Times are texts, because PostgreSQL returns the incidents as JSON. */
interface PostIncidentRow {
  id: number
  monitor_id: number
  started_at: string
  resolved_at: string | null
}

/** Longer posts list only their latest incidents. */
const MAX_POST_INCIDENTS = 50

export interface PostRow {
  id: number
  title: string
  /** The state of the latest update. */
  state: PostState
  /** The text of the first update. */
  body: string
  /** The affected monitors, without those that are no longer on the page. */
  monitor_ids: number[]
  update_count: number
  /** Incidents that the post may be about: see `isPostAboutOutage`. Newest first. */
  incidents: PostIncidentRow[]
  page_id: number
  latest_id: number
  latest_body: string
  latest_created_at: Date
  latest_updated_at: Date
  created_at: Date
  updated_at: Date
  resolved_at: Date | null
}

/** As on the page, an incident that began and ended in a maintenance doesn't count: it was part of the planned work. */
const selectPostsSql = `
  select p.id, p.page_id, p.title, p.state, first.body, p.created_at, p.updated_at, p.resolved_at,
         array(select a.monitor_id
                 from status_post_monitors a
                 join status_page_monitors m
                   on m.user_id = a.user_id and m.page_id = p.page_id and m.monitor_id = a.monitor_id
                where a.user_id = p.user_id and a.post_id = p.id
                order by a.monitor_id) as monitor_ids,
         (select coalesce(json_agg(latest order by latest.started_at desc, latest.id desc), '[]')
            from (
              select i.id, i.monitor_id, i.started_at, i.resolved_at
                from status_post_monitors a
                join incidents i on i.user_id = a.user_id and i.monitor_id = a.monitor_id
               where a.user_id = p.user_id and a.post_id = p.id
                 and ${incidentEndSql} >= p.created_at - interval '${MAX_POST_DELAY_MS / SECOND_MS} seconds'
                 and i.started_at <= coalesce(p.resolved_at, 'infinity')
                 and not (i.during_maintenance and i.announced_at is null and i.resolved_at is not null)
               order by i.started_at desc, i.id desc
               limit ${MAX_POST_INCIDENTS}
            ) latest) as incidents,
         (select count(*)::int
            from status_post_updates u
           where u.user_id = p.user_id and u.post_id = p.id) as update_count,
         latest.id as latest_id, latest.body as latest_body, latest.created_at as latest_created_at,
         latest.updated_at as latest_updated_at
    from status_posts p
   cross join lateral (
      select u.body
        from status_post_updates u
       where u.user_id = p.user_id and u.post_id = p.id
       order by u.id
       limit 1
    ) first
   cross join lateral (
      select u.id, u.body, u.created_at, u.updated_at
        from status_post_updates u
       where u.user_id = p.user_id and u.post_id = p.id
       order by u.id desc
       limit 1
    ) latest
   where p.user_id = acting_team()`

export async function findPost(q: Queries, pageId: number, postId: number): Promise<PostRow | undefined> {
  return (
    await q.query<PostRow & Record<string, unknown>>(`${selectPostsSql} and p.page_id = $1 and p.id = $2`, [
      pageId,
      postId,
    ])
  )[0]
}

interface PostPageQuery {
  pageId: number
  /** Lists only open posts (true), only resolved ones (false), or all posts (undefined). */
  isOpen: boolean | undefined
  limit: number
  offset: number
}

/**
 * Reads posts, newest first. Returns undefined if the caller has no such page. Call this in `db.snapshot`, so that the
 * rows and the total agree.
 */
export async function readPostPage(
  q: Queries,
  { pageId, isOpen, limit, offset }: PostPageQuery,
): Promise<{ rows: PostRow[]; total: number } | undefined> {
  const [page, posts, counted] = await q.batch(
    { text: 'select from status_pages where user_id = acting_team() and id = $1', values: [pageId] },
    {
      text: `${selectPostsSql} and p.page_id = $1 and ($2::boolean is null or (p.resolved_at is null) = $2)
              order by p.created_at desc, p.id desc
              limit $3 offset $4`,
      values: [pageId, isOpen, limit, offset],
    },
    {
      text: `select count(*)::int as total
               from status_posts
              where user_id = acting_team() and page_id = $1 and ($2::boolean is null or (resolved_at is null) = $2)`,
      values: [pageId, isOpen],
    },
  )
  if (page?.count !== 1) return undefined
  return { rows: posts?.rows as unknown as PostRow[], total: counted?.rows[0]?.['total'] ?? 0 }
}

/** Selects posts about the monitor $1 on pages that show it. */
const aboutMonitorSql = `
  exists (select
            from status_post_monitors a
            join status_page_monitors m
              on m.user_id = a.user_id and m.page_id = p.page_id and m.monitor_id = a.monitor_id
           where a.user_id = p.user_id and a.post_id = p.id and a.monitor_id = $1)`

interface MonitorPostQuery extends Omit<PostPageQuery, 'pageId'> {
  monitorId: number
}

/** Like `readPostPage`, for the posts about a monitor on all pages. Returns undefined if the caller has no such monitor. */
export async function readMonitorPosts(
  q: Queries,
  { monitorId, isOpen, limit, offset }: MonitorPostQuery,
): Promise<{ rows: PostRow[]; total: number } | undefined> {
  const [monitor, posts, counted] = await q.batch(
    { text: 'select from monitors where user_id = acting_team() and id = $1', values: [monitorId] },
    {
      text: `${selectPostsSql} and ${aboutMonitorSql} and ($2::boolean is null or (p.resolved_at is null) = $2)
              order by p.created_at desc, p.id desc
              limit $3 offset $4`,
      values: [monitorId, isOpen, limit, offset],
    },
    {
      text: `select count(*)::int as total
               from status_posts p
              where p.user_id = acting_team() and ${aboutMonitorSql} and ($2::boolean is null or (p.resolved_at is null) = $2)`,
      values: [monitorId, isOpen],
    },
  )
  if (monitor?.count !== 1) return undefined
  return { rows: posts?.rows as unknown as PostRow[], total: counted?.rows[0]?.['total'] ?? 0 }
}

/**
 * Locks the page, so that other changes to its posts wait until the transaction ends. Returns false if the caller has
 * no such page.
 */
export async function lockPageOfPosts(q: Queries, pageId: number): Promise<boolean> {
  const [page] = await q.batch({
    text: 'select from status_pages where user_id = acting_team() and id = $1 for no key update',
    values: [pageId],
  })
  return page?.count === 1
}

/**
 * Locks the post, and returns whether it exists. Locks the page first, like a request that deletes the page, so that
 * the two requests don't deadlock.
 */
export async function lockPost(q: Queries, pageId: number, postId: number): Promise<boolean> {
  if (!(await lockPageOfPosts(q, pageId))) return false
  const [post] = await q.batch({
    text: 'select from status_posts where user_id = acting_team() and page_id = $1 and id = $2 for update',
    values: [pageId, postId],
  })
  return post?.count === 1
}

/** Call this in a transaction that runs as the team `teamId`. The post needs a first update in the same transaction. */
export async function insertPost(
  q: Queries,
  { teamId, pageId, title, state, now }: { teamId: number; pageId: number; title: string; state: PostState; now: Date },
): Promise<number> {
  const [row] = await q.query<{ id: number }>(
    `insert into status_posts (user_id, page_id, title, state, resolved_at, created_at, updated_at)
     values ($1, $2, $3, $4, case when $4 = 'resolved' then $5::timestamptz end, $5, $5)
     returning id`,
    [teamId, pageId, title, state, now],
  )
  return row?.id as number
}

export async function setPostTitle(q: Queries, postId: number, title: string): Promise<void> {
  await q.query('update status_posts set title = $2 where user_id = acting_team() and id = $1', [postId, title])
}

/**
 * Sets the state of the post to that of its latest update. A post that becomes resolved gets the time `resolvedAt` or,
 * if that is null, the time of its latest update. A post that was already resolved keeps its time.
 */
export async function refreshPostState(
  q: Queries,
  postId: number,
  { resolvedAt, now }: { resolvedAt: Date | null; now: Date },
): Promise<void> {
  await q.query(
    `update status_posts p
        set state = latest.state,
            resolved_at = case when latest.state = 'resolved' then coalesce(p.resolved_at, $2, latest.created_at) end,
            updated_at = $3
       from (select u.state, u.created_at
               from status_post_updates u
              where u.user_id = acting_team() and u.post_id = $1
              order by u.id desc
              limit 1) latest
      where p.user_id = acting_team() and p.id = $1`,
    [postId, resolvedAt, now],
  )
}

/** Replaces the list of monitors. Returns the ids that are not on the page. Call this in a transaction that runs as the team `teamId`. */
export async function setPostMonitors(
  q: Queries,
  teamId: number,
  { pageId, postId, monitorIds }: { pageId: number; postId: number; monitorIds: readonly number[] },
): Promise<number[]> {
  const [, , known] = await q.batch(
    {
      text: 'delete from status_post_monitors where user_id = acting_team() and post_id = $1 and monitor_id <> all ($2)',
      values: [postId, monitorIds],
    },
    {
      text: `insert into status_post_monitors (user_id, post_id, monitor_id)
             select m.user_id, $3, m.monitor_id
               from status_page_monitors m
              where m.user_id = $1 and m.page_id = $2 and m.monitor_id = any ($4)
              order by m.monitor_id
             on conflict do nothing`,
      values: [teamId, pageId, postId, monitorIds],
    },
    {
      text: `select monitor_id
               from status_page_monitors
              where user_id = acting_team() and page_id = $1 and monitor_id = any ($2)`,
      values: [pageId, monitorIds],
    },
  )
  const knownIds = new Set(known?.rows.map((row) => row['monitor_id']))
  return monitorIds.filter((id) => !knownIds.has(id))
}

/** Returns the monitor of an incident, or undefined if the caller has no such incident of a monitor on the page. */
export async function findMonitorOfIncident(
  q: Queries,
  pageId: number,
  incidentId: number,
): Promise<number | undefined> {
  const [row] = await q.query<{ monitor_id: number }>(
    `select i.monitor_id
       from status_page_monitors m
       join incidents i on i.user_id = m.user_id and i.monitor_id = m.monitor_id
      where m.user_id = acting_team() and m.page_id = $1 and i.id = $2`,
    [pageId, incidentId],
  )
  return row?.monitor_id
}

export async function deletePostRow(q: Queries, postId: number): Promise<void> {
  await q.query('delete from status_posts where user_id = acting_team() and id = $1', [postId])
}
