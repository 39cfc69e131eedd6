import { expect, it } from 'vitest'
import { shorten } from './shorten.ts'

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['ab🔔', 4, 'ab🔔'],
  ['ab🔔', 3, 'ab'],
  ['ab🔔c', 4, 'ab🔔'],
  ['', 0, ''],
])('%j to %i is %j', (text, most, short) => {
  expect(shorten(text, most)).toBe(short)
})
