import { expect, it } from 'vitest'
import { toldChanges } from './channel-assignments.ts'

const assignments = [
  { provider_id: 1, enabled: true },
  { provider_id: 2, enabled: false },
  { provider_id: 3, enabled: false },
  { provider_id: 4, enabled: true },
]

it('adds who is missing or switched off, and removes who is told but not wanted', () => {
  expect(toldChanges(assignments, [1, 2, 5])).toEqual({ add: [2, 5], remove: [4] })
})

it('changes nothing where all is as wanted', () => {
  expect(toldChanges(assignments, [4, 1])).toEqual({ add: [], remove: [] })
})
