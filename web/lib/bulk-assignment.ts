/** Assigns a notification channel to many monitors, or removes it from them. */
import type { AssignedMonitor } from '../../src/assignments/schema.ts'
import { MAX_ASSIGNMENT_PAGE_SIZE } from '../../src/shared/limits.ts'
import { api, type ListResponse, splitIntoBatches, withQuery } from './api.ts'

type SavedAssignment = Pick<AssignedMonitor, 'monitor_id' | 'enabled' | 'delay_minutes'>

export interface AssignmentStep {
  /** Without settings, the channel is removed from the monitors. */
  settings?: { enabled: boolean; delay_minutes?: number }
  monitorIds: number[]
}

/** Plans which monitors get the channel. Skips monitors for which it is already enabled. */
export function planAssigning(saved: readonly SavedAssignment[], ids: readonly number[]) {
  const savedById = new Map(saved.map((assignment) => [assignment.monitor_id, assignment]))
  const changedIds = ids.filter((id) => savedById.get(id)?.enabled !== true)
  const newIds = changedIds.filter((id) => !savedById.has(id))
  const disabledIds = changedIds.filter((id) => savedById.has(id))
  return {
    steps: dropEmpty([{ settings: { enabled: true }, monitorIds: changedIds }]),
    undoSteps: dropEmpty([{ monitorIds: newIds }, { settings: { enabled: false }, monitorIds: disabledIds }]),
  }
}

/** Plans which monitors lose the channel. `undoSteps` assign the channel again with the previous settings. */
export function planRemoving(saved: readonly SavedAssignment[], ids: readonly number[]) {
  const selectedIds = new Set(ids)
  const removedAssignments = saved.filter(({ monitor_id }) => selectedIds.has(monitor_id))
  const groups = Map.groupBy(removedAssignments, ({ enabled, delay_minutes }) => `${enabled} ${delay_minutes}`)
  return {
    steps: dropEmpty([{ monitorIds: listIds(removedAssignments) }]),
    undoSteps: [...groups.values()].map((group): AssignmentStep => {
      const { enabled, delay_minutes } = group[0] as SavedAssignment
      return { settings: { enabled, delay_minutes }, monitorIds: listIds(group) }
    }),
  }
}

const listIds = (assignments: readonly SavedAssignment[]) => assignments.map(({ monitor_id: id }) => id)

const dropEmpty = (steps: readonly AssignmentStep[]) => steps.filter(({ monitorIds }) => monitorIds.length > 0)

export async function runAssignmentSteps(channelId: number, steps: readonly AssignmentStep[]): Promise<void> {
  const path = `api/providers/${channelId}/monitors`
  for (const { settings, monitorIds } of steps) {
    for (const monitor_ids of splitIntoBatches(monitorIds)) {
      if (settings === undefined) await api.delete(path, { monitor_ids })
      else await api.post(path, { monitor_ids, ...settings })
    }
  }
}

export async function fetchSavedAssignments(channelId: number): Promise<SavedAssignment[]> {
  const assignments: SavedAssignment[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const path = withQuery(`api/providers/${channelId}/monitors`, { page, pageSize: MAX_ASSIGNMENT_PAGE_SIZE })
    const { data, meta } = await api.get<ListResponse<AssignedMonitor, { totalPages: number }>>(path)
    assignments.push(...data)
    pages = meta.totalPages
  }
  return assignments
}
