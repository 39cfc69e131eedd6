import { describe, expect, it } from 'vitest'
import { isOnDomain } from './uptime.ts'

describe('a monitor of a website', () => {
  it.each([
    ['http', 'https://example.com/'],
    ['http', 'HTTPS://WWW.Example.com:8443/health?x=1'],
    ['http', 'http://a.b.example.com.'],
    ['ping', 'example.com'],
    ['ping', 'db.example.com'],
  ] as const)('is recognized by its host: %s %s', (type, url) =>
    expect(isOnDomain('example.com', { type, url })).toBe(true),
  )

  it.each([
    ['http', 'https://notexample.com/'],
    ['http', 'https://example.com.evil.net/'],
    ['http', 'https://evil.net/?example.com'],
    ['http', 'https://evil.net/example.com'],
    ['ping', '203.0.113.7'],
    ['ping', '2001:db8::7'],
  ] as const)(
    'is not recognized if another host only contains the domain, or if it is an IP address: %s %s',
    (type, url) => expect(isOnDomain('example.com', { type, url })).toBe(false),
  )

  it('is recognized by its Unicode domain, too', () => {
    expect(isOnDomain('xn--mller-kva.de', { type: 'http', url: 'https://shop.MÜLLER.de/' })).toBe(true)
  })
})
