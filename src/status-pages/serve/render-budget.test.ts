import { expect, it } from 'vitest'
import { RenderBudget } from './render-budget.ts'

it('a render budget allows 2 s of rendering for the pages of a user without a pause, and then a fifth of the time', () => {
  let now = 0
  const readNow = () => now
  const budget = new RenderBudget(readNow, readNow)
  const render = (teamId: number, ms: number) =>
    budget.spend(teamId, () => {
      now += ms
    })
  render(1, 1_900)
  expect(budget.isSpent(1)).toBe(false)
  render(1, 1_000)
  expect([budget.isSpent(1), budget.isSpent(2)]).toEqual([true, false])
  expect([budget.findWaitSeconds(1), budget.findWaitSeconds(2)]).toEqual([4, 0])
  const spentAt = now
  for (let n = 0; n < 10_000; n++) {
    now += 1
    if (!budget.isSpent(1)) render(1, 100)
  }
  const renderedMs = now - spentAt - 10_000
  expect(renderedMs / (now - spentAt)).toBeGreaterThan(0.1)
  expect(renderedMs / (now - spentAt)).toBeLessThan(0.21)
})
