/** Posts on status pages: queries, and the names and icons of their states. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/preact-query'
import { CircleCheck, Eye, type LucideIcon, Search, TriangleAlert } from 'lucide-preact'
import { type PostState, postStates } from '../../src/shared/status-pages.ts'
import type { PostRecord, PostTemplateRecord, PostUpdateRecord } from '../../src/status-pages/posts/schema.ts'
import { api, type ItemResponse, type ListResponse, withQuery } from './api.ts'
import { queryClient, queryKeys } from './queries.ts'

export type StatusPost = PostRecord
export type StatusPostUpdate = PostUpdateRecord
export type PostTemplate = PostTemplateRecord

export const postStateLabels: Record<PostState, { label: string; icon: LucideIcon }> = {
  investigating: { label: 'Investigating', icon: Search },
  identified: { label: 'Identified', icon: TriangleAlert },
  monitoring: { label: 'Monitoring', icon: Eye },
  resolved: { label: 'Resolved', icon: CircleCheck },
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

/** Call after every change of a post. */
export const refetchPosts = (pageId: number) =>
  queryClient.invalidateQueries({ queryKey: queryKeys.statusPosts(pageId) })

/**
 * Call after a post was deleted. The deleted post itself is not refetched, because its page may still be open for a
 * moment.
 */
export const refetchPostLists = (pageId: number) =>
  queryClient.invalidateQueries({ queryKey: [...queryKeys.statusPosts(pageId), 'list'] })

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
