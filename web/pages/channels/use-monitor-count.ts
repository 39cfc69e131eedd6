import { useQuery } from '@tanstack/preact-query'
import { api, type ListResponse } from '../../lib/api.ts'
import { queryKeys } from '../../lib/queries.ts'

/** Requests a page with only one monitor, because the response also contains the total. */
export function useMonitorCount(channelId: number) {
  return useQuery({
    queryKey: queryKeys.channelMonitorCount(channelId),
    queryFn: async ({ signal }) =>
      (await api.get<ListResponse<unknown>>(`api/providers/${channelId}/monitors?pageSize=1`, signal)).meta.total,
  })
}
