/** SQL for status pages. `groups-store.ts` has the SQL for their groups. */
import pg from 'pg'
import { invalid } from '../lib/problem.ts'
import type { StatusPageTheme } from '../shared/status-pages.ts'
import type { Privacy } from '../shared/websites.ts'
import type { Queries } from '../storage/transaction.ts'
import type { StatusPageRecord } from './schema.ts'
import type { StatusPageSettings } from './settings.ts'

export interface StatusPageRow {
  id: number
  slug: string
  title: string
  description: string | null
  privacy: Privacy
  has_password: boolean
  custom_domain: string | null
  custom_domain_verified_at: Date | null
  theme: StatusPageTheme
  accent_color: string | null
  time_zone: string
  groups: StatusPageRecord['groups']
  show_response_times: boolean
  has_logo: boolean
  open_posts: number
  created_at: Date
  updated_at: Date
}

const selectStatusPagesSql = `
  select p.id, p.slug, p.title, p.description, p.privacy, p.password_hash is not null as has_password, p.custom_domain,
         p.custom_domain_verified_at, p.theme, p.accent_color, p.time_zone, p.show_response_times, p.created_at, p.updated_at,
         exists (select from status_page_logos l where l.user_id = p.user_id and l.page_id = p.id) as has_logo,
         (select count(*)::int from status_posts o where o.user_id = p.user_id and o.page_id = p.id and o.resolved_at is null) as open_posts,
         coalesce((select json_agg(json_build_object('name', g.name, 'monitors', listed.monitors) order by g.position)
                     from status_page_groups g
                    cross join lateral (
                       select coalesce(json_agg(json_build_object('monitor_id', m.monitor_id, 'label', m.label)
                                                order by m.position), '[]') as monitors
                         from status_page_monitors m
                        where m.user_id = g.user_id and m.page_id = g.page_id and m.group_position = g.position
                     ) listed
                    where g.user_id = p.user_id and g.page_id = p.id), '[]') as groups
    from status_pages p
   where p.user_id = acting_team()`

export async function findStatusPage(q: Queries, id: number): Promise<StatusPageRow | undefined> {
  return (await q.query<StatusPageRow & Record<string, unknown>>(`${selectStatusPagesSql} and p.id = $1`, [id]))[0]
}

/** Makes other transactions that change the page wait until this one ends. */
export async function lockStatusPage(q: Queries, id: number): Promise<void> {
  await q.query('select from status_pages where user_id = acting_team() and id = $1 for no key update', [id])
}

/** Lists all pages of the caller, newest first. A user has at most MAX_STATUS_PAGES. */
export async function listPageNames(q: Queries): Promise<{ id: number; slug: string; title: string }[]> {
  return q.query('select id, slug, title from status_pages where user_id = acting_team() order by id desc')
}

/** Reads the pages with these ids, newest first. */
export async function readStatusPages(q: Queries, ids: readonly number[]): Promise<StatusPageRow[]> {
  return q.query<StatusPageRow & Record<string, unknown>>(
    `${selectStatusPagesSql} and p.id = any ($1) order by p.id desc`,
    [ids],
  )
}

export async function countStatusPages(q: Queries): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    'select count(*)::int as count from status_pages where user_id = acting_team()',
  )
  return row?.count ?? 0
}

const toParameters = (settings: StatusPageSettings, passwordHash: string | undefined, now: Date) => [
  /* $2 */ settings.slug,
  /* $3 */ settings.title,
  /* $4 */ settings.description,
  /* $5 */ settings.privacy,
  /* $6 */ passwordHash,
  /* $7 */ settings.customDomain,
  /* $8 */ settings.theme,
  /* $9 */ settings.accentColor,
  /* $10 */ settings.timeZone,
  /* $11 */ settings.showResponseTimes,
  /* $12 */ now,
]

/** Call this in a transaction that runs as the team `teamId`. */
export async function insertStatusPage(
  q: Queries,
  teamId: number,
  { settings, passwordHash, now }: { settings: StatusPageSettings; passwordHash: string | undefined; now: Date },
): Promise<number> {
  const [row] = await q
    .query<{ id: number }>(
      `insert into status_pages (user_id, slug, title, description, privacy, password_hash, custom_domain, theme,
                                 accent_color, time_zone, show_response_times, created_at, updated_at, content_changed_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $12)
       returning id`,
      [teamId, ...toParameters(settings, passwordHash, now)],
    )
    .catch(translateError)
  return row?.id as number
}

/** Keeps the stored password unless there is a new one. */
export async function updateStatusPageRow(
  q: Queries,
  id: number,
  { settings, passwordHash, now }: { settings: StatusPageSettings; passwordHash: string | undefined; now: Date },
): Promise<void> {
  await q
    .query(
      `update status_pages
          set slug = $2,
              title = $3,
              description = $4,
              privacy = $5,
              password_hash = coalesce($6, password_hash),
              custom_domain = $7,
              theme = $8,
              accent_color = $9,
              time_zone = $10,
              show_response_times = $11,
              updated_at = $12
        where user_id = acting_team() and id = $1`,
      [id, ...toParameters(settings, passwordHash, now)],
    )
    .catch(translateError)
}

/**
 * Call this in every transaction that changes what the page shows. Two changes in the same millisecond get different
 * times, so that copies of the page can tell them apart.
 */
export async function touchStatusPage(q: Queries, teamId: number, pageId: number, now: Date): Promise<void> {
  await q.query(
    `update status_pages
        set content_changed_at = greatest($3, content_changed_at + interval '1 millisecond')
      where user_id = $1 and id = $2`,
    [teamId, pageId, now],
  )
}

/** Returns whether the page existed. */
export async function deleteStatusPageRow(q: Queries, id: number): Promise<boolean> {
  const [deleted] = await q.batch({
    text: 'delete from status_pages where user_id = acting_team() and id = $1',
    values: [id],
  })
  return deleted?.count === 1
}

function translateError(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.constraint === 'status_pages_slug_key') {
    throw invalid({ slug: ['`slug` is already in use.'] })
  }
  throw error
}
