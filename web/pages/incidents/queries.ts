import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query'
import type { AccountIncidentList } from '../../../src/incident-response/schema.ts'
import { api, withQuery } from '../../lib/api.ts'
import { OPEN_INCIDENT_REFETCH_MS } from '../../lib/incidents.ts'
import { queryKeys } from '../../lib/queries.ts'
import { type IncidentFilters, toIncidentQuery } from './filters.ts'

const PAGE_SIZE = 50

/** Ongoing incidents come first, then the newest. */
export function useIncidentList(filters: IncidentFilters, today: string, isSampleLeftOut: boolean) {
  const query = { ...toIncidentQuery(filters, today, isSampleLeftOut), pageSize: PAGE_SIZE }
  return useInfiniteQuery({
    queryKey: queryKeys.incidentList(query),
    queryFn: ({ pageParam: page, signal }) =>
      api.get<AccountIncidentList>(withQuery('api/incidents', { ...query, page }), signal),
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.page < meta.totalPages ? meta.page + 1 : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages[0]?.meta.open ?? 0) > 0 ? OPEN_INCIDENT_REFETCH_MS : false),
  })
}

export type IncidentListQuery = ReturnType<typeof useIncidentList>
export type IncidentCounts = Pick<AccountIncidentList['meta'], 'open' | 'acknowledged' | 'resolved'>

/** All incidents of the sample shop are resolved. */
export const subtractSample = ({ resolved, sample, ...counts }: AccountIncidentList['meta']): IncidentCounts => ({
  ...counts,
  resolved: resolved - sample,
})
