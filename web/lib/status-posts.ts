/** Posts on status pages: queries, and the names and icons of their states. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/preact-query'
import { CircleCheck, Eye, type LucideIcon, Search, TriangleAlert } from 'lucide-preact'
import { postStateTexts } from '../../src/shared/page-states.ts'
import { type PostState, postStates } from '../../src/shared/status-pages.ts'
import type { PostRecord, PostTemplateRecord, PostUpdateRecord } from '../../src/status-pages/posts/schema.ts'
import { api, type ItemResponse, type ListResponse, withQuery } from './api.ts'
import { queryClient, queryKeys } from './queries.ts'

export type StatusPost = PostRecord
export type StatusPostUpdate = PostUpdateRecord
export type PostTemplate = PostTemplateRecord

export const postStateLabels: Record<PostState, { label: string; icon: LucideIcon }> = {
  investigating: { label: postStateTexts.investigating, icon: Search },
  identified: { label: postStateTexts.identified, icon: TriangleAlert },
  monitoring: { label: postStateTexts.monitoring, icon: Eye },
  resolved: { label: postStateTexts.resolved, icon: CircleCheck },
}

export const postStateChoices = postStates.map((value) => ({ value, ...postStateLabels[value] }))

/** The API returns at most this many posts per request, so the page lists no more open posts. */
const MAX_OPEN_POSTS = 100
const RESOLVED_PAGE_SIZE = 20

interface PageMeta {
  page: number
  total: number
  totalPages: number
}

const postsPath = (pageId: number) => `api/status-pages/${pageId}/posts`

export function useOpenPosts(pageId: number) {
  return useQuery({
    queryKey: queryKeys.statusPostList(pageId, 'open'),
    queryFn: async ({ signal }) => {
      const path = withQuery(postsPath(pageId), { state: 'open', pageSize: MAX_OPEN_POSTS })
      return (await api.get<ListResponse<StatusPost>>(path, signal)).data
    },
  })
}

export function useResolvedPosts(pageId: number) {
  return useInfiniteQuery({
    queryKey: queryKeys.statusPostList(pageId, 'resolved'),
    queryFn: ({ pageParam: page, signal }) => {
      const path = withQuery(postsPath(pageId), { state: 'resolved', page, pageSize: RESOLVED_PAGE_SIZE })
      return api.get<ListResponse<StatusPost, PageMeta>>(path, signal)
    },
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.page < meta.totalPages ? meta.page + 1 : undefined),
  })
}

export function useStatusPost(pageId: number, postId: number) {
  return useQuery({
    queryKey: queryKeys.statusPost(pageId, postId),
    queryFn: async ({ signal }) => {
      const path = `${postsPath(pageId)}/${postId}`
      const [post, updates] = await Promise.all([
        api.get<ItemResponse<StatusPost>>(path, signal),
        api.get<ListResponse<StatusPostUpdate>>(`${path}/updates`, signal),
      ])
      return { post: post.data, updates: updates.data }
    },
  })
}

const monitorPostsKey = [...queryKeys.allIncidents, 'monitor-posts']

/** The posts about a monitor on all status pages, newest first. Older posts than these are rarely about an incident that people look at. */
export function useMonitorPosts(monitorId: number, isEnabled = true) {
  return useQuery({
    queryKey: [...monitorPostsKey, monitorId],
    queryFn: async ({ signal }) => {
      const path = withQuery(`api/monitors/${monitorId}/posts`, { pageSize: MAX_OPEN_POSTS })
      return (await api.get<ListResponse<StatusPost>>(path, signal)).data
    },
    enabled: isEnabled,
  })
}

/**
 * Returns when the outages of an open post ended, so that its author can resolve it. Returns undefined if the post is resolved, if it is
 * about no outage, or if a monitor is still down.
 */
export function findRecoveryTime({ state, incidents }: Pick<StatusPost, 'state' | 'incidents'>): string | undefined {
  if (state === 'resolved' || incidents.some(({ resolved_at }) => resolved_at === null)) return undefined
  return incidents
    .flatMap(({ resolved_at }) => resolved_at ?? [])
    .toSorted()
    .at(-1)
}

/** The form of the post, filled in with an update that resolves it. The author publishes the update. */
export const toResolvePath = ({ id, status_page_id }: Pick<StatusPost, 'id' | 'status_page_id'>) =>
  `/status-pages/${status_page_id}/posts/${id}?state=resolved`

/** Call after every change of a post. The state of the page depends on its posts, too. */
export async function refetchPosts(pageId: number): Promise<void> {
  void refetchPagesWithPosts()
  await queryClient.invalidateQueries({ queryKey: queryKeys.statusPosts(pageId) })
}

const refetchPagesWithPosts = () =>
  Promise.all([queryKeys.statusPages, monitorPostsKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })))

/**
 * Call after a post was deleted. The deleted post itself is not refetched, because its page may still be open for a
 * moment.
 */
export async function refetchPostLists(pageId: number): Promise<void> {
  void refetchPagesWithPosts()
  await queryClient.invalidateQueries({ queryKey: [...queryKeys.statusPosts(pageId), 'list'] })
}

export function usePostTemplates() {
  return useQuery({
    queryKey: queryKeys.postTemplates,
    queryFn: async ({ signal }) =>
      (await api.get<ListResponse<PostTemplate>>('api/status-post-templates', signal)).data,
  })
}

export const refetchPostTemplates = () => queryClient.invalidateQueries({ queryKey: queryKeys.postTemplates })

/** How many people get an email about a post with these monitors. A post without monitors is for all subscribers. */
export function useReachedSubscriberCount(pageId: number, monitorIds: readonly number[], isEnabled: boolean) {
  return useQuery({
    queryKey: [...queryKeys.statusSubscribers(pageId), 'reached', monitorIds.toSorted((a, b) => a - b)],
    queryFn: async ({ signal }) => {
      const query = { state: 'confirmed', monitor_ids: monitorIds, pageSize: 1 }
      const path = withQuery(`api/status-pages/${pageId}/subscribers`, query)
      return (await api.get<ListResponse<unknown>>(path, signal)).meta.total
    },
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  })
}
