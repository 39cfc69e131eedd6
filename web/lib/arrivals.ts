/** The visits that the server receives while a website waits for its first counted visit. */
import { useQuery } from '@tanstack/preact-query'
import type { ArrivalRecord } from '../../src/traffic/dropped/schema.ts'
import { api } from './api.ts'
import { queryKeys } from './queries.ts'

interface ArrivalsOptions {
  isEnabled: boolean
  /** How often the visits are fetched again. The query pauses while the page is hidden. */
  pollMs?: number
}

/** Undefined while loading. The server records visits from the first request of this query until an hour after its last request. */
export function useArrivals(
  websiteId: number,
  { isEnabled, pollMs }: ArrivalsOptions,
): readonly ArrivalRecord[] | undefined {
  const { data, isError } = useQuery({
    queryKey: queryKeys.arrivals(websiteId),
    queryFn: async ({ signal }) =>
      (await api.get<{ data: ArrivalRecord[] }>(`api/v1/websites/${websiteId}/arrivals`, signal)).data,
    enabled: isEnabled,
    staleTime: 0,
    ...(pollMs !== undefined && { refetchInterval: pollMs }),
  })
  return isError || !isEnabled ? (data ?? []) : data
}
