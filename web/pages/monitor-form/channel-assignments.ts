/** Which providers are told about a monitor: what has to change so that it is just these. */
import { api } from '../../lib/api.ts'
import { type Assignment as AssignmentRecord, assignmentsPath, fetchAssignments } from '../../lib/assignments.ts'

type Assignment = Pick<AssignmentRecord, 'provider_id' | 'enabled'>

export const enabledOf = (assignments: readonly Assignment[]) =>
  assignments.filter(({ enabled }) => enabled).map(({ provider_id: id }) => id)

/** One that is assigned but switched off, and not wanted, stays as it is. */
export function toldChanges(assignments: readonly Assignment[], wanted: readonly number[]) {
  const told = new Set(enabledOf(assignments))
  const wish = new Set(wanted)
  return { add: [...wish.difference(told)], remove: [...told.difference(wish)] }
}

/** A new monitor has those that are assigned by default already: so it is asked first. */
export async function saveTold(monitorId: number, wanted: readonly number[]): Promise<void> {
  const { add, remove } = toldChanges(await fetchAssignments(monitorId), wanted)
  const path = assignmentsPath(monitorId)
  await Promise.all([
    ...add.map((provider_id) => api.post(path, { provider_id, enabled: true })),
    ...remove.map((provider_id) => api.delete(path, { provider_id })),
  ])
}
