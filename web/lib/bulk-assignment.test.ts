import { describe, expect, it } from 'vitest'
import { planAssigning, planRemoving } from './bulk-assignment.ts'

const savedAssignments = [
  { monitor_id: 1, enabled: true, delay_minutes: 0 },
  { monitor_id: 2, enabled: false, delay_minutes: 15 },
  { monitor_id: 3, enabled: true, delay_minutes: 15 },
]

describe('changing a channel of many monitors', () => {
  it('adds the channel only where it is missing or disabled, and undo restores the previous state', () => {
    expect(planAssigning(savedAssignments, [1, 2, 4, 5])).toEqual({
      steps: [{ settings: { enabled: true }, monitorIds: [2, 4, 5] }],
      undoSteps: [{ monitorIds: [4, 5] }, { settings: { enabled: false }, monitorIds: [2] }],
    })
    expect(planAssigning(savedAssignments, [1, 3])).toEqual({ steps: [], undoSteps: [] })
  })

  it('removes the channel, and undo restores the settings of each assignment', () => {
    expect(planRemoving(savedAssignments, [1, 2, 3, 4])).toEqual({
      steps: [{ monitorIds: [1, 2, 3] }],
      undoSteps: [
        { settings: { enabled: true, delay_minutes: 0 }, monitorIds: [1] },
        { settings: { enabled: false, delay_minutes: 15 }, monitorIds: [2] },
        { settings: { enabled: true, delay_minutes: 15 }, monitorIds: [3] },
      ],
    })
    expect(planRemoving(savedAssignments, [4])).toEqual({ steps: [], undoSteps: [] })
  })
})
