import { describe, expect, it } from 'vitest'
import {
  addGroup,
  addMonitors,
  describePlace,
  type EditedGroups,
  moveByStep,
  placeGroup,
  placeMonitor,
  removeGroup,
  removeMonitor,
  renameGroup,
  setLabel,
} from './page-order.ts'

const monitor = (monitorId: number) => ({ monitorId, label: `M${monitorId}` })
const groups: EditedGroups = [
  { key: 1, name: 'Website', monitors: [monitor(1), monitor(2)] },
  { key: 2, name: 'Empty', monitors: [] },
  { key: 3, name: 'API', monitors: [monitor(3)] },
]
/** Returns a text like "Website: 1 2 | Empty: | API: 3". */
const toText = (groups: EditedGroups) =>
  groups.map(({ name, monitors }) => [`${name}:`, ...monitors.map((each) => each.monitorId)].join(' ')).join(' | ')
const originalText = 'Website: 1 2 | Empty: | API: 3'
const moveRepeatedly = (count: number, monitorId: number, step: -1 | 1) => {
  let movedGroups = groups
  for (let n = 0; n < count; n++) movedGroups = moveByStep(movedGroups, { kind: 'monitor', monitorId }, step)
  return toText(movedGroups)
}

describe('moving by one place', () => {
  it('moves a monitor within its group, into the neighboring groups, and not beyond the page', () => {
    expect(moveRepeatedly(1, 1, 1)).toBe('Website: 2 1 | Empty: | API: 3')
    expect(moveRepeatedly(2, 1, 1)).toBe('Website: 2 | Empty: 1 | API: 3')
    expect(moveRepeatedly(3, 1, 1)).toBe('Website: 2 | Empty: | API: 1 3')
    expect(moveRepeatedly(9, 1, 1)).toBe('Website: 2 | Empty: | API: 3 1')
    expect(moveRepeatedly(1, 3, -1)).toBe('Website: 1 2 | Empty: 3 | API:')
    expect(moveRepeatedly(2, 3, -1)).toBe('Website: 1 2 3 | Empty: | API:')
    expect(moveRepeatedly(9, 3, -1)).toBe('Website: 3 1 2 | Empty: | API:')
  })

  it('moves a group with its monitors, and not beyond the page', () => {
    const movedGroups = moveByStep(groups, { kind: 'group', key: 1 }, 1)
    expect(toText(movedGroups)).toBe('Empty: | Website: 1 2 | API: 3')
    expect(toText(moveByStep(groups, { kind: 'group', key: 1 }, -1))).toBe(originalText)
    expect(toText(moveByStep(groups, { kind: 'group', key: 3 }, 1))).toBe(originalText)
  })
})

describe('placing a monitor or group', () => {
  it('counts positions without the moved item', () => {
    expect(toText(placeMonitor(groups, 1, { groupIndex: 0, index: 1 }))).toBe('Website: 2 1 | Empty: | API: 3')
    expect(toText(placeMonitor(groups, 1, { groupIndex: 2, index: 1 }))).toBe('Website: 2 | Empty: | API: 3 1')
    expect(toText(placeGroup(groups, 1, 2))).toBe('Empty: | API: 3 | Website: 1 2')
    expect(toText(placeGroup(groups, 3, 0))).toBe('API: 3 | Website: 1 2 | Empty:')
  })

  it('changes nothing for an item that is no longer there', () => {
    expect(placeMonitor(groups, 99, { groupIndex: 0, index: 0 })).toBe(groups)
    expect(placeGroup(groups, 99, 0)).toBe(groups)
  })
})

describe('editing a page', () => {
  it('adds monitors once, with their names as labels', () => {
    const groupsWithMonitor = addMonitors(groups, 2, [
      { id: 1, friendly_name: 'on the page' },
      { id: 4, friendly_name: 'Shop' },
    ])
    expect(groupsWithMonitor[1]?.monitors).toEqual([{ monitorId: 4, label: 'Shop' }])
    expect(toText(groupsWithMonitor)).toBe('Website: 1 2 | Empty: 4 | API: 3')
  })

  it('changes labels and names, and removes groups and monitors', () => {
    expect(setLabel(groups, 3, 'Public API')[2]?.monitors).toEqual([{ monitorId: 3, label: 'Public API' }])
    expect(toText(renameGroup(groups, 3, 'Programs'))).toBe('Website: 1 2 | Empty: | Programs: 3')
    expect(toText(removeMonitor(groups, 2))).toBe('Website: 1 | Empty: | API: 3')
    expect(toText(removeGroup(groups, 1))).toBe('Empty: | API: 3')
    expect(toText(groups)).toBe(originalText)
  })

  it('gives a new group a name and key that no other group has', () => {
    const groupsWithNew = addGroup(renameGroup(groups, 2, 'Group 4'))
    expect(groupsWithNew.at(-1)).toEqual({ key: 4, name: 'Group 5', monitors: [] })
    expect(addGroup([])).toEqual([{ key: 1, name: 'Group 1', monitors: [] }])
  })

  it('describes the place of an item', () => {
    expect(describePlace(groups, { kind: 'monitor', monitorId: 2 })).toBe('M2, 2 of 2 in Website.')
    expect(describePlace(groups, { kind: 'group', key: 3 })).toBe('API, 3 of 3.')
  })
})
