import { describe, expect, it } from 'vitest'
import { findNearestSlot, type GroupExtent, listDropSlots } from './drop-slots.ts'

const row = (monitorId: number, top: number) => ({ monitorId, top, bottom: top + 40 })
const groups: GroupExtent[] = [
  { key: 1, top: 0, bottom: 150, listTop: 50, monitors: [row(1, 50), row(2, 90)] },
  { key: 2, top: 160, bottom: 230, listTop: 210, monitors: [] },
  { key: 3, top: 240, bottom: 340, listTop: 290, monitors: [row(3, 290)] },
]

describe('the slots of a dragged monitor', () => {
  const slots = listDropSlots(groups, { kind: 'monitor', monitorId: 1 })

  it('are before, between and after the other monitors, and in empty groups', () => {
    expect(slots).toEqual([
      { groupIndex: 0, index: 0, y: 90 },
      { groupIndex: 0, index: 1, y: 130 },
      { groupIndex: 1, index: 0, y: 210 },
      { groupIndex: 2, index: 0, y: 290 },
      { groupIndex: 2, index: 1, y: 330 },
    ])
  })

  it('are chosen by their distance to the pointer', () => {
    expect(findNearestSlot(slots, -50)).toMatchObject({ groupIndex: 0, index: 0 })
    expect(findNearestSlot(slots, 180)).toMatchObject({ groupIndex: 1, index: 0 })
    expect(findNearestSlot(slots, 9_999)).toMatchObject({ groupIndex: 2, index: 1 })
    expect(findNearestSlot([], 0)).toBeUndefined()
  })
})

it('a dragged group can be dropped before, between and after the other groups', () => {
  expect(listDropSlots(groups, { kind: 'group', key: 2 }).map(({ y, groupIndex }) => [groupIndex, y])).toEqual([
    [0, 0],
    [1, 195],
    [2, 340],
  ])
  const [only] = groups as [GroupExtent]
  expect(listDropSlots([only], { kind: 'group', key: 1 })).toEqual([{ groupIndex: 0, index: 0, y: 0 }])
})
