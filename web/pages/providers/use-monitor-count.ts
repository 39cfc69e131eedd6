import { useQuery } from '@tanstack/preact-query'
import { api, type ListResponse } from '../../lib/api.ts'
import { queryKeys } from '../../lib/queries.ts'

/** Fetches a page of one monitor, because only the total is needed. */
export function useMonitorCount(providerId: number) {
  return useQuery({
    queryKey: queryKeys.providerMonitorCount(providerId),
    queryFn: async ({ signal }) =>
      (await api.get<ListResponse<unknown>>(`api/providers/${providerId}/monitors?pageSize=1`, signal)).meta.total,
  })
}
