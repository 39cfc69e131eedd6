/** Adds, changes and deletes updates of a post. The post always has the state of its latest update. */
import { formatCount } from '../../lib/format.ts'
import { invalid, notFound, Problem } from '../../lib/problem.ts'
import { MAX_UPDATES_PER_POST } from '../../shared/status-pages.ts'
import type { Queries } from '../../storage/transaction.ts'
import { touchStatusPage } from '../store.ts'
import { createUpdateMessages } from '../subscribers/message-store.ts'
import type { PostPath } from './posts.ts'
import type { ChangePostUpdate, CreatePostUpdate, PostUpdateRecord } from './schema.ts'
import { lockPost, refreshPostState } from './store.ts'
import { parsePostTexts } from './texts.ts'
import {
  changePostUpdateRow,
  deletePostUpdateRow,
  findPostUpdate,
  insertPostUpdate,
  type PostUpdateRow,
  summarizePostUpdates,
} from './update-store.ts'

interface UpdatePath extends PostPath {
  updateId: number
}

export async function getPostUpdate(q: Queries, path: UpdatePath): Promise<PostUpdateRow> {
  const row = await findPostUpdate(q, path)
  if (row === undefined) throw notFound()
  return row
}

/** Call this in a transaction. Concurrent updates of a post wait for each other, so the latest one decides its state. */
export async function addPostUpdate(
  q: Queries,
  { teamId, path, input, now }: { teamId: number; path: PostPath; input: CreatePostUpdate; now: Date },
): Promise<PostUpdateRow> {
  const { pageId, postId } = path
  if (!(await lockPost(q, pageId, postId))) throw notFound()
  const { state, body, notify = true } = parsePostTexts(input)
  const { count } = await summarizePostUpdates(q, postId)
  if (count >= MAX_UPDATES_PER_POST) {
    const limit = formatCount(MAX_UPDATES_PER_POST)
    throw invalid({ body: [`The post already has ${limit} updates, which is the limit. Write a new post.`] })
  }
  const updateId = await insertPostUpdate(q, { teamId, postId, state, body, now })
  await refreshPostState(q, postId, { resolvedAt: now, now })
  if (notify) await createUpdateMessages(q, teamId, { pageId, postId, updateId }, now)
  await touchStatusPage(q, teamId, pageId, now)
  return getPostUpdate(q, { ...path, updateId })
}

/** Call this in a transaction. An empty input changes nothing, not even `updated_at`. */
export async function changePostUpdate(
  q: Queries,
  { teamId, path, input, now }: { teamId: number; path: UpdatePath; input: ChangePostUpdate; now: Date },
): Promise<PostUpdateRow> {
  const row = await lockPostUpdate(q, path)
  const { state, body } = parsePostTexts(input)
  if (Object.keys(input).length === 0) return row
  await changePostUpdateRow(q, path.updateId, { state, body }, now)
  await refreshPostState(q, path.postId, { resolvedAt: now, now })
  await touchStatusPage(q, teamId, path.pageId, now)
  return getPostUpdate(q, path)
}

/** Call this in a transaction. */
export async function deletePostUpdate(q: Queries, teamId: number, path: UpdatePath, now: Date): Promise<void> {
  await lockPostUpdate(q, path)
  const { firstId } = await summarizePostUpdates(q, path.postId)
  if (path.updateId === firstId) {
    throw new Problem('conflict', 'The first update is the text of the post itself. Delete the post instead.')
  }
  await deletePostUpdateRow(q, path.updateId)
  await refreshPostState(q, path.postId, { resolvedAt: null, now })
  await touchStatusPage(q, teamId, path.pageId, now)
}

async function lockPostUpdate(q: Queries, path: UpdatePath): Promise<PostUpdateRow> {
  if (!(await lockPost(q, path.pageId, path.postId))) throw notFound()
  return getPostUpdate(q, path)
}

export const toPostUpdateRecord = ({ id, state, body, created_at, updated_at }: PostUpdateRow): PostUpdateRecord => ({
  id,
  state,
  body,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
})
