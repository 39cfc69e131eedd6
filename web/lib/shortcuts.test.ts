import { expect, it } from 'vitest'
import { rowAfter } from './shortcuts.ts'

it('goes from row to row, and stays within the list', () => {
  expect(['ArrowDown', 'ArrowUp', 'Home', 'End'].map((key) => rowAfter(key, 3, 10))).toEqual([4, 2, 0, 9])
  expect([rowAfter('ArrowUp', 0, 10), rowAfter('ArrowDown', 9, 10)]).toEqual([0, 9])
  expect(rowAfter('Enter', 3, 10)).toBeUndefined()
})
