/** SQL that finds a website of any user, for somebody who wants to read its statistics. */
import type { Queries } from '../../storage/client.ts'
import type { TenantId } from '../../storage/tenant.ts'

export type WebsiteRef = { id: number } | { domain: string }

export interface StatisticsWebsite {
  id: number
  userId: number
  domain: string
  timeZone: string
  isSample: boolean
  privacy: number
  passwordHash: string | null
}

export interface StatisticsLookup {
  website: StatisticsWebsite | undefined
  /** Whether the caller's key or session still exists. After it was deleted, it may still be in the cache of callers. */
  isCallerValid: boolean
}

/** One statement, so that the response time does not tell whether the website exists. */
export async function findWebsiteForReader(
  q: Queries,
  ref: WebsiteRef,
  caller: TenantId | undefined,
): Promise<StatisticsLookup> {
  const [column, value] = 'id' in ref ? ['id', ref.id] : ['domain', ref.domain]
  const [row] = await q.query(
    `select c.is_valid, w.id, w.user_id, w.domain, w.time_zone, w.is_sample, w.privacy, w.password_hash
       from (select exists (select from api_keys where id = $2::bigint)
                 or exists (select from sessions where id = $3::bigint) as is_valid) c
       left join websites w on w.${column} = $1`,
    [value, caller?.keyId, caller?.sessionId],
  )
  const isCallerValid = row?.['is_valid'] === true
  if (row === undefined || row['id'] === null) return { website: undefined, isCallerValid }
  const website = {
    id: row['id'],
    userId: row['user_id'],
    domain: row['domain'],
    timeZone: row['time_zone'],
    isSample: row['is_sample'],
    privacy: row['privacy'],
    passwordHash: row['password_hash'],
  }
  return { website, isCallerValid }
}
