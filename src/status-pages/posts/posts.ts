/** Creates, changes and deletes posts. Each change is on the page as soon as its transaction ends. */
import { invalid, notFound } from '../../lib/problem.ts'
import { isPostAboutOutage } from '../../shared/post-outages.ts'
import type { Queries } from '../../storage/transaction.ts'
import { touchStatusPage } from '../store.ts'
import { createUpdateMessages } from '../subscribers/message-store.ts'
import type { CreatePost, PostRecord, UpdatePost } from './schema.ts'
import {
  deletePostRow,
  findMonitorOfIncident,
  findPost,
  insertPost,
  lockPageOfPosts,
  lockPost,
  type PostRow,
  refreshPostState,
  setPostMonitors,
  setPostTitle,
} from './store.ts'
import { parsePostTexts } from './texts.ts'
import { changePostUpdateRow, insertPostUpdate, summarizePostUpdates } from './update-store.ts'

export interface PostPath {
  pageId: number
  postId: number
}

export async function getPost(q: Queries, { pageId, postId }: PostPath): Promise<PostRow> {
  const row = await findPost(q, pageId, postId)
  if (row === undefined) throw notFound()
  return row
}

/** Call this in a transaction. */
export async function createPost(
  q: Queries,
  { teamId, pageId, input, now }: { teamId: number; pageId: number; input: CreatePost; now: Date },
): Promise<PostRow> {
  if (!(await lockPageOfPosts(q, pageId))) throw notFound()
  const { title, body, state = 'investigating', notify = true } = parsePostTexts(input)
  const monitorIds = input.monitor_ids ?? (await listMonitorsOfIncident(q, pageId, input.incident_id))
  const postId = await insertPost(q, { teamId, pageId, title, state, now })
  await replaceMonitors(q, teamId, { pageId, postId, monitorIds })
  const updateId = await insertPostUpdate(q, { teamId, postId, state, body, now })
  if (notify) await createUpdateMessages(q, teamId, { pageId, postId, updateId }, now)
  await touchStatusPage(q, teamId, pageId, now)
  return getPost(q, { pageId, postId })
}

async function listMonitorsOfIncident(q: Queries, pageId: number, incidentId: number | undefined): Promise<number[]> {
  if (incidentId === undefined) return []
  const monitorId = await findMonitorOfIncident(q, pageId, incidentId)
  if (monitorId !== undefined) return [monitorId]
  throw invalid({ incident_id: ['`incident_id` is not an incident of a monitor on this page.'] })
}

async function replaceMonitors(
  q: Queries,
  teamId: number,
  target: PostPath & { monitorIds: readonly number[] },
): Promise<void> {
  const unknownIds = await setPostMonitors(q, teamId, target)
  if (unknownIds.length === 0) return
  throw invalid({ monitor_ids: [`\`monitor_ids\` contains ids that are not on this page: ${unknownIds.join(', ')}.`] })
}

/** Call this in a transaction. An empty input changes nothing, not even `updated_at`. */
export async function updatePost(
  q: Queries,
  { teamId, path, input, now }: { teamId: number; path: PostPath; input: UpdatePost; now: Date },
): Promise<PostRow> {
  const { pageId, postId } = path
  if (!(await lockPost(q, pageId, postId))) throw notFound()
  const { title, body, state, monitor_ids: monitorIds } = parsePostTexts(input)
  if (Object.keys(input).length === 0) return getPost(q, path)
  const { firstId, latestId } = await summarizePostUpdates(q, postId)
  if (title !== undefined) await setPostTitle(q, postId, title)
  if (monitorIds !== undefined) await replaceMonitors(q, teamId, { pageId, postId, monitorIds })
  if (body !== undefined) await changePostUpdateRow(q, firstId, { body }, now)
  if (state !== undefined) await changePostUpdateRow(q, latestId, { state }, now)
  await refreshPostState(q, postId, { resolvedAt: now, now })
  await touchStatusPage(q, teamId, pageId, now)
  return getPost(q, path)
}

/** Call this in a transaction. */
export async function deletePost(q: Queries, teamId: number, { pageId, postId }: PostPath, now: Date): Promise<void> {
  if (!(await lockPost(q, pageId, postId))) throw notFound()
  await deletePostRow(q, postId)
  await touchStatusPage(q, teamId, pageId, now)
}

export function toPostRecord(row: PostRow): PostRecord {
  return {
    id: row.id,
    title: row.title,
    state: row.state,
    body: row.body,
    monitor_ids: row.monitor_ids,
    update_count: row.update_count,
    latest_update: {
      id: row.latest_id,
      state: row.state,
      body: row.latest_body,
      created_at: row.latest_created_at.toISOString(),
      updated_at: row.latest_updated_at.toISOString(),
    },
    incidents: listIncidents(row),
    status_page_id: row.page_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    resolved_at: row.resolved_at?.toISOString() ?? null,
  }
}

/** Keeps those candidates that the post is about. */
function listIncidents({
  incidents,
  monitor_ids: monitorIds,
  created_at,
  resolved_at,
}: PostRow): PostRecord['incidents'] {
  const post = { monitorIds, createdAt: created_at.getTime(), resolvedAt: resolved_at?.getTime() ?? null }
  return incidents.flatMap(({ id, monitor_id: monitorId, ...times }) => {
    const startedAt = new Date(times.started_at)
    const resolvedAt = times.resolved_at === null ? null : new Date(times.resolved_at)
    const outage = { monitorId, startedAt: startedAt.getTime(), resolvedAt: resolvedAt?.getTime() ?? null }
    if (!isPostAboutOutage(post, outage)) return []
    return [
      {
        id,
        monitor_id: monitorId,
        started_at: startedAt.toISOString(),
        resolved_at: resolvedAt?.toISOString() ?? null,
      },
    ]
  })
}
