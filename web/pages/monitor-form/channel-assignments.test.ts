import { expect, it } from 'vitest'
import { diffChannels } from './channel-assignments.ts'

const assignments = [
  { provider_id: 1, enabled: true },
  { provider_id: 2, enabled: false },
  { provider_id: 3, enabled: false },
  { provider_id: 4, enabled: true },
]

it('adds selected channels that are missing or disabled, and removes enabled ones that are not selected', () => {
  expect(diffChannels(assignments, [1, 2, 5])).toEqual({ idsToAdd: [2, 5], idsToRemove: [4] })
})

it('changes nothing if the selected channels are the enabled ones', () => {
  expect(diffChannels(assignments, [4, 1])).toEqual({ idsToAdd: [], idsToRemove: [] })
})
