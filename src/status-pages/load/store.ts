/**
 * SQL that reads everything that a page shows, in one round trip. Every statement names the owner, so the same statements work for the
 * owner, under row level security, and for Belfry itself, across users. They read no cause, no URL, no name and no setting of a monitor.
 */
import { downSinceSql } from '../../incidents/store.ts'
import type { MonitorStatus } from '../../shared/monitors.ts'
import type { PostState } from '../../shared/status-pages.ts'
import type { Statement, StatementResult } from '../../storage/batch.ts'
import { buildHistoryQueries, type Histories, incidentEndSql, toHistories } from '../../uptime/store.ts'
import { MAX_SHOWN_INCIDENTS, MAX_SHOWN_POSTS, MAX_SHOWN_UPDATES } from './limits.ts'
import type { SnapshotTimes } from './times.ts'

/** Which page to read. */
export interface PageSource {
  teamId: number
  /** null: a draft of a new page. */
  pageId: number | null
  /** The monitors of a draft. null: read those of the stored page. */
  monitorIds: readonly number[] | null
}

export interface MonitorState {
  id: number
  status: MonitorStatus
  status_changed_at: Date
  /** Start of the ongoing incident; null unless the monitor is down. */
  down_since: Date | null
}

export interface ShownIncident {
  monitor_id: number
  started_at: Date
  resolved_at: Date | null
}

export interface ShownWindow {
  id: number
  title: string
  note: string | null
  starts_at: Date
  ends_at: Date
  is_recurring: boolean
  updated_at: Date
  /** The page's monitors that the maintenance covers, at least one. */
  monitor_ids: number[]
}

export interface ShownPost {
  id: number
  title: string
  state: PostState
  created_at: Date
  updated_at: Date
  resolved_at: Date | null
  monitor_ids: number[]
}

export interface ShownUpdate {
  id: number
  post_id: number
  state: PostState
  body: string
  created_at: Date
}

export interface PageContent {
  states: MonitorState[]
  histories: Histories
  /** Ongoing incidents, and those that ended recently. Ongoing incidents come first. */
  incidents: ShownIncident[]
  /** Maintenance windows in progress, and the next ones, sorted by start. */
  windows: ShownWindow[]
  /** Open posts, and those that were resolved recently. Open posts come first. */
  posts: ShownPost[]
  /** Oldest first. */
  updates: ShownUpdate[]
}

/** $1 is the owner, $2 the page and $3 the monitors of a draft. */
export const shownMonitorsSql = `any (coalesce($3::bigint[], array(
           select s.monitor_id from status_page_monitors s where s.user_id = $1 and s.page_id = $2)))`

/** The number of queries before those of the histories. */
const CONTENT_QUERY_COUNT = 5

/** `toPageContent` turns the results of these queries into a `PageContent`. */
export function buildContentQueries({ teamId, pageId, monitorIds }: PageSource, times: SnapshotTimes): Statement[] {
  const source = [teamId, pageId, monitorIds]
  return [
    {
      text: `select m.id, m.status, m.status_changed_at, ${downSinceSql} as down_since
               from monitors m
              where m.user_id = $1 and m.id = ${shownMonitorsSql}`,
      values: source,
    },
    {
      // An incident that began and ended in a maintenance was never announced to anybody: it was part of the planned work.
      text: `select monitor_id, started_at, resolved_at
               from incidents
              where user_id = $1 and monitor_id = ${shownMonitorsSql} and ${incidentEndSql} > $4
                and not (during_maintenance and announced_at is null and resolved_at is not null)
              order by resolved_at is null desc, started_at desc, id desc
              limit $5`,
      values: [...source, times.recentFrom, MAX_SHOWN_INCIDENTS],
    },
    {
      // Compares the times of windows and not their states, like is_in_maintenance(): the worker may not have handled a start or end yet.
      text: `select *
               from (
                 select t.id, t.title, t.note, w.starts_at, w.ends_at, t.cron is not null as is_recurring, t.updated_at,
                        array(select m.id
                                from monitors m
                               where m.user_id = $1 and m.id = ${shownMonitorsSql}
                                 and (t.all_monitors or m.tag_keys && t.tag_keys
                                      or exists (select from maintenance_monitors c
                                                  where c.user_id = $1 and c.maintenance_id = t.id and c.monitor_id = m.id))
                        ) as monitor_ids
                   from maintenance_windows w
                   join maintenances t on t.user_id = w.user_id and t.id = w.maintenance_id
                  where w.user_id = $1 and w.ends_at > $4 and w.starts_at <= $5
               ) planned
              where monitor_ids <> '{}'
              order by starts_at, id`,
      values: [...source, times.now, times.plannedUntil],
    },
    {
      text: `select id, title, state, created_at, updated_at, resolved_at,
                    array(select p.monitor_id from status_post_monitors p where p.user_id = $1 and p.post_id = status_posts.id)
                      as monitor_ids
               from status_posts
              where user_id = $1 and page_id = $2 and (resolved_at is null or resolved_at > $3)
              order by resolved_at is null desc, created_at desc, id desc
              limit $4`,
      values: [teamId, pageId, times.recentFrom, MAX_SHOWN_POSTS],
    },
    {
      // The newest update of each post comes first, then the second newest of each post, so that posts with many
      // updates leave room for others.
      text: `select id, post_id, state, body, created_at
               from (
                 select u.id, u.post_id, u.state, u.body, u.created_at
                   from status_post_updates u
                   join status_posts p on p.user_id = u.user_id and p.id = u.post_id
                  where p.user_id = $1 and p.page_id = $2 and (p.resolved_at is null or p.resolved_at > $3)
                  order by row_number() over (partition by u.post_id order by u.id desc), u.id desc
                  limit $4
               ) newest
              order by created_at, id`,
      values: [teamId, pageId, times.recentFrom, MAX_SHOWN_UPDATES],
    },
    ...buildHistoryQueries(`user_id = $1 and monitor_id = ${shownMonitorsSql}`, source, times.historyFrom),
  ]
}

/** Takes the results of `buildContentQueries`. */
export function toPageContent(results: readonly StatementResult[]): PageContent {
  const [states, incidents, windows, posts, updates] = results.map(({ rows }) => rows)
  return {
    states: states as unknown as MonitorState[],
    histories: toHistories(results.slice(CONTENT_QUERY_COUNT)),
    incidents: incidents as unknown as ShownIncident[],
    windows: windows as unknown as ShownWindow[],
    posts: posts as unknown as ShownPost[],
    updates: updates as unknown as ShownUpdate[],
  }
}
