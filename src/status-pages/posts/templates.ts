/** Creates, changes and deletes post templates: a title, a state and a text for new posts and updates. */
import { formatCount } from '../../lib/format.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import { MAX_POST_TEMPLATES } from '../../shared/status-pages.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { CreatePostTemplate, PostTemplateRecord, UpdatePostTemplate } from './schema.ts'
import {
  deletePostTemplateRow,
  findPostTemplate,
  insertPostTemplate,
  lockAndCountPostTemplates,
  type PostTemplateRow,
  updatePostTemplateRow,
} from './template-store.ts'
import { parsePostTexts } from './texts.ts'

export async function getPostTemplate(q: Queries, id: number): Promise<PostTemplateRow> {
  const row = await findPostTemplate(q, id)
  if (row === undefined) throw notFound()
  return row
}

/** Call this in a transaction. */
export async function createPostTemplate(
  q: Queries,
  teamId: number,
  input: CreatePostTemplate,
  now: Date,
): Promise<PostTemplateRow> {
  const { name, title, state = 'investigating', body } = parsePostTexts(input)
  if ((await lockAndCountPostTemplates(q, teamId)) >= MAX_POST_TEMPLATES) {
    const limit = formatCount(MAX_POST_TEMPLATES)
    throw invalid({ name: [`You already have ${limit} templates, which is the limit. Delete one first.`] })
  }
  return getPostTemplate(q, await insertPostTemplate(q, teamId, { name, title, state, body }, now))
}

/** Call this in a transaction. An empty input changes nothing, not even `updated_at`. */
export async function updatePostTemplate(
  q: Queries,
  id: number,
  input: UpdatePostTemplate,
  now: Date,
): Promise<PostTemplateRow> {
  const texts = parsePostTexts(input)
  if (Object.keys(input).length > 0) await updatePostTemplateRow(q, id, texts, now)
  return getPostTemplate(q, id)
}

export async function deletePostTemplate(q: Queries, id: number): Promise<void> {
  if (!(await deletePostTemplateRow(q, id))) throw notFound()
}

export const toPostTemplateRecord = (row: PostTemplateRow): PostTemplateRecord => ({
  id: row.id,
  name: row.name,
  title: row.title,
  state: row.state,
  body: row.body,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
