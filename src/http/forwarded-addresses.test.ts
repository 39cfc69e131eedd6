import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { keepForwardedAddresses } from './forwarded-addresses.ts'

describe('X-Forwarded-For', () => {
  it.each([
    // What was sent, and what is left.
    ['203.0.113.7', '203.0.113.7'],
    ['198.51.100.1,203.0.113.7', '198.51.100.1, 203.0.113.7'],
    [' 2001:db8::1 , 203.0.113.7', '2001:db8::1, 203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711, [2001:db8::1]:443', '203.0.113.7, 2001:db8::1'],
    ['fe80::1%any-text', 'fe80::1'],
    ['198.51.100.1, <b>text</b>, 203.0.113.7', '203.0.113.7'],
    ['198.51.100.1,, 203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, unknown', undefined],
    ['<b>text</b>', undefined],
    ['203.0.113.300', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j becomes %j', (sent, kept) => {
    const headers: IncomingHttpHeaders = sent === undefined ? {} : { 'x-forwarded-for': sent }
    keepForwardedAddresses(headers)
    expect(headers).toEqual(kept === undefined ? {} : { 'x-forwarded-for': kept })
  })
})
