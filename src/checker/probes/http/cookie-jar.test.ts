import { describe, expect, it } from 'vitest'
import { CookieJar } from './cookie-jar.ts'

const now = Date.parse('2026-01-05T10:00:00Z')

/** Stores cookies that `from` sets, and returns the names of those that are sent to `to`. */
function exchange(setCookies: string | string[], from: string, to: string, later = now): string[] {
  const jar = new CookieJar()
  jar.add([setCookies].flat(), new URL(from), now)
  return jar.list(new URL(to), later).map(({ name }) => name)
}

describe('a cookie', () => {
  it.each([
    ['without a domain goes only to its host', 'a=1', 'https://shop.example.com/', 'https://shop.example.com/', true],
    ['without a domain goes only to its host', 'a=1', 'https://example.com/', 'https://shop.example.com/', false],
    ['goes to other ports of its host', 'a=1', 'http://example.com/', 'http://example.com:8080/', true],
    [
      'with a domain goes to subdomains',
      'a=1; Domain=example.com',
      'https://example.com/',
      'https://a.example.com/',
      true,
    ],
    [
      'may be set for a parent domain',
      'a=1; domain=.Example.com',
      'https://a.example.com/',
      'https://b.example.com/',
      true,
    ],
    ['may not be set for another domain', 'a=1; Domain=other.com', 'https://example.com/', 'https://other.com/', false],
    [
      'may not be set for a domain with a similar name',
      'a=1; Domain=ample.com',
      'https://example.com/',
      'https://ample.com/',
      false,
    ],
    ['may not be set for a public suffix', 'a=1; Domain=co.uk', 'https://a.co.uk/', 'https://b.co.uk/', false],
    [
      'may not be set for a shared host',
      'a=1; Domain=github.io',
      'https://a.github.io/',
      'https://b.github.io/',
      false,
    ],
    [
      'of an IP address goes only to that address',
      'a=1; Domain=127.0.0.1',
      'http://127.0.0.1/',
      'http://127.0.0.1/',
      true,
    ],
    [
      'may not be set for a part of an IP address',
      'a=1; Domain=0.0.1',
      'http://127.0.0.1/',
      'http://127.0.0.1/',
      false,
    ],
    ['of an IPv6 address goes to other ports of that address', 'a=1', 'http://[::1]/', 'http://[::1]:8080/', true],
    [
      'goes only to the folder of its page',
      'a=1',
      'https://example.com/shop/cart',
      'https://example.com/shop/pay',
      true,
    ],
    ['goes only to the folder of its page', 'a=1', 'https://example.com/shop/cart', 'https://example.com/other', false],
    ['goes only to its path', 'a=1; Path=/shop', 'https://example.com/', 'https://example.com/shop/cart', true],
    ['goes only to its path', 'a=1; Path=/shop', 'https://example.com/', 'https://example.com/shopping', false],
    ['ignores a path without a slash', 'a=1; Path=shop', 'https://example.com/', 'https://example.com/other', true],
    ['that is secure goes to https only', 'a=1; Secure', 'https://example.com/', 'https://example.com/', true],
    ['that is secure goes to https only', 'a=1; Secure', 'https://example.com/', 'http://example.com/', false],
    ['that is secure cannot be set by http', 'a=1; Secure', 'http://example.com/', 'https://example.com/', false],
    [
      'with a date in the past is deleted',
      'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'http://a.com/',
      'http://a.com/',
      false,
    ],
    ['with a later date is sent', 'a=1; Expires=Tue, 05-Jan-2027 00:00:00 GMT', 'http://a.com/', 'http://a.com/', true],
    ['with an invalid date is sent', 'a=1; Expires=soon', 'http://a.com/', 'http://a.com/', true],
    ['with a number as its date is sent', 'a=1; Expires=0', 'http://a.com/', 'http://a.com/', true],
    ['with a date in another format is sent', 'a=1; Expires=2020-01-01', 'http://a.com/', 'http://a.com/', true],
    [
      'with a maximum age is sent although its date is in the past',
      'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=5',
      'http://a.com/',
      'http://a.com/',
      true,
    ],
    ['with a maximum age of 0 is deleted', 'a=1; Max-Age=0', 'http://a.com/', 'http://a.com/', false],
    ['without a name is ignored', '=1', 'http://a.com/', 'http://a.com/', false],
    ['with control characters is ignored', 'a=1\x07', 'http://a.com/', 'http://a.com/', false],
    ['that is very long is ignored', `a=${'x'.repeat(5_000)}`, 'http://a.com/', 'http://a.com/', false],
  ])('%s: the cookie %j from %s is sent to %s: %s', (_case, setCookie, from, to, isSent) => {
    expect(exchange(setCookie, from, to)).toEqual(isSent ? ['a'] : [])
  })

  it('is no longer sent once it has expired during the check', () => {
    expect(exchange('a=1; Max-Age=5', 'http://a.com/', 'http://a.com/', now + 4_000)).toEqual(['a'])
    expect(exchange('a=1; Max-Age=5', 'http://a.com/', 'http://a.com/', now + 5_000)).toEqual([])
  })

  it('with the prefix __Secure- or __Host- in its name is ignored if it breaks the rules of that prefix', () => {
    const setCookies = ['__Secure-a=1', '__Host-b=1; Secure; Path=/; Domain=a.com', '__Host-c=1; Secure; Path=/']
    expect(exchange(setCookies, 'https://a.com/', 'https://a.com/')).toEqual(['__Host-c'])
  })

  it('replaces an earlier cookie with the same name and path, and can delete it', () => {
    const jar = new CookieJar()
    const url = new URL('https://example.com/')
    jar.add(['a=1', 'b=x=y', 'a=2'], url, now)
    expect(jar.list(url, now)).toMatchObject([
      { name: 'a', value: '2' },
      { name: 'b', value: 'x=y' },
    ])
    jar.add(['a=; Max-Age=-1'], url, now)
    expect(jar.list(url, now)).toMatchObject([{ name: 'b' }])
  })

  it('with the longest path comes first, and the jar keeps at most 50 cookies', () => {
    expect(exchange(['a=1', 'b=1; Path=/shop'], 'http://a.com/', 'http://a.com/shop')).toEqual(['b', 'a'])
    const manyCookies = Array.from({ length: 60 }, (_, n) => `c${n}=1`)
    expect(exchange(manyCookies, 'http://a.com/', 'http://a.com/')).toHaveLength(50)
  })
})
