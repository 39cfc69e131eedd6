/** Which providers are told about a monitor: what has to change so that it is just these. */
import type { AssignmentRecord } from '../../../src/monitors/assignment-schema.ts'
import { api, type List } from '../../lib/api.ts'

type Assignment = Pick<AssignmentRecord, 'provider_id' | 'enabled'>

export const enabledOf = (assignments: readonly Assignment[]) =>
  assignments.filter(({ enabled }) => enabled).map(({ provider_id: id }) => id)

/** One that is assigned but switched off, and not wanted, stays as it is. */
export function toldChanges(assignments: readonly Assignment[], wanted: readonly number[]) {
  const told = new Set(enabledOf(assignments))
  const wish = new Set(wanted)
  return { add: [...wish.difference(told)], remove: [...told.difference(wish)] }
}

export const toldPath = (monitorId: number) => `api/monitors/${monitorId}/notifications`

export async function readTold(monitorId: number, signal?: AbortSignal): Promise<AssignmentRecord[]> {
  return (await api.get<List<AssignmentRecord>>(toldPath(monitorId), signal)).data
}

/** A new monitor has those that are assigned by default already: so it is asked first. */
export async function saveTold(monitorId: number, wanted: readonly number[]): Promise<void> {
  const { add, remove } = toldChanges(await readTold(monitorId), wanted)
  const path = toldPath(monitorId)
  await Promise.all([
    ...add.map((provider_id) => api.post(path, { provider_id, enabled: true })),
    ...remove.map((provider_id) => api.delete(path, { provider_id })),
  ])
}
