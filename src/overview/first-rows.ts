/** Chooses the rows at the top of the overview, which the server sends before all others. */
import type { RowOrder } from './row-order.ts'

export interface FirstRows {
  websiteIds: number[]
  monitorIds: number[]
}

/** `wentDownAt` has an entry for each monitor that is down. Takes less than a millisecond with 10,000 monitors. */
export function chooseFirstRows(order: RowOrder, wentDownAt: ReadonlyMap<number, number>, limit: number): FirstRows {
  const firstRows: FirstRows = { websiteIds: [], monitorIds: [] }
  let remaining = limit
  for (const group of listGroups(order, findOutages(order, wentDownAt))) {
    if (remaining <= 0) break
    const websiteId = order.websiteIds[group] as number
    if (websiteId !== 0) firstRows.websiteIds.push(websiteId)
    const [start, end] = [order.monitorStarts[group] as number, order.monitorStarts[group + 1] as number]
    const monitorIds = order.monitorIds.subarray(start, Math.min(end, start + remaining))
    firstRows.monitorIds.push(...monitorIds)
    remaining -= Math.max(1, monitorIds.length)
  }
  return firstRows
}

/** For each group with an outage, when the newest one began. */
type Outages = ReadonlyMap<number, number>

function findOutages({ monitorIds, monitorStarts }: RowOrder, wentDownAt: ReadonlyMap<number, number>): Outages {
  const outages = new Map<number, number>()
  if (wentDownAt.size === 0) return outages
  let group = 0
  for (let index = 0; index < monitorIds.length; index++) {
    while (index >= (monitorStarts[group + 1] as number)) group += 1
    const at = wentDownAt.get(monitorIds[index] as number)
    if (at !== undefined) outages.set(group, Math.max(at, outages.get(group) ?? 0))
  }
  return outages
}

/** Lists the groups as `compareGroups` sorts them: groups with an outage first, and among these favorites, then the newest outages. */
function* listGroups({ websiteIds, favoriteCount }: RowOrder, outages: Outages): Generator<number> {
  const rankFavorite = (group: number) => (group < favoriteCount ? 0 : 1)
  const groupsWithOutage = [...outages].sort(
    ([a, wentDownAt], [b, otherWentDownAt]) =>
      rankFavorite(a) - rankFavorite(b) || otherWentDownAt - wentDownAt || a - b,
  )
  for (const [group] of groupsWithOutage) yield group
  for (const group of websiteIds.keys()) if (!outages.has(group)) yield group
}
