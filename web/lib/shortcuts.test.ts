import { expect, it } from 'vitest'
import { nextRowIndex } from './shortcuts.ts'

it('moves from row to row and stays within the list', () => {
  expect(['ArrowDown', 'ArrowUp', 'Home', 'End'].map((key) => nextRowIndex(key, 3, 10))).toEqual([4, 2, 0, 9])
  expect([nextRowIndex('ArrowUp', 0, 10), nextRowIndex('ArrowDown', 9, 10)]).toEqual([0, 9])
  expect(nextRowIndex('Enter', 3, 10)).toBeUndefined()
})
