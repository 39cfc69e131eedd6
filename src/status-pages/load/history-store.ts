/** SQL that reads what happened on a page in one month: everything that began in it. Every statement names the owner. */
import type { Statement, StatementResult } from '../../storage/batch.ts'
import type { PageContent, ShownIncident, ShownPost, ShownUpdate, ShownWindow } from './store.ts'
import type { PageKey } from './version-store.ts'

export interface HistorySource extends PageKey {
  monitorIds: readonly number[]
}

interface HistoryRange {
  from: Date
  until: Date
  /** Maintenances that begin later are not history yet. */
  now: Date
  /** Each of incidents, maintenances and posts has at most this many rows. */
  limit: number
  maxUpdates: number
}

/** `toHistoryContent` takes the results of these queries. The newest rows come first. */
export function buildMonthQueries(
  source: HistorySource,
  { from, until, now, limit, maxUpdates }: HistoryRange,
): Statement[] {
  const { teamId, pageId, monitorIds } = source
  return [
    {
      // An incident that began and ended in a maintenance was part of the planned work: see `buildContentQueries`.
      text: `select monitor_id, started_at, resolved_at
               from incidents
              where user_id = $1 and monitor_id = any ($2) and started_at >= $3 and started_at < $4
                and not (during_maintenance and announced_at is null and resolved_at is not null)
              order by started_at desc, id desc
              limit $5`,
      values: [teamId, monitorIds, from, until, limit],
    },
    {
      // Finds the monitors of each maintenance only once, because a recurring maintenance can have thousands of windows in a month.
      text: `with covered as materialized (
               select t.id, t.title, t.note, t.cron is not null as is_recurring, t.updated_at,
                      array(select m.id
                              from monitors m
                             where m.user_id = $1 and m.id = any ($2)
                               and (t.all_monitors or m.tag_keys && t.tag_keys
                                    or exists (select from maintenance_monitors c
                                                where c.user_id = $1 and c.maintenance_id = t.id and c.monitor_id = m.id))
                      ) as monitor_ids
                 from maintenances t
                where t.user_id = $1
                  and exists (select from maintenance_windows w
                               where w.user_id = $1 and w.maintenance_id = t.id and w.starts_at >= $3 and w.starts_at < $4)
             )
             select c.id, c.title, c.note, w.starts_at, w.ends_at, c.is_recurring, c.updated_at, c.monitor_ids
               from covered c
               join maintenance_windows w on w.user_id = $1 and w.maintenance_id = c.id
              where c.monitor_ids <> '{}' and w.starts_at >= $3 and w.starts_at < $4 and w.starts_at <= $6
              order by w.starts_at desc, c.id desc
              limit $5`,
      values: [teamId, monitorIds, from, until, limit, now],
    },
    {
      text: `select id, title, state, created_at, updated_at, resolved_at,
                    array(select p.monitor_id from status_post_monitors p where p.user_id = $1 and p.post_id = status_posts.id)
                      as monitor_ids
               from status_posts
              where user_id = $1 and page_id = $2 and created_at >= $3 and created_at < $4
              order by created_at desc, id desc
              limit $5`,
      values: [teamId, pageId, from, until, limit],
    },
    {
      // The newest update of each post comes first, then the second newest of each post, as in `buildContentQueries`.
      text: `select id, post_id, state, body, created_at
               from (
                 select u.id, u.post_id, u.state, u.body, u.created_at
                   from status_post_updates u
                   join status_posts p on p.user_id = u.user_id and p.id = u.post_id
                  where p.user_id = $1 and p.page_id = $2 and p.created_at >= $3 and p.created_at < $4
                  order by row_number() over (partition by u.post_id order by u.id desc), u.id desc
                  limit $5
               ) newest
              order by created_at, id`,
      values: [teamId, pageId, from, until, maxUpdates],
    },
  ]
}

export type HistoryContent = Pick<PageContent, 'incidents' | 'windows' | 'posts' | 'updates'>

export function toHistoryContent(results: readonly StatementResult[]): HistoryContent {
  const [incidents, windows, posts, updates] = results.map(({ rows }) => rows)
  return {
    incidents: incidents as unknown as ShownIncident[],
    windows: windows as unknown as ShownWindow[],
    posts: posts as unknown as ShownPost[],
    updates: updates as unknown as ShownUpdate[],
  }
}

/** The query returns when the history of the page begins: with the first check of a monitor, or with the first post. */
export function buildFirstTimeQuery({ teamId, pageId, monitorIds }: HistorySource): Statement {
  return {
    text: `select least(
                    (select min(first.started_at)
                       from unnest($3::bigint[]) shown (id)
                      cross join lateral (
                         select w.started_at from watches w
                          where w.user_id = $1 and w.monitor_id = shown.id order by w.started_at limit 1
                       ) first),
                    (select min(created_at) from status_posts where user_id = $1 and page_id = $2)
                  ) as "firstAt"`,
    values: [teamId, pageId, monitorIds],
  }
}
