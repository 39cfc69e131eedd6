import { expect, it } from 'vitest'
import { diffAssignments, invertChanges } from './assignment-changes.ts'

const assignedMonitors = new Map([
  [1, true],
  [2, false],
  [3, true],
])

it('the changes to save contain only monitors whose selection differs from the saved assignment', () => {
  const selection = new Map([
    [1, true],
    [2, true],
    [3, false],
    [4, true],
    [5, false],
  ])
  const monitors = [1, 2, 3, 4, 5].map((id) => ({ id }))
  expect(diffAssignments(assignedMonitors, selection, monitors)).toEqual({
    idsToEnable: [2, 4],
    idsToDisable: [],
    idsToRemove: [3],
  })
  const remainingMonitors = monitors.filter(({ id }) => id !== 4)
  expect(diffAssignments(assignedMonitors, selection, remainingMonitors)).toEqual({
    idsToEnable: [2],
    idsToDisable: [],
    idsToRemove: [3],
  })
})

it('the inverted changes restore the previous assignments, including disabled ones', () => {
  expect(invertChanges(assignedMonitors, { idsToEnable: [2, 4], idsToDisable: [], idsToRemove: [3] })).toEqual({
    idsToEnable: [3],
    idsToDisable: [2],
    idsToRemove: [4],
  })
})
