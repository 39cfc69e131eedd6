/** SQL that reads the content of reports, across users. */
import type { MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/transaction.ts'
import type { StatisticsSite } from '../traffic/stats/statistics.ts'
import { buildHistoryQueries, type Histories, toHistories } from '../uptime/store.ts'

export async function findSiteByDomain(q: Queries, domain: string): Promise<StatisticsSite | undefined> {
  const [site] = await q.query<StatisticsSite & Record<string, unknown>>(
    `select id, user_id as "teamId", domain, time_zone as "timeZone" from websites where domain = $1`,
    [domain],
  )
  return site
}

/** Reads daily totals, which are kept longer than events. */
export async function hasTraffic(q: Queries, websiteId: number): Promise<boolean> {
  return (await q.query('select from traffic_days where website_id = $1 limit 1', [websiteId])).length > 0
}

export interface NamedMonitor {
  id: number
  friendlyName: string
  url: string
  type: MonitorType
}

/**
 * Finds monitors whose name or URL contains the domain, in ASCII or Unicode. The caller must check the host of each
 * URL. Traffic monitors are left out, because they don't measure uptime: a website without visits may be up.
 */
export function findMonitorsMentioning(q: Queries, teamId: number, domain: string): Promise<NamedMonitor[]> {
  return q.query<NamedMonitor & Record<string, unknown>>(
    `select m.id, m.friendly_name as "friendlyName", m.url, m.type
       from websites w join monitors m on m.user_id = w.user_id
      where w.user_id = $1 and w.domain = $2 and m.type <> 'traffic'
        and (strpos(m.search_text, w.domain) > 0 or strpos(m.search_text, w.unicode) > 0)
      order by m.id`,
    [teamId, domain],
  )
}

export async function readHistoriesOfUser(
  q: Queries,
  teamId: number,
  monitors: readonly { id: number }[],
  since: Date,
): Promise<Histories> {
  const values = [teamId, monitors.map(({ id }) => id)]
  return toHistories(await q.batch(...buildHistoryQueries('user_id = $1 and monitor_id = any ($2)', values, since)))
}

export async function isAnyReportTurnedOn(q: Queries): Promise<boolean> {
  return (await q.query('select from websites where report_due_at is not null limit 1')).length > 0
}

export async function findDomain(q: Queries, websiteId: number): Promise<string | undefined> {
  return (await q.query<{ domain: string }>('select domain from websites where id = $1', [websiteId]))[0]?.domain
}

export async function turnOffReport(q: Queries, websiteId: number, now: Date): Promise<void> {
  await q.query('update websites set email = 0, updated_at = $2 where id = $1 and email = 1', [websiteId, now])
}
