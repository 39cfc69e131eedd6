/** Assigns the selected notification channels to a monitor. */
import { api } from '../../lib/api.ts'
import { type Assignment, buildAssignmentsPath, fetchAssignments } from '../../lib/assignments.ts'

type ChannelAssignment = Pick<Assignment, 'provider_id' | 'enabled' | 'delay_minutes'>

/** The delay in minutes of each selected channel, by id. */
export type ChannelDelays = ReadonlyMap<number, number>

export const listEnabledChannels = (assignments: readonly ChannelAssignment[]): ChannelDelays =>
  new Map(
    assignments.filter(({ enabled }) => enabled).map(({ provider_id, delay_minutes }) => [provider_id, delay_minutes]),
  )

/** Leaves a disabled assignment unchanged unless its channel is selected. */
export function diffChannels(assignments: readonly ChannelAssignment[], selectedDelays: ChannelDelays) {
  const enabledDelays = listEnabledChannels(assignments)
  return {
    toAssign: [...selectedDelays]
      .filter(([id, delay]) => enabledDelays.get(id) !== delay)
      .map(([provider_id, delay_minutes]) => ({ provider_id, enabled: true, delay_minutes })),
    idsToRemove: [...enabledDelays.keys()].filter((id) => !selectedDelays.has(id)),
  }
}

/** Fetches the assignments first, because a new monitor already has the default channels. */
export async function saveChannels(monitorId: number, selectedDelays: ChannelDelays): Promise<void> {
  const { toAssign, idsToRemove } = diffChannels(await fetchAssignments(monitorId), selectedDelays)
  const path = buildAssignmentsPath(monitorId)
  await Promise.all([
    ...toAssign.map((assignment) => api.post(path, assignment)),
    ...idsToRemove.map((provider_id) => api.delete(path, { provider_id })),
  ])
}
