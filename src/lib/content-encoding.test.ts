import { describe, expect, it } from 'vitest'
import { chooseEncoding } from './content-encoding.ts'

describe('the content encoding of a response', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, BR;q=0.5', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br ; q=0.000 , *', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['brotli, x-gzip', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('for the Accept-Encoding header %j is %s', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding)
  })

  it('is an available encoding, or undefined if none is available', () => {
    expect(chooseEncoding('br, gzip', (encoding) => encoding === 'gzip')).toBe('gzip')
    expect(chooseEncoding('br, gzip', () => false)).toBe(undefined)
  })
})
