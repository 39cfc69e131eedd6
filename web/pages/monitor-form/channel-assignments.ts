/** Assigns the selected notification channels to a monitor. */
import { api } from '../../lib/api.ts'
import { type Assignment, buildAssignmentsPath, fetchAssignments } from '../../lib/assignments.ts'

type ChannelAssignment = Pick<Assignment, 'provider_id' | 'enabled'>

export const listEnabledChannelIds = (assignments: readonly ChannelAssignment[]) =>
  assignments.filter(({ enabled }) => enabled).map(({ provider_id: id }) => id)

/** Leaves disabled assignments unchanged unless they are selected. */
export function diffChannels(assignments: readonly ChannelAssignment[], selectedIds: readonly number[]) {
  const enabled = new Set(listEnabledChannelIds(assignments))
  const selected = new Set(selectedIds)
  return { idsToAdd: [...selected.difference(enabled)], idsToRemove: [...enabled.difference(selected)] }
}

/** Fetches the assignments first, because a new monitor already has the default channels. */
export async function saveChannels(monitorId: number, selectedIds: readonly number[]): Promise<void> {
  const { idsToAdd, idsToRemove } = diffChannels(await fetchAssignments(monitorId), selectedIds)
  const path = buildAssignmentsPath(monitorId)
  await Promise.all([
    ...idsToAdd.map((provider_id) => api.post(path, { provider_id, enabled: true })),
    ...idsToRemove.map((provider_id) => api.delete(path, { provider_id })),
  ])
}
