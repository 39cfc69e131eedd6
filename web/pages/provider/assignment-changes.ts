/** Compares the user's selection with the saved assignments of a channel, and saves the differences. */
import type { AssignedMonitor } from '../../../src/assignments/schema.ts'
import { MAX_ASSIGNMENT_PAGE_SIZE } from '../../../src/shared/limits.ts'
import { api, type ListResponse, splitIntoBatches, withQuery } from '../../lib/api.ts'

/** Saved assignments by monitor ID. False means assigned but disabled. */
export type AssignedMonitors = ReadonlyMap<number, boolean>
/** The user's selection by monitor ID, for each box they have checked or unchecked. */
export type MonitorSelection = ReadonlyMap<number, boolean>

export interface AssignmentChanges {
  enable: readonly number[]
  disable: readonly number[]
  remove: readonly number[]
}

/** Skips monitors that were deleted meanwhile, because the server rejects the whole request if one doesn't exist. */
export function diffAssignments(
  assigned: AssignedMonitors,
  selection: MonitorSelection,
  monitors: readonly { id: number }[],
): AssignmentChanges {
  const existingIds = selection.size === 0 ? new Set() : new Set(monitors.map(({ id }) => id))
  const changed = [...selection].filter(
    ([id, isSelected]) => existingIds.has(id) && isSelected !== (assigned.get(id) === true),
  )
  return {
    enable: changed.filter(([, isSelected]) => isSelected).map(([id]) => id),
    disable: [],
    remove: changed.filter(([, isSelected]) => !isSelected).map(([id]) => id),
  }
}

/** The changes that restore the assignments from before `changes`. */
export function invertChanges(assigned: AssignedMonitors, { enable, remove }: AssignmentChanges): AssignmentChanges {
  return {
    enable: remove,
    disable: enable.filter((id) => assigned.has(id)),
    remove: enable.filter((id) => !assigned.has(id)),
  }
}

export async function applyChanges(providerId: number, { enable, disable, remove }: AssignmentChanges): Promise<void> {
  const path = `api/providers/${providerId}/monitors`
  for (const ids of splitIntoBatches(enable)) await api.post(path, { monitor_ids: ids, enabled: true })
  for (const ids of splitIntoBatches(disable)) await api.post(path, { monitor_ids: ids, enabled: false })
  for (const ids of splitIntoBatches(remove)) await api.delete(path, { monitor_ids: ids })
}

export async function fetchAssignedMonitors(providerId: number, signal?: AbortSignal): Promise<AssignedMonitors> {
  const assigned = new Map<number, boolean>()
  for (let page = 1, pages = 1; page <= pages; page++) {
    const path = withQuery(`api/providers/${providerId}/monitors`, { page, pageSize: MAX_ASSIGNMENT_PAGE_SIZE })
    const { data, meta } = await api.get<ListResponse<AssignedMonitor, { totalPages: number }>>(path, signal)
    for (const { monitor_id: id, enabled } of data) assigned.set(id, enabled)
    pages = meta.totalPages
  }
  return assigned
}
