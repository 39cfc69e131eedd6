import { describe, expect, it } from 'vitest'
import { toStoredOutput } from './output.ts'

describe('toStoredOutput', () => {
  const token = 'q3Zr8-QwXkT1n_0aBcDeFgHiJkLmNoPqRsTuVwXyZ12'

  it.each([
    [undefined, null],
    ['', null],
    ['\0', null],
    ['a\0b', 'ab'],
    [`> GET /beat/${token}/start\n> GET /beat/${token}`, '> GET /beat/…yZ12/start\n> GET /beat/…yZ12'],
    [`/beat/${token.slice(0, 20)}\0${token.slice(20)}`, '/beat/…yZ12'],
    // The output was cut off in the token.
    [`/beat/${token.slice(0, -1)}`, '/beat/…'],
    [`/beat/${token.slice(0, 8)}`, '/beat/…'],
    [`/beat/${token.slice(0, 7)}`, `/beat/${token.slice(0, 7)}`],
  ])('stores %j as %j', (body, output) => {
    expect(toStoredOutput(body, token)).toBe(output)
  })

  it('never makes the output longer, whatever token the request names', () => {
    expect(toStoredOutput('aaa', 'a')).toBe('aaa')
  })
})
