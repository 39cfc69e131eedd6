/** The incidents of all monitors: queries and actions that several pages and the palette use. */
import { useQuery } from '@tanstack/preact-query'
import type { AccountIncidentList, AccountIncidentRecord } from '../../src/incident-response/schema.ts'
import type { IncidentState } from '../../src/shared/incidents.ts'
import { SECOND_MS } from '../../src/shared/time.ts'
import { api, type ItemResponse, withQuery } from './api.ts'
import { queryClient, queryKeys } from './queries.ts'
import { showToast } from './toasts.ts'

export type AccountIncident = AccountIncidentRecord
export type IncidentNote = AccountIncident['notes'][number]

export const incidentStateLabels: Record<IncidentState, string> = {
  open: 'Ongoing',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
}

type StateFields = Pick<AccountIncident, 'status' | 'acknowledged_at'>

export function getIncidentState({ status, acknowledged_at }: StateFields): IncidentState {
  if (status === 'resolved') return 'resolved'
  return acknowledged_at === null ? 'open' : 'acknowledged'
}

/** How long it took from the first failed check until the incident opened. */
export const getDetectionSeconds = ({ started_at, detected_at }: Pick<AccountIncident, 'started_at' | 'detected_at'>) =>
  Math.round((Date.parse(detected_at) - Date.parse(started_at)) / SECOND_MS)

/** While incidents are ongoing, other people may acknowledge them or add notes, and the estimate of missed visits grows. */
export const OPEN_INCIDENT_REFETCH_MS = 15_000

export function useIncident(id: number) {
  return useQuery({
    queryKey: queryKeys.incident(id),
    queryFn: async ({ signal }) => (await api.get<ItemResponse<AccountIncident>>(`api/incidents/${id}`, signal)).data,
    refetchInterval: ({ state }) => (state.data?.status === 'open' ? OPEN_INCIDENT_REFETCH_MS : false),
  })
}

/** The palette offers at most this many ongoing incidents. */
const MAX_PALETTE_INCIDENTS = 100

export function useOpenIncidents(options: { staleTime: number }) {
  return useQuery({
    queryKey: queryKeys.incidentList({ state: 'open', pageSize: MAX_PALETTE_INCIDENTS }),
    queryFn: async ({ signal }) => {
      const path = withQuery('api/incidents', { state: 'open', pageSize: MAX_PALETTE_INCIDENTS })
      return (await api.get<AccountIncidentList>(path, signal)).data
    },
    ...options,
  })
}

/** Call after a change to an incident. The monitor page and the overview show parts of it, too. */
export async function refetchIncident({ id, monitor_id }: Pick<AccountIncident, 'id' | 'monitor_id'>): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: queryKeys.alerts(monitor_id) })
  void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  const queryKeysToAwait = [queryKeys.incidentLists, queryKeys.incidents(monitor_id), queryKeys.incident(id)]
  await Promise.all(queryKeysToAwait.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
}

/** If the incident was resolved in the meantime, the request fails, and the page shows the new state. */
export async function acknowledgeIncident(incident: Pick<AccountIncident, 'id' | 'monitor_id'>): Promise<void> {
  try {
    await api.post(`api/incidents/${incident.id}/acknowledge`)
    showToast('Incident acknowledged.')
  } finally {
    await refetchIncident(incident)
  }
}
