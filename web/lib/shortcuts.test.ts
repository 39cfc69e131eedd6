import { expect, it } from 'vitest'
import { findNextRowIndex } from './shortcuts.ts'

it('arrow keys, Home and End move from row to row within the list', () => {
  expect(['ArrowDown', 'ArrowUp', 'Home', 'End'].map((key) => findNextRowIndex(key, 3, 10))).toEqual([4, 2, 0, 9])
  expect([findNextRowIndex('ArrowUp', 0, 10), findNextRowIndex('ArrowDown', 9, 10)]).toEqual([0, 9])
  expect(findNextRowIndex('Enter', 3, 10)).toBeUndefined()
})
