import { useQuery } from '@tanstack/preact-query'
import { api, type ListResponse } from '../../lib/api.ts'
import { queryKeys } from '../../lib/queries.ts'

/** A page of one: only how many there are is wanted. */
export function useMonitorCount(providerId: number, isWanted = true) {
  return useQuery({
    queryKey: queryKeys.providerMonitorCount(providerId),
    queryFn: async ({ signal }) =>
      (await api.get<ListResponse<unknown>>(`api/providers/${providerId}/monitors?pageSize=1`, signal)).meta.total,
    enabled: isWanted,
  })
}
