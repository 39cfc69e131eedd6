import { describe, expect, it } from 'vitest'
import { createSecretHint, toVisibleLine, toVisibleText, truncate } from './text.ts'

describe('truncate', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['ab🔔', 4, 'ab🔔'],
    ['ab🔔', 3, 'ab'],
    ['ab🔔c', 4, 'ab🔔'],
    ['', 0, ''],
  ])('truncates %j to %i code units: %j', (text, maxLength, truncatedText) => {
    expect(truncate(text, maxLength)).toBe(truncatedText)
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
  ])('for %s is %j', (secret, hint) => {
    expect(createSecretHint(secret)).toBe(hint)
  })
})

describe('an untrusted text', () => {
  it('stays on one line and cannot reverse the text after it', () => {
    expect(toVisibleLine('/a\r\nBcc: all\t\u202Egnp.exe\u0000', 100)).toBe('/a Bcc: all \u{fffd}gnp.exe')
  })

  it('is truncated between characters', () => {
    expect(toVisibleLine(`/${'🎈'.repeat(9)}`, 10)).toBe('/🎈🎈🎈🎈…')
  })
})

it('text for a terminal keeps its lines, but loses control characters', () => {
  expect(toVisibleText('a\u001b[2J\u009b1m\n\tb\r\u202Ec')).toBe('a [2J 1m\n\tb \u{fffd}c')
})
