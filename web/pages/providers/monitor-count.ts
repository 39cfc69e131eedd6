import { useQuery } from '@tanstack/preact-query'
import { api, type List } from '../../lib/api.ts'
import { keys } from '../../lib/queries.ts'

/** A page of one: only how many there are is wanted. */
export function useMonitorCount(providerId: number, isWanted = true) {
  return useQuery({
    queryKey: keys.providerMonitorCount(providerId),
    queryFn: async ({ signal }) =>
      (await api.get<List<unknown>>(`api/providers/${providerId}/monitors?pageSize=1`, signal)).meta.total,
    enabled: isWanted,
  })
}
