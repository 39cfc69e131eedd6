/** SQL for the settings of a page, for its groups, and for its monitors' response times. */

import type { StatusPageTheme } from '../../shared/status-pages.ts'
import type { Privacy } from '../../shared/websites.ts'
import type { Statement, StatementResult } from '../../storage/batch.ts'
import { parseNumbers } from '../../storage/parse-numbers.ts'
import { type PageSource, shownMonitorsSql } from './store.ts'
import type { SnapshotTimes } from './times.ts'
import type { PageKey } from './version-store.ts'

export interface StoredPageSettings {
  privacy: Privacy
  password_hash: string | null
  slug: string
  title: string
  description: string | null
  /** null unless the domain is verified. */
  custom_domain: string | null
  theme: StatusPageTheme
  accent_color: string | null
  time_zone: string
  show_response_times: boolean
  logo_hash: string | null
  feed_id: string
  feed_id_since: Date
}

/** The query returns a `StoredPageSettings`, or no row if the page doesn't exist. */
export function buildSettingsQuery({ teamId, pageId }: Pick<PageSource, 'teamId' | 'pageId'>): Statement {
  return {
    text: `select p.privacy, p.password_hash, p.slug, p.title, p.description, p.theme, p.accent_color,
                  case when p.custom_domain_verified_at is not null then p.custom_domain end as custom_domain,
                  p.time_zone, p.show_response_times, p.feed_id, p.feed_id_since, l.content_hash as logo_hash
             from status_pages p
             left join status_page_logos l on l.user_id = p.user_id and l.page_id = p.id
            where p.user_id = $1 and p.id = $2`,
    values: [teamId, pageId],
  }
}

/** A group as the page shows it. */
export interface PageGroup {
  name: string
  monitors: { id: number; label: string }[]
}

/** The query returns a `PageGroup` per row. */
export function buildGroupsQuery({ teamId, pageId }: PageKey): Statement {
  return {
    text: `select g.name,
                  coalesce(
                    (select json_agg(json_build_object('id', s.monitor_id, 'label', s.label) order by s.position)
                       from status_page_monitors s
                      where s.user_id = $1 and s.page_id = $2 and s.group_position = g.position), '[]') as monitors
             from status_page_groups g
            where g.user_id = $1 and g.page_id = $2
            order by g.position`,
    values: [teamId, pageId],
  }
}

/** The query returns the names of monitors, which a draft shows for monitors without a label. */
export function buildNamesQuery(teamId: number, monitorIds: readonly number[]): Statement {
  return {
    text: 'select id, friendly_name as name from monitors where user_id = $1 and id = any ($2)',
    values: [teamId, monitorIds],
  }
}

export interface MonitorResponses {
  /**
   * Hours with responses, as numbers of hours after the first hour that the page shows. `averages` has the average
   * response time of each.
   */
  hours: number[]
  averages: number[]
  averageMs: number
}

/**
 * While an hour is being rolled up, `checks` and `check_hours` both contain it, with the same average and the same
 * number of responses. So the average of both rows is correct, and `max` counts the responses only once. `$7` says
 * whether a draft shows response times. If it is null, the setting of the stored page decides.
 */
export function buildResponsesQuery(
  { teamId, pageId, monitorIds }: PageSource,
  { responseHours: { startsAt, rawFrom, until } }: SnapshotTimes,
  isShown: boolean | null,
): Statement {
  return {
    text: `select monitor_id, array_agg(extract(epoch from starts_at - $4::timestamptz)::int / 3600)::text as hours,
                  array_agg(round(average_ms)::int)::text as averages,
                  round(sum(average_ms * responses) / sum(responses))::int as "averageMs"
             from (
               select monitor_id, starts_at, sum(sum_ms) / sum(responses) as average_ms, max(responses) as responses
                 from (
                   select monitor_id, starts_at, sum_ms, (select sum(count) from unnest(counts) count) as responses
                     from check_hours
                    where user_id = $1 and monitor_id = ${shownMonitorsSql}
                      and starts_at >= $4 and starts_at <= $6
                   union all
                   select monitor_id, date_trunc('hour', checked_at), sum(response_ms), count(response_ms)
                     from checks
                    where user_id = $1 and monitor_id = ${shownMonitorsSql}
                      and checked_at >= $5 and checked_at <= $6
                    group by 1, 2
                 ) counted
                where responses > 0
                  and coalesce($7, (select p.show_response_times from status_pages p where p.user_id = $1 and p.id = $2))
                group by 1, 2
             ) hours
            group by 1`,
    values: [teamId, pageId, monitorIds, startsAt, rawFrom, until, isShown],
  }
}

export function toResponses(result: StatementResult | undefined): Map<number, MonitorResponses> {
  return new Map(
    result?.rows.map(({ monitor_id, hours, averages, averageMs }) => [
      monitor_id,
      { hours: parseNumbers(hours) as number[], averages: parseNumbers(averages) as number[], averageMs },
    ]),
  )
}
