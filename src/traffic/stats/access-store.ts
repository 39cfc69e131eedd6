/** SQL that finds a website whoever's it is, for somebody who wants to read its statistics. */
import type { Queries } from '../../storage/client.ts'
import type { TenantId } from '../../storage/tenant.ts'

export type WebsiteRef = { id: number } | { domain: string }

export interface StatisticsWebsite {
  id: number
  userId: number
  domain: string
  timeZone: string
  privacy: number
  passwordHash: string | null
}

export interface WebsiteForReader {
  website: StatisticsWebsite | undefined
  /** Whether the key or session that was shown still exists: whom we remember may have been turned away since. */
  isCallerHere: boolean
}

/** In one flight, and in the same time whether or not there is such a website. */
export async function findWebsiteForReader(
  q: Queries,
  wanted: WebsiteRef,
  caller: TenantId | undefined,
): Promise<WebsiteForReader> {
  const [column, value] = 'id' in wanted ? ['id', wanted.id] : ['domain', wanted.domain]
  const [row] = await q.query(
    `select c.is_here, w.id, w.user_id, w.domain, w.time_zone, w.privacy, w.password_hash
       from (select exists (select from api_keys where id = $2::bigint)
                 or exists (select from sessions where id = $3::bigint) as is_here) c
       left join websites w on w.${column} = $1`,
    [value, caller?.keyId, caller?.sessionId],
  )
  const isCallerHere = row?.['is_here'] === true
  if (row === undefined || row['id'] === null) return { website: undefined, isCallerHere }
  const website = {
    id: row['id'],
    userId: row['user_id'],
    domain: row['domain'],
    timeZone: row['time_zone'],
    privacy: row['privacy'],
    passwordHash: row['password_hash'],
  }
  return { website, isCallerHere }
}
