import { expect, it } from 'vitest'
import { diffChannels, listEnabledChannels } from './channel-assignments.ts'

const assignments = [
  { provider_id: 1, enabled: true, delay_minutes: 0 },
  { provider_id: 2, enabled: false, delay_minutes: 0 },
  { provider_id: 3, enabled: false, delay_minutes: 0 },
  { provider_id: 4, enabled: true, delay_minutes: 15 },
]
const createAssignment = (provider_id: number, delay_minutes: number) => ({ provider_id, enabled: true, delay_minutes })

it('diffChannels adds selected channels that are missing or disabled, and removes enabled ones that are not selected', () => {
  const selectedDelays = new Map([
    [1, 0],
    [2, 0],
    [5, 30],
  ])
  expect(diffChannels(assignments, selectedDelays)).toEqual({
    toAssign: [createAssignment(2, 0), createAssignment(5, 30)],
    idsToRemove: [4],
  })
})

it('diffChannels changes nothing if the selected channels are the enabled ones', () => {
  expect(diffChannels(assignments, listEnabledChannels(assignments))).toEqual({ toAssign: [], idsToRemove: [] })
})

it('diffChannels saves a changed delay', () => {
  const selectedDelays = new Map([...listEnabledChannels(assignments), [4, 60] as const])
  expect(diffChannels(assignments, selectedDelays)).toEqual({ toAssign: [createAssignment(4, 60)], idsToRemove: [] })
})
