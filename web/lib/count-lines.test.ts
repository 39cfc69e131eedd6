import { expect, it } from 'vitest'
import { wrapWords } from './count-lines.ts'

it('wrapWords counts the lines that words fill', () => {
  expect(wrapWords([], 1, 10)).toBe(1)
  expect(wrapWords([4, 5], 1, 10)).toBe(1)
  expect(wrapWords([4, 6], 1, 10)).toBe(2)
  expect(wrapWords([4, 6, 3], 1, 10)).toBe(2)
  expect(wrapWords([4, 6, 3, 5], 1, 10)).toBe(3)
})

it('wrapWords breaks a word that is wider than a line', () => {
  expect(wrapWords([25], 1, 10)).toBe(3)
  expect(wrapWords([2, 25, 4], 1, 10)).toBe(4)
})
