import { expect, it } from 'vitest'
import { planOf, undoOf } from './assignment-changes.ts'

const assigned = new Map([
  [1, true],
  [2, false],
  [3, true],
])

it('plans only what is different from what is there', () => {
  const wishes = new Map([
    [1, true],
    [2, true],
    [3, false],
    [4, true],
    [5, false],
  ])
  const monitors = [1, 2, 3, 4, 5].map((id) => ({ id }))
  expect(planOf(assigned, wishes, monitors)).toEqual({ enable: [2, 4], disable: [], remove: [3] })
  const others = monitors.filter(({ id }) => id !== 4)
  expect(planOf(assigned, wishes, others)).toEqual({ enable: [2], disable: [], remove: [3] })
})

it('goes back to what was there, also to what was switched off', () => {
  expect(undoOf(assigned, { enable: [2, 4], disable: [], remove: [3] })).toEqual({
    enable: [3],
    disable: [2],
    remove: [4],
  })
})
