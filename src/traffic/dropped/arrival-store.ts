/** SQL for websites whose owners wait for the first visit, and for the page views that may explain why it is missing. */

import { SHARED_ROWS } from '../../storage/statements.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { AttributedArrival, AwaitedWebsite, RegisteredWebsite } from './arrivals.ts'
import type { ArrivalRecord } from './schema.ts'

/** Every node reads the list of awaited websites about once a second, so it must stay short. */
const MAX_AWAITED_PER_USER = 20
const MAX_AWAITED = 1_000
/** More than the page shows, because `chooseArrivals` leaves some out. */
const MAX_STORED_PER_WEBSITE = 10

/** Stores that the user waits for the first visit of the website. Call it in a transaction that runs as the user. */
export async function awaitFirstVisit(
  q: Queries,
  { teamId, websiteId, address, now }: { teamId: number; websiteId: number; address: Buffer; now: Date },
): Promise<void> {
  await q.batch(
    {
      // An open page sends a request every few seconds. Usually the row is new enough and stays unchanged.
      text: `insert into awaited_websites as awaited (user_id, website_id, address, expires_at)
             values ($1, $2, $3, $4::timestamptz + interval '1 hour')
                 on conflict (user_id, website_id, address)
                 do update set expires_at = excluded.expires_at
              where awaited.expires_at < excluded.expires_at - interval '1 minute'`,
      values: [teamId, websiteId, address, now],
    },
    {
      text: `delete from awaited_websites
              where user_id = $1
                and (website_id, address) not in (select website_id, address
                                                    from awaited_websites
                                                   where user_id = $1
                                                   order by expires_at desc
                                                   limit ${MAX_AWAITED_PER_USER})`,
      values: [teamId],
    },
  )
}

export async function listAwaitedWebsites(q: Queries, now: Date): Promise<AwaitedWebsite[]> {
  return q.query<AwaitedWebsite>(
    `select website_id as id, user_id as "teamId", encode(address, 'base64') as address
       from awaited_websites
      where expires_at > $1
      order by expires_at desc
      limit ${MAX_AWAITED}`,
    [now],
  )
}

export async function findRegisteredWebsites(
  q: Queries,
  domains: readonly string[],
): Promise<Map<string, RegisteredWebsite>> {
  const rows = await q.query<RegisteredWebsite & { domain: string }>(
    `select id, user_id as "teamId", domain from websites where domain = any ($1) and not is_sample`,
    [domains],
  )
  return new Map(rows.map(({ domain, ...website }) => [domain, website]))
}

/** Requires a transaction. Sorting the rows prevents deadlocks between nodes. Each website keeps only its newest rows. */
export async function addArrivals(q: Queries, arrivals: readonly AttributedArrival[], now: Date): Promise<void> {
  await q.batch(
    {
      text: `insert into arrivals as stored (user_id, website_id, reason, domain, host, exclusion, is_own, count, last_at)
             select websites.user_id, websites.id, added.reason, added.domain, added.host, added.exclusion, added.is_own,
                    added.count, $8
               from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::integer[])
                      added (website_id, reason, domain, host, exclusion, is_own, count)
               join websites on websites.id = added.website_id
              order by websites.id, added.reason, added.domain, added.host, added.exclusion
                 on conflict (user_id, website_id, reason, domain, host, exclusion)
                 do update set count = stored.count + excluded.count,
                               is_own = stored.is_own or excluded.is_own,
                               last_at = excluded.last_at`,
      values: [
        arrivals.map(({ websiteId }) => websiteId),
        arrivals.map(({ reason }) => reason),
        arrivals.map(({ domain }) => domain),
        arrivals.map(({ host }) => host),
        arrivals.map(({ exclusion }) => exclusion),
        arrivals.map(({ isOwn }) => isOwn),
        arrivals.map(({ count }) => count),
        now,
      ],
    },
    {
      text: `delete from arrivals
              using (select user_id, website_id, reason, domain, host, exclusion,
                            row_number() over (partition by website_id, is_own order by last_at desc) as position
                       from arrivals
                      where website_id = any ($1)) ranked
              where position > ${MAX_STORED_PER_WEBSITE}
                and arrivals.user_id = ranked.user_id
                and arrivals.website_id = ranked.website_id
                and arrivals.reason = ranked.reason
                and arrivals.domain = ranked.domain
                and arrivals.host = ranked.host
                and arrivals.exclusion = ranked.exclusion`,
      values: [arrivals.map(({ websiteId }) => websiteId)],
    },
  )
}

type ArrivalRow = Omit<ArrivalRecord, 'suggested_domain' | 'last_at'> & { last_at: Date }

/** Reads the arrivals of the last hour: those from the owner's address first, then the newest. */
export async function readArrivals(q: Queries, websiteId: number, now: Date): Promise<ArrivalRow[]> {
  return q.query<ArrivalRow>(
    `select reason, nullif(domain, '') as domain, nullif(host, '') as host, nullif(exclusion, '') as exclusion, is_own,
            count, last_at
       from arrivals
      where ${SHARED_ROWS} and website_id = $1 and last_at > $2::timestamptz - interval '1 hour'
      order by is_own desc, last_at desc, reason, domain, host`,
    [websiteId, now],
  )
}

export async function deleteOldArrivals(q: Queries, now: Date): Promise<void> {
  await q.query(`delete from awaited_websites where expires_at < $1`, [now])
  await q.query(`delete from arrivals where last_at < $1::timestamptz - interval '1 hour'`, [now])
}
