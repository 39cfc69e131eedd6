/** SQL for the versions of pages. A version says whether a page may have changed, without reading its history. */
import { DAY_MS } from '../../shared/time.ts'
import type { Privacy } from '../../shared/websites.ts'
import type { Statement } from '../../storage/batch.ts'
import type { Queries } from '../../storage/transaction.ts'
import { PLANNED_MAINTENANCE_DAYS } from './limits.ts'

/** A row that `selectVersionsSql` returns. */
export interface StoredPageVersion {
  teamId: number
  pageId: number
  slug: string
  privacy: Privacy
  passwordHash: string | null
  timeZone: string
  /** Changes whenever the page's settings, monitors, posts or maintenances do. */
  contentHash: string
}

/** Identifies a page. Ids of pages are unique across users, but every index begins with the user. */
export interface PageKey {
  teamId: number
  pageId: number
}

/**
 * Follows `with pages as (…)`, where `pages` has the wanted rows of `status_pages`. $1 is the current time, and $2 is
 * the end of the period from which planned maintenances are shown.
 *
 * An incident begins and ends together with a change of the monitor's status, so the hash includes the status instead
 * of incidents. It includes the tags of monitors, because they decide which maintenances cover a monitor. `bit_xor`
 * combines the hashes of rows in any order. Equal hashes would cancel each other, but no row occurs twice.
 */
const selectVersionsSql = `
  select p.user_id as "teamId", p.id as "pageId", p.slug, p.privacy, p.password_hash as "passwordHash",
         p.time_zone as "timeZone",
         hash_record_extended(row(p.content_changed_at, shown.monitors, planned.windows), 0)::text as "contentHash"
    from pages p
   cross join lateral (
      select bit_xor(hash_record_extended(row(m.id, m.status, m.status_changed_at, m.tag_keys), 0)) as monitors
        from status_page_monitors s
        join monitors m on m.user_id = s.user_id and m.id = s.monitor_id
       where s.user_id = p.user_id and s.page_id = p.id
    ) shown
   cross join lateral (
      select bit_xor(hash_record_extended(row(t.id, t.updated_at, w.starts_at, w.ends_at, w.starts_at <= $1), 0)) as windows
        from maintenance_windows w
        join maintenances t on t.user_id = w.user_id and t.id = w.maintenance_id
       where w.user_id = p.user_id and w.ends_at > $1 and w.starts_at <= $2
    ) planned
   order by p.user_id, p.id`

const toPeriod = (now: Date) => [now, new Date(now.getTime() + PLANNED_MAINTENANCE_DAYS * DAY_MS)]

/** The query returns a `StoredPageVersion`, or no row if the page doesn't exist. */
export function buildVersionQuery({ teamId, pageId }: PageKey, now: Date): Statement {
  return {
    text: `with pages as (select * from status_pages where user_id = $3 and id = $4) ${selectVersionsSql}`,
    values: [...toPeriod(now), teamId, pageId],
  }
}

/** Works across users. */
export async function findVersionBySlug(q: Queries, slug: string, now: Date): Promise<StoredPageVersion | undefined> {
  const [row] = await q.query<StoredPageVersion & Record<string, unknown>>(
    `with pages as (select * from status_pages where slug = $3) ${selectVersionsSql}`,
    [...toPeriod(now), slug],
  )
  return row
}

/** Reads the versions of the next pages after `after`, in the order of users and pages. Works across users. */
export function readNextVersions(
  q: Queries,
  { after, limit }: { after: PageKey; limit: number },
  now: Date,
): Promise<StoredPageVersion[]> {
  return q.query<StoredPageVersion & Record<string, unknown>>(
    `with pages as (
       select * from status_pages where (user_id, id) > ($3, $4) order by user_id, id limit $5
     ) ${selectVersionsSql}`,
    [...toPeriod(now), after.teamId, after.pageId, limit],
  )
}
