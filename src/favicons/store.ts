/** SQL for the cache of website icons. It works across users, because the route has already checked who may see the icon. */
import type { Queries } from '../storage/transaction.ts'
import type { FetchedIcon } from './fetch-icon.ts'

export interface CachedIcon {
  /** The domain of a sample website belongs to nobody, so its icon is never fetched. */
  isSample: boolean
  /** Null if the website has no icon, or it was never fetched. */
  icon: FetchedIcon | null
  /** Null if the icon was never fetched. */
  expiresAt: Date | null
}

export async function findCachedIcon(q: Queries, websiteId: number): Promise<CachedIcon | undefined> {
  const [row] = await q.query(
    `select w.is_sample, i.content_type, i.image, i.expires_at
       from websites w left join website_icons i on i.user_id = w.user_id and i.website_id = w.id
      where w.id = $1`,
    [websiteId],
  )
  if (row === undefined) return undefined
  const icon = row['image'] === null ? null : { contentType: row['content_type'], image: row['image'] }
  return { isSample: row['is_sample'], icon, expiresAt: row['expires_at'] }
}

/** Returns false if another process is fetching the icon, or has just fetched it. */
export async function claimIcon(
  q: Queries,
  websiteId: number,
  { now, claimedUntil }: { now: Date; claimedUntil: Date },
): Promise<boolean> {
  const rows = await q.query(
    `insert into website_icons as i (user_id, website_id, expires_at, claimed_until)
     select user_id, id, $2, $3 from websites where id = $1
     on conflict (user_id, website_id) do update set claimed_until = excluded.claimed_until
       where i.expires_at <= $2 and i.claimed_until <= $2
     returning website_id`,
    [websiteId, now, claimedUntil],
  )
  return rows.length > 0
}

/** Does nothing if the website was deleted in the meantime. */
export async function saveIcon(
  q: Queries,
  websiteId: number,
  { icon, now, expiresAt }: { icon: FetchedIcon | undefined; now: Date; expiresAt: Date },
): Promise<void> {
  await q.query(
    `update website_icons set content_type = $2, image = $3, expires_at = $4, claimed_until = $5 where website_id = $1`,
    [websiteId, icon?.contentType, icon?.image, expiresAt, now],
  )
}
