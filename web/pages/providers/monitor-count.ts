import { useQuery } from '@tanstack/preact-query'
import { api, type List } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { providerKeys } from '../../lib/providers.ts'

/** A page of one: only how many there are is wanted. */
export function useMonitorCount(providerId: number, isWanted = true) {
  return useQuery({
    queryKey: [...providerKeys.monitors(providerId), 'count'],
    queryFn: async ({ signal }) =>
      (await api.get<List<unknown>>(`api/providers/${providerId}/monitors?pageSize=1`, signal)).meta.total,
    enabled: isWanted,
  })
}

export const countMonitors = (count: number) => (count === 1 ? '1 monitor' : `${formatNumber(count)} monitors`)
