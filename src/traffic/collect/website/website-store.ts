/** SQL for the websites whose events are collected: all except sample websites. */
import type { Queries } from '../../../storage/client.ts'
import { toBatchColumns } from '../../inbox/store.ts'
import type { TrafficEvent } from '../../model/event.ts'

export interface TrackedWebsite {
  id: number
  userId: number
  /** Changes with every update of the row. */
  version: string
  domain: string
  excludeBots: number
  excludeParams: string | null
  excludeIps: string | null
  timeZone: string
}

export interface WebsiteVersions {
  domains: readonly string[]
  /** The websites that are registered under these domains, as `id:version,id:version` in the order of their ids. */
  versionsText: string
}

export async function findTrackedWebsites(q: Queries, domains: readonly string[]): Promise<TrackedWebsite[]> {
  return q.query<TrackedWebsite>(
    `select id,
            user_id as "userId",
            xmin::text as version,
            domain,
            exclude_bots as "excludeBots",
            exclude_params as "excludeParams",
            exclude_ips as "excludeIps",
            time_zone as "timeZone"
       from websites
      where domain = any ($1) and not is_sample`,
    [domains],
  )
}

/** Returns the same text that the statements below compute in SQL. */
export function formatWebsiteVersions(websites: Iterable<TrackedWebsite>): string {
  return [...websites]
    .sort((one, other) => one.id - other.id)
    .map(({ id, version }) => `${id}:${version}`)
    .join()
}

/**
 * Stores events as one row and resolves with true once they are durable. If a website has changed, stores nothing and
 * resolves with false. So a setting takes effect on every node as soon as it is saved, although nodes cache websites.
 */
export async function insertBatchIfCurrent(
  q: Queries,
  events: readonly TrafficEvent[],
  { domains, versionsText }: WebsiteVersions,
): Promise<boolean> {
  const { size, websiteIds, text } = toBatchColumns(events)
  const [inserted] = await q.batch({
    text: `insert into event_inbox (size, websites, events)
           select $1, $2::bigint[], $3
            where (select coalesce(string_agg(id || ':' || xmin, ',' order by id), '')
                     from websites
                    where domain = any ($4) and not is_sample) = $5`,
    values: [size, websiteIds, text, domains, versionsText],
  })
  return inserted?.count === 1
}

/** Makes the same check as `insertBatchIfCurrent`, for a batch whose events were all dropped. */
export async function areVersionsCurrent(q: Queries, { domains, versionsText }: WebsiteVersions): Promise<boolean> {
  const [row] = await q.query(
    `select coalesce(string_agg(id || ':' || xmin, ',' order by id), '') = $2 as is_current
       from websites
      where domain = any ($1) and not is_sample`,
    [domains, versionsText],
  )
  return row?.['is_current'] === true
}
