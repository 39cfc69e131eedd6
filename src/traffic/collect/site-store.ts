/** SQL of what collecting needs to know: websites by their domain, and the salts of days. */
import type { Queries } from '../../storage/client.ts'
import { batchOf } from '../inbox/store.ts'
import type { TrafficEvent } from '../model/event.ts'

export interface TrackedSite {
  id: number
  /** Another one whenever anything of it has changed. */
  version: string
  domain: string
  excludeBots: number
  excludeParams: string | null
  excludeIps: string | null
  timeZone: string
}

export async function findSites(q: Queries, domains: readonly string[]): Promise<TrackedSite[]> {
  return q.query<TrackedSite>(
    `select id, xmin::text as version, domain, exclude_bots as "excludeBots", exclude_params as "excludeParams", exclude_ips as "excludeIps",
            time_zone as "timeZone"
       from websites where domain = any ($1)`,
    [domains],
  )
}

/** What is known of these domains, in a word: which of them there are, and in which version. */
export function stateOf(sites: Iterable<TrackedSite>): string {
  return [...sites]
    .sort((one, other) => one.id - other.id)
    .map(({ id, version }) => `${id}:${version}`)
    .join()
}

const state = (domains: string) => `(select coalesce(string_agg(id || ':' || xmin, ',' order by id), '')
    from websites where domain = any (${domains}))`

export interface Known {
  domains: readonly string[]
  state: string
}

/**
 * Only if what the events were judged by is still so: a setting holds from the moment it is saved, on every node, without
 * being asked for before each batch. One row and one commit, however many events; durable when it resolves with true.
 */
export async function insertJudged(q: Queries, events: readonly TrafficEvent[], known: Known): Promise<boolean> {
  const { size, websites, text } = batchOf(events)
  const [inserted] = await q.flight({
    text: `insert into event_inbox (size, websites, events) select $1, $2::bigint[], $3 where ${state('$4')} = $5`,
    values: [size, websites, text, known.domains, known.state],
  })
  return inserted?.count === 1
}

/** The same where nothing is left to be kept. */
export async function isStillSo(q: Queries, known: Known): Promise<boolean> {
  const [row] = await q.query(`select ${state('$1')} = $2 as so`, [known.domains, known.state])
  return row?.['so'] === true
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
