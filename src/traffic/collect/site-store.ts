/** SQL of what collecting needs to know: websites by their domain, and the salts of days. */
import type { Queries } from '../../storage/client.ts'

export interface TrackedSite {
  id: number
  domain: string
  excludeBots: number
  excludeParams: string | null
  excludeIps: string | null
  timeZone: string
}

/** Asked for every batch, so that a setting holds from the moment it is saved, on every node. */
export async function findSites(q: Queries, domains: readonly string[]): Promise<TrackedSite[]> {
  return q.query<TrackedSite>(
    `select id, domain, exclude_bots as "excludeBots", exclude_params as "excludeParams", exclude_ips as "excludeIps",
            time_zone as "timeZone"
       from websites where domain = any ($1)`,
    [domains],
  )
}

/** The first of all nodes to ask makes it. */
export async function ensureSalt(q: Queries, day: string, made: Buffer): Promise<Buffer> {
  const results = await q.flight(
    { text: 'insert into visitor_salts (day, salt) values ($1, $2) on conflict do nothing', values: [day, made] },
    { text: 'select salt from visitor_salts where day = $1', values: [day] },
  )
  return results[1]?.rows[0]?.['salt'] as Buffer
}

export async function dropOldSalts(q: Queries, before: string): Promise<void> {
  await q.query('delete from visitor_salts where day < $1', [before])
}
