import { describe, expect, it } from 'vitest'
import { createSecretHint, truncate } from './text.ts'

describe('truncate', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['ab🔔', 4, 'ab🔔'],
    ['ab🔔', 3, 'ab'],
    ['ab🔔c', 4, 'ab🔔'],
    ['', 0, ''],
  ])('truncates %j to %i code units: %j', (text, maxLength, truncated) => {
    expect(truncate(text, maxLength)).toBe(truncated)
  })
})

describe('the hint of a secret', () => {
  it.each([
    ['Bearer abcdef123456', '3456'],
    ['12345678', '5678'],
    ['1234567', ''],
    ['abcd', ''],
    ['', ''],
    ['passwort🔑🔑🔑🔑', '🔑🔑🔑🔑'],
  ])('of %s is %j', (secret, hint) => {
    expect(createSecretHint(secret)).toBe(hint)
  })
})
