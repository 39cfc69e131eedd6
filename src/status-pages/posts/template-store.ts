/** SQL for post templates. */
import type { PostState } from '../../shared/status-pages.ts'
import type { Queries } from '../../storage/transaction.ts'

export interface PostTemplateTexts {
  name: string
  title: string
  state: PostState
  body: string
}

export interface PostTemplateRow extends PostTemplateTexts {
  id: number
  created_at: Date
  updated_at: Date
}

/** Lists the caller's templates, sorted by name. */
export async function listPostTemplates(q: Queries): Promise<PostTemplateRow[]> {
  return q.query<PostTemplateRow & Record<string, unknown>>(
    `select id, name, title, state, body, created_at, updated_at
       from status_post_templates
      where user_id = own_team()
      order by lower(name), id`,
  )
}

export async function findPostTemplate(q: Queries, id: number): Promise<PostTemplateRow | undefined> {
  const [row] = await q.query<PostTemplateRow & Record<string, unknown>>(
    `select id, name, title, state, body, created_at, updated_at
       from status_post_templates
      where user_id = own_team() and id = $1`,
    [id],
  )
  return row
}

/** Counts the user's templates. Other requests that create one wait until the transaction ends, so that the limit holds. */
export async function lockAndCountPostTemplates(q: Queries, teamId: number): Promise<number> {
  const [, counted] = await q.batch(
    { text: 'select lock_team($1)', values: [teamId] },
    { text: 'select count(*)::int as count from status_post_templates where user_id = $1', values: [teamId] },
  )
  return counted?.rows[0]?.['count'] ?? 0
}

/** Call this in a transaction that runs as the team `teamId`. */
export async function insertPostTemplate(
  q: Queries,
  teamId: number,
  { name, title, state, body }: PostTemplateTexts,
  now: Date,
): Promise<number> {
  const [row] = await q.query<{ id: number }>(
    `insert into status_post_templates (user_id, name, title, state, body, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)
     returning id`,
    [teamId, name, title, state, body, now],
  )
  return row?.id as number
}

/** A field that is undefined keeps its value. */
export async function updatePostTemplateRow(
  q: Queries,
  id: number,
  { name, title, state, body }: { [K in keyof PostTemplateTexts]?: PostTemplateTexts[K] | undefined },
  now: Date,
): Promise<void> {
  await q.query(
    `update status_post_templates
        set name = coalesce($2, name),
            title = coalesce($3, title),
            state = coalesce($4, state),
            body = coalesce($5, body),
            updated_at = $6
      where user_id = own_team() and id = $1`,
    [id, name, title, state, body, now],
  )
}

/** Returns whether the template existed. */
export async function deletePostTemplateRow(q: Queries, id: number): Promise<boolean> {
  const [deleted] = await q.batch({
    text: 'delete from status_post_templates where user_id = own_team() and id = $1',
    values: [id],
  })
  return deleted?.count === 1
}
