/** SQL for the proof that custom domains belong to the owners of their pages. Works across users. */
import pg from 'pg'
import type { Queries } from '../../storage/transaction.ts'

/** A domain that a page has, verified or not. */
export interface DomainClaim {
  teamId: number
  pageId: number
  domain: string
}

export async function findVerifiedPage(q: Queries, domain: string): Promise<DomainClaim | undefined> {
  const [row] = await q.query<DomainClaim & Record<string, unknown>>(
    `select user_id as "teamId", id as "pageId", custom_domain as domain
       from status_pages
      where custom_domain = $1 and custom_domain_verified_at is not null`,
    [domain],
  )
  return row
}

/** Returns false if the domain of the page has changed in the meantime, or if another page was verified for it first. */
export async function saveProof(q: Queries, { teamId, pageId, domain }: DomainClaim, now: Date): Promise<boolean> {
  try {
    const rows = await q.query(
      `update status_pages
          set custom_domain_verified_at = coalesce(custom_domain_verified_at, $4),
              custom_domain_proved_at = $4,
              custom_domain_checked_at = $4,
              content_changed_at = case when custom_domain_verified_at is null
                                        then greatest($4, content_changed_at + interval '1 millisecond')
                                        else content_changed_at end
        where user_id = $1 and id = $2 and custom_domain = $3
        returning id`,
      [teamId, pageId, domain, now],
    )
    return rows.length === 1
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.constraint === 'status_pages_verified_domain_key') return false
    throw error
  }
}

/**
 * Revokes the verification of a page's domain. Returns false if the domain was not verified or stays verified. With
 * `unlessProvedAfter`, a domain stays verified in two cases: if its record was found after this time, or if its record
 * was never found. The second case is for pages that had their domain in Belfry 0.2.0, which required no proof.
 */
export async function revokeVerification(
  q: Queries,
  { teamId, pageId, domain }: DomainClaim,
  { unlessProvedAfter, now }: { unlessProvedAfter?: Date; now: Date },
): Promise<boolean> {
  const rows = await q.query(
    `update status_pages
        set custom_domain_verified_at = null,
            custom_domain_proved_at = null,
            content_changed_at = greatest($5, content_changed_at + interval '1 millisecond')
      where user_id = $1 and id = $2 and custom_domain = $3 and custom_domain_verified_at is not null
        and ($4::timestamptz is null or custom_domain_proved_at < $4)
      returning id`,
    [teamId, pageId, domain, unlessProvedAfter ?? null, now],
  )
  return rows.length === 1
}

/**
 * Claims domains for one check: unverified ones every 5 minutes, verified ones once a day. Nodes never get the same domains. Users take
 * turns, so one with many domains doesn't make the others wait.
 */
export async function claimDomainsToCheck(
  q: Queries,
  { limit, now }: { limit: number; now: Date },
): Promise<DomainClaim[]> {
  const rows = await q.query<DomainClaim & { turn: number }>(
    `with due as materialized (
       select user_id, id, custom_domain_checked_at as checked_at,
              row_number() over (partition by user_id order by custom_domain_checked_at nulls first, id)::integer as turn
         from status_pages
        where custom_domain is not null
          and (custom_domain_checked_at is null
               or custom_domain_checked_at < $1::timestamptz - case when custom_domain_verified_at is null
                                                                    then interval '5 minutes'
                                                                    else interval '1 day' end)
        order by turn, checked_at nulls first
        limit $2
     ), claimed as materialized (
       select p.user_id, p.id, due.turn
         from due
         join status_pages p on p.user_id = due.user_id and p.id = due.id
        -- Another node may have claimed the domain in the meantime.
        where p.custom_domain is not null and p.custom_domain_checked_at is not distinct from due.checked_at
          for update of p skip locked
     )
     update status_pages p
        set custom_domain_checked_at = $1
       from claimed c
      where p.user_id = c.user_id and p.id = c.id
      returning p.user_id as "teamId", p.id as "pageId", p.custom_domain as domain, c.turn`,
    [now, limit],
  )
  return rows.toSorted((a, b) => a.turn - b.turn).map(({ teamId, pageId, domain }) => ({ teamId, pageId, domain }))
}

/** Returns those of `domains` that are the domain of another user's website. */
export async function findForeignDomains(q: Queries, teamId: number, domains: readonly string[]): Promise<string[]> {
  const rows = await q.query<{ domain: string }>(
    'select domain from websites where domain = any ($1) and user_id <> $2',
    [domains, teamId],
  )
  return rows.map(({ domain }) => domain)
}
