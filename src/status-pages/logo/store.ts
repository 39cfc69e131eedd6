/** SQL for the logos of status pages. */
import type { Queries } from '../../storage/transaction.ts'

export const logoTypes = ['image/png', 'image/svg+xml'] as const
export type LogoType = (typeof logoTypes)[number]

export interface StoredLogo {
  mediaType: LogoType
  content: Buffer
  /** SHA-256 in hexadecimal digits. */
  contentHash: string
}

interface LogoKey {
  teamId: number
  pageId: number
}

/** `q` runs as the team `teamId`, or across users. Check first whether the reader may see the page. */
export async function findLogo(q: Queries, { teamId, pageId }: LogoKey): Promise<StoredLogo | undefined> {
  const [row] = await q.query<{ mediaType: LogoType; content: Buffer; contentHash: string }>(
    `select media_type as "mediaType", content, content_hash as "contentHash"
       from status_page_logos
      where user_id = $1 and page_id = $2`,
    [teamId, pageId],
  )
  return row
}

/** Call this in a transaction that runs as the team `teamId` and has locked the page. */
export async function saveLogo(
  q: Queries,
  { teamId, pageId }: LogoKey,
  { mediaType, content, contentHash }: StoredLogo,
): Promise<void> {
  await q.query(
    `insert into status_page_logos (user_id, page_id, media_type, content, content_hash)
     values ($1, $2, $3, $4, $5)
     on conflict (user_id, page_id)
     do update set media_type = excluded.media_type, content = excluded.content, content_hash = excluded.content_hash`,
    [teamId, pageId, mediaType, content, contentHash],
  )
}

/** Returns whether the logo existed. */
export async function deleteLogoRow(q: Queries, { teamId, pageId }: LogoKey): Promise<boolean> {
  const [deleted] = await q.batch({
    text: 'delete from status_page_logos where user_id = $1 and page_id = $2',
    values: [teamId, pageId],
  })
  return deleted?.count === 1
}
