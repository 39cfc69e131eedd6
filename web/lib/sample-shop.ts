/** Loads and removes the sample shop: a website and a monitor with generated data. */
import { navigate } from 'wouter-preact/use-browser-location'
import type { WebsiteRecord } from '../../src/websites/schema.ts'
import { api, type ItemResponse } from './api.ts'
import { basePath } from './boot.ts'
import { type Overview, queryClient, queryKeys, updateCachedOverview } from './queries.ts'
import { showProblem, showToast } from './toasts.ts'
import { withTimeZone } from './with-time-zone.ts'

/** Generating takes a few seconds. Then the page of the sample shop opens. */
export async function loadSampleShop(): Promise<void> {
  showToast('Generating 90 days of visits…')
  const put = (body: object) => api.put<ItemResponse<WebsiteRecord>>('api/sample-data', body)
  const { data } = await withTimeZone(put, {})
  await queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  navigate(`${basePath}/${data.domain}`)
}

export async function removeSampleShop(): Promise<void> {
  const isOnSamplePage = findSamplePaths().some((path) => isAtOrBelow(location.pathname, `${basePath}${path}`))
  await api.delete('api/sample-data')
  // Leaving the page cancels its request for the overview, so the next page could show the sample shop from the cache.
  updateCachedOverview((overview) => ({
    ...overview,
    websites: overview.websites.filter(({ is_sample }) => !is_sample),
    monitors: overview.monitors.filter(({ is_sample }) => !is_sample),
  }))
  if (isOnSamplePage) navigate(`${basePath}/`)
  // Many pages list its website, its monitor or its incidents.
  await queryClient.invalidateQueries()
  showToast('Sample shop removed.', { undo: () => void loadSampleShop().catch(showProblem) })
}

const isAtOrBelow = (path: string, parentPath: string) => path === parentPath || path.startsWith(`${parentPath}/`)

function findSamplePaths(): string[] {
  const { websites = [], monitors = [] } = queryClient.getQueryData<Overview>(queryKeys.overview) ?? {}
  return [
    ...websites.filter(({ is_sample }) => is_sample).map(({ domain }) => `/${domain}`),
    ...monitors.filter(({ is_sample }) => is_sample).map(({ id }) => `/monitors/${id}`),
  ]
}
