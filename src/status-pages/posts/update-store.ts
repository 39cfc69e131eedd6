/** SQL for the updates of a post. The first update is the text of the post itself. */
import type { PostState } from '../../shared/status-pages.ts'
import type { Queries } from '../../storage/transaction.ts'

export interface PostUpdateRow {
  id: number
  state: PostState
  body: string
  created_at: Date
  updated_at: Date
}

/** Lists the updates of a post, oldest first. Returns undefined if the caller has no such post. */
export async function listPostUpdates(
  q: Queries,
  pageId: number,
  postId: number,
): Promise<PostUpdateRow[] | undefined> {
  const [post, updates] = await q.batch(
    {
      text: 'select from status_posts where user_id = acting_team() and page_id = $1 and id = $2',
      values: [pageId, postId],
    },
    {
      text: `select u.id, u.state, u.body, u.created_at, u.updated_at
               from status_post_updates u
               join status_posts p on p.user_id = u.user_id and p.id = u.post_id
              where u.user_id = acting_team() and p.page_id = $1 and u.post_id = $2
              order by u.id`,
      values: [pageId, postId],
    },
  )
  return post?.count === 1 ? (updates?.rows as unknown as PostUpdateRow[]) : undefined
}

interface PostUpdatePath {
  pageId: number
  postId: number
  updateId: number
}

export async function findPostUpdate(
  q: Queries,
  { pageId, postId, updateId }: PostUpdatePath,
): Promise<PostUpdateRow | undefined> {
  const [row] = await q.query<PostUpdateRow & Record<string, unknown>>(
    `select u.id, u.state, u.body, u.created_at, u.updated_at
       from status_post_updates u
       join status_posts p on p.user_id = u.user_id and p.id = u.post_id
      where u.user_id = acting_team() and p.page_id = $1 and u.post_id = $2 and u.id = $3`,
    [pageId, postId, updateId],
  )
  return row
}

/** Returns the number of updates of a post, and the ids of its first and its latest update. */
export async function summarizePostUpdates(
  q: Queries,
  postId: number,
): Promise<{ count: number; firstId: number; latestId: number }> {
  const [row] = await q.query(
    `select count(*)::int as count, min(id) as "firstId", max(id) as "latestId"
       from status_post_updates
      where user_id = acting_team() and post_id = $1`,
    [postId],
  )
  return row as { count: number; firstId: number; latestId: number }
}

/** Call this in a transaction that runs as the team `teamId`. */
export async function insertPostUpdate(
  q: Queries,
  { teamId, postId, state, body, now }: { teamId: number; postId: number; state: PostState; body: string; now: Date },
): Promise<number> {
  const [row] = await q.query<{ id: number }>(
    `insert into status_post_updates (user_id, post_id, state, body, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $5)
     returning id`,
    [teamId, postId, state, body, now],
  )
  return row?.id as number
}

/** A field that is undefined keeps its value. */
export async function changePostUpdateRow(
  q: Queries,
  updateId: number,
  { state, body }: { state?: PostState | undefined; body?: string | undefined },
  now: Date,
): Promise<void> {
  await q.query(
    `update status_post_updates
        set state = coalesce($2, state), body = coalesce($3, body), updated_at = $4
      where user_id = acting_team() and id = $1`,
    [updateId, state, body, now],
  )
}

export async function deletePostUpdateRow(q: Queries, updateId: number): Promise<void> {
  await q.query('delete from status_post_updates where user_id = acting_team() and id = $1', [updateId])
}
