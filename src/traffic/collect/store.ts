/** SQL for collecting events: the websites that they name, and the daily salts for visitor ids. */
import type { Queries } from '../../storage/transaction.ts'

export interface TrackedWebsite {
  id: number
  teamId: number
  /** Changes with every update of the row. */
  version: string
  domain: string
  excludeBots: number
  excludeParams: string | null
  excludeIps: string | null
  timeZone: string
}

/** Leaves out sample websites, whose events are not collected. */
export async function findTrackedWebsites(q: Queries, domains: readonly string[]): Promise<TrackedWebsite[]> {
  return q.query<TrackedWebsite>(
    `select id,
            user_id as "teamId",
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

/** Nodes that need the salt at the same time all get the one that was inserted first. */
export async function ensureSalt(q: Queries, day: string, newSalt: Buffer): Promise<Buffer> {
  const results = await q.batch(
    { text: 'insert into visitor_salts (day, salt) values ($1, $2) on conflict do nothing', values: [day, newSalt] },
    { text: 'select salt from visitor_salts where day = $1', values: [day] },
  )
  return results[1]?.rows[0]?.['salt'] as Buffer
}

export async function deleteOldSalts(q: Queries, before: string): Promise<void> {
  await q.query('delete from visitor_salts where day < $1', [before])
}
