/** SQL for the websites whose events are collected: all except sample websites. */
import type { Queries } from '../../../storage/client.ts'

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

/** Returns the same text that `insertBatchOnce` and `areVersionsCurrent` compute in SQL. */
export function formatWebsiteVersions(websites: Iterable<TrackedWebsite>): string {
  return [...websites]
    .sort((one, other) => one.id - other.id)
    .map(({ id, version }) => `${id}:${version}`)
    .join()
}

/** Makes the same check as `insertBatchOnce`, for a batch whose events were all dropped. */
export async function areVersionsCurrent(q: Queries, { domains, versionsText }: WebsiteVersions): Promise<boolean> {
  const [row] = await q.query(
    `select coalesce(string_agg(id || ':' || xmin, ',' order by id), '') = $2 as is_current
       from websites
      where domain = any ($1) and not is_sample`,
    [domains, versionsText],
  )
  return row?.['is_current'] === true
}
