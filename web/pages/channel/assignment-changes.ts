/** Compares the user's selection with the saved assignments of a channel, and saves the differences. */
import type { AssignedMonitor } from '../../../src/assignments/schema.ts'
import { MAX_ASSIGNMENT_PAGE_SIZE } from '../../../src/shared/limits.ts'
import { api, type ListResponse, splitIntoBatches, withQuery } from '../../lib/api.ts'

/** Saved assignments by monitor ID. False means assigned but disabled. */
export type AssignedMonitors = ReadonlyMap<number, boolean>
/** The user's selection by monitor ID, for each box they have checked or unchecked. */
export type MonitorSelection = ReadonlyMap<number, boolean>

export interface AssignmentChanges {
  idsToEnable: readonly number[]
  idsToDisable: readonly number[]
  idsToRemove: readonly number[]
}

/** Skips monitors that were deleted in the meantime, because the server rejects the whole request if one doesn't exist. */
export function diffAssignments(
  assignedMonitors: AssignedMonitors,
  selection: MonitorSelection,
  monitors: readonly { id: number }[],
): AssignmentChanges {
  const existingIds = selection.size === 0 ? new Set() : new Set(monitors.map(({ id }) => id))
  const changedSelections = [...selection].filter(
    ([id, isSelected]) => existingIds.has(id) && isSelected !== (assignedMonitors.get(id) === true),
  )
  return {
    idsToEnable: changedSelections.filter(([, isSelected]) => isSelected).map(([id]) => id),
    idsToDisable: [],
    idsToRemove: changedSelections.filter(([, isSelected]) => !isSelected).map(([id]) => id),
  }
}

/** Returns the changes that undo the given ones. `assignedMonitors` holds the assignments before the given changes. */
export function invertChanges(
  assignedMonitors: AssignedMonitors,
  { idsToEnable, idsToRemove }: AssignmentChanges,
): AssignmentChanges {
  return {
    idsToEnable: idsToRemove,
    idsToDisable: idsToEnable.filter((id) => assignedMonitors.has(id)),
    idsToRemove: idsToEnable.filter((id) => !assignedMonitors.has(id)),
  }
}

export async function applyChanges(
  channelId: number,
  { idsToEnable, idsToDisable, idsToRemove }: AssignmentChanges,
): Promise<void> {
  const path = `api/providers/${channelId}/monitors`
  for (const ids of splitIntoBatches(idsToEnable)) await api.post(path, { monitor_ids: ids, enabled: true })
  for (const ids of splitIntoBatches(idsToDisable)) await api.post(path, { monitor_ids: ids, enabled: false })
  for (const ids of splitIntoBatches(idsToRemove)) await api.delete(path, { monitor_ids: ids })
}

export async function fetchAssignedMonitors(channelId: number, signal?: AbortSignal): Promise<AssignedMonitors> {
  const assignedMonitors = new Map<number, boolean>()
  for (let page = 1, pages = 1; page <= pages; page++) {
    const path = withQuery(`api/providers/${channelId}/monitors`, { page, pageSize: MAX_ASSIGNMENT_PAGE_SIZE })
    const { data, meta } = await api.get<ListResponse<AssignedMonitor, { totalPages: number }>>(path, signal)
    for (const { monitor_id: id, enabled } of data) assignedMonitors.set(id, enabled)
    pages = meta.totalPages
  }
  return assignedMonitors
}
