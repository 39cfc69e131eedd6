/** Queries about status pages that several pages use. */
import { useQuery } from '@tanstack/preact-query'
import type { StatusPageRecord } from '../../src/status-pages/schema.ts'
import { api, type ItemResponse, type ListResponse, withQuery } from './api.ts'
import { queryKeys } from './queries.ts'

export type StatusPage = StatusPageRecord

/** The API returns at most this many status pages per request, and an account can't have more. */
const PAGE_SIZE = 100

export function useStatusPages(isEnabled = true, options: { staleTime?: number } = {}) {
  return useQuery({
    queryKey: queryKeys.statusPageList,
    queryFn: async ({ signal }) =>
      (await api.get<ListResponse<StatusPage>>(withQuery('api/status-pages', { pageSize: PAGE_SIZE }), signal)).data,
    enabled: isEnabled,
    ...options,
  })
}

export function useStatusPage(id: number) {
  return useQuery({
    queryKey: queryKeys.statusPage(id),
    queryFn: async ({ signal }) => (await api.get<ItemResponse<StatusPage>>(`api/status-pages/${id}`, signal)).data,
  })
}

/** The monitors of all groups, in the order of the page. */
export const listPageMonitors = ({ groups }: Pick<StatusPage, 'groups'>) => groups.flatMap(({ monitors }) => monitors)
