import { describe, expect, it } from 'vitest'
import { readable } from './readable.ts'

describe('an address', () => {
  it.each([
    ['/caf%C3%A9', '/café'],
    ['/%E6%97%A5%E6%9C%AC/%e3%83%91', '/日本/パ'],
    ['/a%20b%2Fc%25', '/a%20b%2Fc%25'],
    ['/%C3', '/%C3'],
    ['/%FF%FE', '/%FF%FE'],
    ['/%E2%80%AEevil', '/%E2%80%AEevil'],
    ['/%C2%A0', '/%C2%A0'],
    ['/%F0%9F%98%80?q=%C3%BC', '/😀?q=ü'],
    ['/plain', '/plain'],
  ])('%s is read as %s', (address, text) => {
    expect(readable(address)).toBe(text)
  })
})
