/** Queries about maintenances, and functions that start and end a maintenance from any page. */
import { useQuery } from '@tanstack/preact-query'
import type { MaintenanceRecord } from '../../src/maintenances/schema.ts'
import { api, type ItemResponse, type ListResponse, withQuery } from './api.ts'
import { formatDateTime } from './format.ts'
import { queryClient, queryKeys } from './queries.ts'
import { hasTag } from './tags.ts'
import { showProblem, showToast } from './toasts.ts'

export type Maintenance = MaintenanceRecord
export type MaintenanceState = Maintenance['state']

/** The API returns at most this many maintenances per request. The page lists at most this many in each state. */
const PAGE_SIZE = 100

export function useMaintenances(state: MaintenanceState, isEnabled = true) {
  return useQuery({
    queryKey: queryKeys.maintenanceList(state),
    queryFn: async ({ signal }) =>
      (await api.get<ListResponse<Maintenance>>(withQuery('api/maintenances', { state, pageSize: PAGE_SIZE }), signal))
        .data,
    enabled: isEnabled,
  })
}

export function useMaintenance(id: number) {
  return useQuery({
    queryKey: queryKeys.maintenance(id),
    queryFn: async ({ signal }) => (await api.get<ItemResponse<Maintenance>>(`api/maintenances/${id}`, signal)).data,
  })
}

/** Call after every change of a maintenance. */
export async function refetchMaintenances(): Promise<void> {
  for (const queryKey of [queryKeys.overview, queryKeys.monitors]) void queryClient.invalidateQueries({ queryKey })
  await queryClient.invalidateQueries({ queryKey: queryKeys.maintenances })
}

interface MaintainedMonitor {
  id: number
  tags: readonly string[]
}

/** Whether a maintenance is for this monitor. */
export const includesMonitor = (
  { all_monitors, monitor_ids, tags }: Pick<Maintenance, 'all_monitors' | 'monitor_ids' | 'tags'>,
  monitor: MaintainedMonitor,
) => all_monitors || monitor_ids.includes(monitor.id) || tags.some((tag) => hasTag(monitor.tags, tag))

interface NewMaintenance {
  monitorIds: readonly number[]
  durationSeconds: number
  /** The monitors in words, such as "Shop" or "3 monitors". */
  what: string
}

/**
 * Starts a maintenance now, and shows a toast with an Undo button. The promise is rejected if the server refuses the
 * maintenance.
 */
export async function startMaintenance({ monitorIds, durationSeconds, what }: NewMaintenance): Promise<void> {
  const { data } = await api.post<ItemResponse<Maintenance>>('api/maintenances', {
    title: `Maintenance of ${what}`.slice(0, 100),
    duration_seconds: durationSeconds,
    monitor_ids: monitorIds,
  })
  showToast(`Maintenance of ${what} started, until ${formatDateTime(data.ends_at)}.`, {
    undo: () => void undoMaintenance(data.id),
  })
  await refetchMaintenances()
}

async function undoMaintenance(id: number): Promise<void> {
  try {
    await api.delete(`api/maintenances/${id}`)
    showToast('Maintenance canceled.')
  } catch (error) {
    showProblem(error)
  }
  await refetchMaintenances()
}

export async function endMaintenance({ id, title }: Pick<Maintenance, 'id' | 'title'>): Promise<void> {
  try {
    await api.post(`api/maintenances/${id}/end`)
    showToast(`${title} ended.`)
  } catch (error) {
    showProblem(error)
  }
  await refetchMaintenances()
}
