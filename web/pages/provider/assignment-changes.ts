/** Which monitors a provider is told about: as it is, as it shall be, and the way between. */
import type { AssignedMonitor } from '../../../src/assignments/by-provider-schema.ts'
import { api, type ListResponse, withQuery } from '../../lib/api.ts'
import { MAX_BATCH_SIZE, splitIntoBatches } from '../../lib/batches.ts'

/** By monitor; false where it is assigned but switched off. */
export type Assigned = ReadonlyMap<number, boolean>
/** By monitor, where somebody has checked or unchecked it. */
export type Wishes = ReadonlyMap<number, boolean>

export interface Plan {
  enable: readonly number[]
  disable: readonly number[]
  remove: readonly number[]
}

/** Of one that was deleted meanwhile nothing is wished any more: the server would refuse all of it. */
export function planOf(assigned: Assigned, wishes: Wishes, monitors: readonly { id: number }[]): Plan {
  const known = wishes.size === 0 ? new Set() : new Set(monitors.map(({ id }) => id))
  const changed = [...wishes].filter(([id, isWanted]) => known.has(id) && isWanted !== (assigned.get(id) === true))
  const idsOf = (wanted: boolean) => changed.filter(([, isWanted]) => isWanted === wanted).map(([id]) => id)
  return { enable: idsOf(true), disable: [], remove: idsOf(false) }
}

/** What puts everything back as it was. */
export function undoOf(assigned: Assigned, { enable, remove }: Plan): Plan {
  return {
    enable: remove,
    disable: enable.filter((id) => assigned.has(id)),
    remove: enable.filter((id) => !assigned.has(id)),
  }
}

export async function carryOut(providerId: number, { enable, disable, remove }: Plan): Promise<void> {
  const path = `api/providers/${providerId}/monitors`
  for (const ids of splitIntoBatches(enable)) await api.post(path, { monitor_ids: ids, enabled: true })
  for (const ids of splitIntoBatches(disable)) await api.post(path, { monitor_ids: ids, enabled: false })
  for (const ids of splitIntoBatches(remove)) await api.delete(path, { monitor_ids: ids })
}

export async function readAssigned(providerId: number, signal?: AbortSignal): Promise<Assigned> {
  const assigned = new Map<number, boolean>()
  for (let page = 1, pages = 1; page <= pages; page++) {
    const path = withQuery(`api/providers/${providerId}/monitors`, { page, pageSize: MAX_BATCH_SIZE })
    const { data, meta } = await api.get<ListResponse<AssignedMonitor, { totalPages: number }>>(path, signal)
    for (const { monitor_id: id, enabled } of data) assigned.set(id, enabled)
    pages = meta.totalPages
  }
  return assigned
}
