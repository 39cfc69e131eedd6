/** Creates and deletes the sample shop: a website and a monitor with generated data. */
import { navigate } from 'wouter-preact/use-browser-location'
import type { AccountIncidentRecord } from '../../src/incident-response/schema.ts'
import type { WebsiteRecord } from '../../src/websites/schema.ts'
import { api, type ItemResponse, isNotFound } from './api.ts'
import { basePath } from './boot.ts'
import { overviewQuery, queryClient, queryKeys } from './queries.ts'
import { isSamplePath, listSamples, removeSamples } from './sample-paths.ts'
import { showProblem, showProgress, showToast } from './toasts.ts'
import { withTimeZone } from './with-time-zone.ts'

let running: Promise<void> | undefined

/** Generating takes a few seconds. Then the page of the sample shop opens, unless the user has opened another page. */
export function createSampleShop(): Promise<void> {
  running ??= generateSampleShop().finally(() => {
    running = undefined
  })
  return running
}

async function generateSampleShop(): Promise<void> {
  const { pathname } = location
  const hideProgress = showProgress('Generating 90 days of visits…')
  try {
    const put = (body: object) => api.put<ItemResponse<WebsiteRecord>>('api/sample-data', body)
    const { data } = await withTimeZone(put, {})
    await queryClient.invalidateQueries()
    if (location.pathname === pathname) navigate(`${basePath}/${data.domain}`)
  } finally {
    hideProgress()
  }
  showToast('Sample shop loaded.')
}

/**
 * First leaves the pages of the sample shop: their requests get 404 as soon as it is deleted. The overview loses it at the same time,
 * so that the next page doesn't show it for a moment.
 */
export async function deleteSampleShop(): Promise<void> {
  const overview = await queryClient.ensureQueryData(overviewQuery)
  // A response that is on its way still contains the sample shop.
  await queryClient.cancelQueries({ queryKey: queryKeys.overview })
  queryClient.setQueryData(queryKeys.overview, removeSamples(overview))
  const incidentIds = listSampleIncidentIds()
  if (isSamplePath(location.pathname.slice(basePath.length), { ...listSamples(overview), incidentIds })) {
    navigate(`${basePath}/`)
  }
  try {
    await requestDeletion()
  } finally {
    // Many pages list its website, its monitor or its incidents. After a failure, they list them again.
    void queryClient.invalidateQueries()
  }
  showToast('Sample shop removed.', { undo: () => void createSampleShop().catch(showProblem) })
}

/** Another tab may have deleted it already. */
async function requestDeletion(): Promise<void> {
  try {
    await api.delete('api/sample-data')
  } catch (problem) {
    if (!isNotFound(problem)) throw problem
  }
}

/** The incidents of the sample shop that the user has opened. */
const listSampleIncidentIds = () =>
  queryClient
    .getQueriesData<AccountIncidentRecord>({ queryKey: queryKeys.allIncidents })
    .flatMap(([, incident]) => (incident?.monitor?.is_sample ? [incident.id] : []))
