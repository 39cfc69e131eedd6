/** SQL for single websites. `list-store.ts` has the SQL for lists. */
import pg from 'pg'
import { invalid } from '../lib/problem.ts'
import { SHARED_ROWS } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { toTagKeys } from '../tags/tags.ts'
import type { WebsiteRecord } from './schema.ts'

export type WebsiteRow = Omit<WebsiteRecord, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date }

/** The columns of a website as the API returns it, in the order of `WebsiteRecord`. */
export const websiteColumns = `id, domain, privacy, password_hash is not null as has_password, email, exclude_bots, exclude_params,
  exclude_ips, favorite, time_zone, tags, watch_traffic, watch_spikes,
  (select silence_alarms_a_year::float8 from teams where teams.id = acting_team()) as silence_alarms_a_year,
  quiet_days::text[] as quiet_days, holidays, is_sample, created_at, updated_at`

export interface WebsiteSettings {
  privacy: number
  passwordHash: string | null
  /** 1 if the weekly email report is enabled, else 0. */
  email: number
  excludeBots: number
  excludeParams: string | null
  excludeIps: string | null
  favorite: boolean
  timeZone: string
  tags: string[]
  quietDays: string[]
  holidays: string | null
}

export interface NewWebsite extends WebsiteSettings {
  domain: string
  unicode: string | null
  isSample: boolean
}

/** Call this in a transaction that runs as the team `teamId`. `Tenant` says why an insert needs a transaction. */
export async function insertWebsite(q: Queries, teamId: number, website: NewWebsite, now: Date): Promise<WebsiteRow> {
  const [row] = await q
    .query<WebsiteRow>(
      `insert into websites (user_id, domain, unicode, privacy, password_hash, email, exclude_bots, exclude_params,
         exclude_ips, favorite, time_zone, is_sample, created_at, updated_at, tags, tag_keys,
         quiet_days, holidays)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14, $15, $16, $17) returning ${websiteColumns}`,
      [
        teamId,
        website.domain,
        website.unicode,
        website.privacy,
        website.passwordHash,
        website.email,
        website.excludeBots,
        website.excludeParams,
        website.excludeIps,
        website.favorite,
        website.timeZone,
        website.isSample,
        now,
        website.tags,
        toTagKeys(website.tags),
        website.quietDays,
        website.holidays,
      ],
    )
    .catch(translateError)
  return row as WebsiteRow
}

export async function findWebsite(q: Queries, id: number): Promise<WebsiteRow | undefined> {
  return (await q.query<WebsiteRow>(`select ${websiteColumns} from websites where ${SHARED_ROWS} and id = $1`, [id]))[0]
}

interface WatchSettings {
  watchTraffic: boolean
  watchSpikes: boolean
}

/** Fields that are undefined stay unchanged. null clears `excludeParams`, `excludeIps` or `holidays`. */
export type WebsiteChanges = {
  [Name in keyof (WebsiteSettings & WatchSettings)]?: (WebsiteSettings & WatchSettings)[Name] | undefined
}

export async function updateWebsiteRow(
  q: Queries,
  id: number,
  changes: WebsiteChanges,
  now: Date,
): Promise<WebsiteRow | undefined> {
  const [row] = await q
    .query<WebsiteRow>(
      `update websites set privacy = coalesce($2, privacy), password_hash = coalesce($3, password_hash),
         email = coalesce($4, email), exclude_bots = coalesce($5, exclude_bots),
         exclude_params = case when $6::boolean then $7 else exclude_params end,
         exclude_ips = case when $8::boolean then $9 else exclude_ips end,
         favorite = coalesce($10, favorite), time_zone = coalesce($11, time_zone), updated_at = $12,
         tags = coalesce($13, tags), tag_keys = coalesce($14, tag_keys),
         watch_traffic = coalesce($15, watch_traffic), watch_spikes = coalesce($16, watch_spikes),
         quiet_days = coalesce($17, quiet_days), holidays = case when $18::boolean then $19 else holidays end
       where ${SHARED_ROWS} and id = $1 returning ${websiteColumns}`,
      [
        id,
        changes.privacy,
        changes.passwordHash,
        changes.email,
        changes.excludeBots,
        changes.excludeParams !== undefined,
        changes.excludeParams,
        changes.excludeIps !== undefined,
        changes.excludeIps,
        changes.favorite,
        changes.timeZone,
        now,
        changes.tags,
        changes.tags && toTagKeys(changes.tags),
        changes.watchTraffic,
        changes.watchSpikes,
        changes.quietDays,
        changes.holidays !== undefined,
        changes.holidays,
      ],
    )
    .catch(translateError)
  return row
}

export async function deleteWebsiteRow(q: Queries, id: number): Promise<boolean> {
  return (await q.query(`delete from websites where ${SHARED_ROWS} and id = $1 returning id`, [id])).length > 0
}

function translateError(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.constraint === 'websites_domain_key') {
    throw invalid({ domain: ['The domain has already been taken.'] })
  }
  if (error instanceof pg.DatabaseError && error.constraint === 'websites_password_check') {
    throw invalid({ password: ['`password` is required when `privacy` is 2.'] })
  }
  if (error instanceof pg.DatabaseError && error.constraint === 'websites_sample_check') {
    throw invalid({
      email: ["The sample shop can't have a weekly report. Turn it on for a website of your own instead."],
    })
  }
  throw error
}
