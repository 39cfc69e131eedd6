/** Computes where a dragged monitor or group can be dropped, as vertical positions. */
import type { MonitorPlace, Movable } from './page-order.ts'

export interface DropSlot extends MonitorPlace {
  /** The middle of the line that marks the slot. */
  y: number
}

/** The top and bottom of an element. */
export interface Extent {
  top: number
  bottom: number
}

export interface GroupExtent extends Extent {
  key: number
  /** Where the first monitor of the group begins, or would begin in an empty group. */
  listTop: number
  monitors: readonly (Extent & { monitorId: number })[]
}

/**
 * For a dragged group, `groupIndex` of a slot is the position among the other groups. For a dragged monitor, `index` is
 * the position among the other monitors of the group.
 */
export function listDropSlots(groups: readonly GroupExtent[], draggedItem: Movable): DropSlot[] {
  if (draggedItem.kind === 'group') {
    const others = groups.filter(({ key }) => key !== draggedItem.key)
    return listBoundaries(others, groups[0]?.top ?? 0).map((y, groupIndex) => ({ y, groupIndex, index: 0 }))
  }
  return groups.flatMap(({ monitors, listTop }, groupIndex) => {
    const others = monitors.filter(({ monitorId }) => monitorId !== draggedItem.monitorId)
    return listBoundaries(others, listTop).map((y, index) => ({ y, groupIndex, index }))
  })
}

/** The vertical positions before, between and after the elements. Returns only `start` if there are no elements. */
function listBoundaries(extents: readonly Extent[], start: number): number[] {
  const [first] = extents
  if (first === undefined) return [start]
  return [
    first.top,
    ...extents.map(({ bottom }, index) => {
      const next = extents[index + 1]
      return next === undefined ? bottom : (bottom + next.top) / 2
    }),
  ]
}

export function findNearestSlot(slots: readonly DropSlot[], y: number): DropSlot | undefined {
  let nearest: DropSlot | undefined
  for (const slot of slots) if (nearest === undefined || Math.abs(slot.y - y) < Math.abs(nearest.y - y)) nearest = slot
  return nearest
}
