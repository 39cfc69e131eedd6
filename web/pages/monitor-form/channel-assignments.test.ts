import { expect, it } from 'vitest'
import { diffChannels, listEnabledChannels } from './channel-assignments.ts'

const assignments = [
  { provider_id: 1, enabled: true, delay_minutes: 0 },
  { provider_id: 2, enabled: false, delay_minutes: 0 },
  { provider_id: 3, enabled: false, delay_minutes: 0 },
  { provider_id: 4, enabled: true, delay_minutes: 15 },
]
const assign = (provider_id: number, delay_minutes: number) => ({ provider_id, enabled: true, delay_minutes })

it('diffChannels adds selected channels that are missing or disabled, and removes enabled ones that are not selected', () => {
  const selected = new Map([
    [1, 0],
    [2, 0],
    [5, 30],
  ])
  expect(diffChannels(assignments, selected)).toEqual({ toAssign: [assign(2, 0), assign(5, 30)], idsToRemove: [4] })
})

it('diffChannels changes nothing if the selected channels are the enabled ones', () => {
  expect(diffChannels(assignments, listEnabledChannels(assignments))).toEqual({ toAssign: [], idsToRemove: [] })
})

it('diffChannels saves a changed delay', () => {
  const selected = new Map([...listEnabledChannels(assignments), [4, 60] as const])
  expect(diffChannels(assignments, selected)).toEqual({ toAssign: [assign(4, 60)], idsToRemove: [] })
})
