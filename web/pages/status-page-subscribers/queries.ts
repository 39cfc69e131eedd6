import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query'
import type { SubscriberState } from '../../../src/shared/status-pages.ts'
import type { SubscriberRecord } from '../../../src/status-pages/subscribers/schema.ts'
import { api, type ListResponse, withQuery } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'

export type Subscriber = SubscriberRecord

interface SubscriberListMeta {
  page: number
  total: number
  totalPages: number
  counts: Record<SubscriberState, number>
}

const PAGE_SIZE = 50

export function useSubscribers(pageId: number, query: { search: string; state: SubscriberState | undefined }) {
  return useInfiniteQuery({
    queryKey: [...queryKeys.statusSubscribers(pageId), 'list', query],
    queryFn: ({ pageParam: page, signal }) => {
      const path = withQuery(`api/status-pages/${pageId}/subscribers`, { ...query, page, pageSize: PAGE_SIZE })
      return api.get<ListResponse<Subscriber, SubscriberListMeta>>(path, signal)
    },
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.page < meta.totalPages ? meta.page + 1 : undefined),
    placeholderData: keepPreviousData,
  })
}

export const refetchSubscribers = (pageId: number) =>
  queryClient.invalidateQueries({ queryKey: queryKeys.statusSubscribers(pageId) })
