import { useQuery } from '@tanstack/preact-query'
import { api } from './api.ts'
import { findWatchingMonitor, listWatchTargets } from './domain-watch.ts'
import { queryKeys, useOverview } from './queries.ts'

/** The domain and the certificate of a website, with the monitors that watch them. Returns undefined while loading. */
export function useWatchedTargets(website: { id: number; domain: string } | undefined) {
  const { data: overview } = useOverview()
  const { data: registrableDomain } = useQuery({
    queryKey: queryKeys.registrableDomain(website?.id ?? 0),
    queryFn: async ({ signal }) => {
      const path = `api/v1/websites/${website?.id}`
      return (await api.get<{ meta: { registrable_domain: string | null } }>(path, signal)).meta.registrable_domain
    },
    enabled: website !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (website === undefined || overview === undefined || registrableDomain === undefined) return undefined
  return listWatchTargets(website.domain, registrableDomain).map((target) => ({
    target,
    monitor: findWatchingMonitor(overview.monitors, target),
  }))
}
