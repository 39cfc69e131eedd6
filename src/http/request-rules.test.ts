import { describe, expect, it } from 'vitest'
import { isHost } from './request-rules.ts'

describe('the host of a request', () => {
  it.each([
    'example.com',
    'EXAMPLE.com',
    'example.com.',
    'example.com:8080',
    'example.com:',
    'localhost:3000',
    'my_host',
    'xn--mnchen-3ya.example',
    '192.0.2.1',
    '192.0.2.1:65535',
    '[2001:db8::1]',
    '[::1]:3000',
    `${'a'.repeat(63)}.example`,
  ])('can be %s', (text) => {
    expect(isHost(text)).toBe(true)
  })

  it.each([
    '',
    ' ',
    '.',
    'a..b',
    '-a.example',
    'a-.example',
    'example.com/path',
    'example.com?query',
    'example.com#hash',
    'user@example.com',
    'example.com:65536',
    'example.com:port',
    'example.com:80:80',
    'a b',
    'a,b',
    '"><script>',
    'münchen.example',
    '2001:db8::1',
    '[2001:db8::1',
    '[1]',
    '[::1]x',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
  ])('cannot be %j', (text) => {
    expect(isHost(text)).toBe(false)
  })
})
