import { expect, it } from 'vitest'
import { hintOf } from './hint.ts'

it.each([
  ['Bearer abcdef123456', '3456'],
  ['12345678', '5678'],
  ['1234567', ''],
  ['abcd', ''],
  ['', ''],
  ['passwort🔑🔑🔑🔑', '🔑🔑🔑🔑'],
])('of %s shows %j', (secret, hint) => {
  expect(hintOf(secret)).toBe(hint)
})
