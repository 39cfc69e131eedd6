import { describe, expect, it } from 'vitest'
import { pageOf, withoutExcluded } from './page.ts'

const base = 'https://example.com'
const left = (page: string, list: string | null) => pageOf(withoutExcluded(new URL(base + page), list), true)

describe('what is excluded from a query', () => {
  it.each([
    ['/?a=1&b=2', 'a', '/?b=2'],
    ['/?a=1&b=2', 'b', '/?a=1'],
    ['/?a=1', 'a', '/'],
    ['/?a', 'a', '/'],
    ['/?a=', 'a', '/'],
    ['/?a=1&b=2&a=3', 'a', '/?b=2'],
    ['/?A=1&a=2', 'a', '/?A=1'],
    ['/?ab=1&a=2', 'a', '/?ab=1'],
    ['/?utm_source=x&utm_medium=y&q=z', 'utm_*', '/?q=z'],
    ['/?utm_source=x&ref=y&q=z', 'utm_*\nref', '/?q=z'],
    ['/?a=1&b', '*', '/'],
    ['/?a=1&b', '&', '/'],
    ['/?a=1&b', 'x\n&', '/'],
    ['/p?a=1#a=1', 'a', '/p#a=1'],
    ['/p?a=1#a=1', '*', '/p#a=1'],
    // Written otherwise, and the same name.
    ['/?%61=1&b', 'a', '/?b'],
    ['/?filter%5Bcolor%5D=1&b', 'filter[color]', '/?b'],
    ['/?filter[color]=1&b', 'filter%5Bcolor%5D', '/?b'],
    ['/?filter%5Bcolor%5D=1&filter%5Bsize%5D=1&b', 'filter[*', '/?b'],
    ['/?größe=1&b', 'größe', '/?b'],
    ['/?gr%C3%B6%C3%9Fe=1&b', 'größe', '/?b'],
    ['/?first+name=1&first%20name=2&b', 'first+name', '/?b'],
    ['/?%zz=1&%61%zz=2&b', '%zz\na%zz', '/?b'],
    ['/?%FF=1&b', '%FF', '/?b'],
    ['/?%2A=1&b', 'a', '/?%2A=1&b'],
    // What stays is not touched.
    ['/?b=%20&c&a=1&d=+x&&e==', 'a', '/?b=%20&c&d=+x&&e=='],
    ["/?x='%27&a", 'a', '/?x=%27%27'],
    ['/?a=1&&', 'a', '/'],
    ['/?a=1#', 'a', '/'],
    ['/?a=?&b=?#?a', 'a', '/?b=?'],
    ['/b#/route?sid=5&y=1', 'sid', '/b#/route?y=1'],
    ['/b#/route?sid=5', '*', '/b#/route'],
    ['/?', 'a', '/'],
    ['/?b=1', 'a', '/?b=1'],
    ['/?b=1', null, '/?b=1'],
    ['/?=1&b', 'a', '/?=1&b'],
    ['/?__proto__=1&constructor=2', 'a', '/?__proto__=1&constructor=2'],
  ])('%s without %j is %s', (page, list, rest) => {
    expect(left(page, list)).toBe(rest)
  })

  it('leaves the address that it was given alone', () => {
    const url = new URL(`${base}/?a=1&b=2`)
    withoutExcluded(url, 'a')
    expect(url.search).toBe('?a=1&b=2')
  })

  it('does not take long for many parameters and many names', () => {
    const list = Array.from({ length: 100 }, (_, n) => `${'x'.repeat(100)}${n}*`).join('\n')
    const url = new URL(`${base}/?${`${'x'.repeat(99)}%zz=1&`.repeat(10_000)}`)
    const start = performance.now()
    expect(withoutExcluded(url, list).search.length).toBeLessThan(url.search.length)
    expect(performance.now() - start).toBeLessThan(200)
  })

  it('takes what it does not look at for excluded', () => {
    const url = new URL(`${base}/?${'a=1&'.repeat(10_000)}secret=1`)
    expect(withoutExcluded(url, 'secret').search).not.toContain('secret')
  })
})

describe('a page', () => {
  it.each([
    ['/', '/'],
    ['', '/'],
    ['/blog/', '/blog/'],
    ['/blog?page=2', '/blog?page=2'],
    ['/blog?', '/blog'],
    ['/blog#top', '/blog'],
    ['/a%20b/ä?ü=ö', '/a%20b/ä?ü=ö'],
    ['//evil/', '//evil/'],
  ])('%j is counted as %s', (page, counted) => {
    expect(pageOf(new URL(base + page), false)).toBe(counted)
  })

  it('has its fragment where the website wants it', () => {
    expect(pageOf(new URL(`${base}/app#/inbox?x=1`), true)).toBe('/app#/inbox?x=1')
    expect(pageOf(new URL(`${base}/app#`), true)).toBe('/app')
  })

  it('holds neither host nor login', () => {
    expect(pageOf(new URL('https://ada:hush@example.com:8443/x'), true)).toBe('/x')
  })

  it.each([
    ['a'.repeat(2_000), 1_000],
    [`${'a'.repeat(997)}%20b`, 998],
    [`${'a'.repeat(998)}%20b`, 999],
    [`${'a'.repeat(996)}%20b`, 1_000],
    // Characters of two, three and four bytes.
    [`${'a'.repeat(995)}ä`, 996],
    [`${'a'.repeat(992)}€x`, 993],
    [`${'a'.repeat(990)}€x`, 992],
    [`${'a'.repeat(989)}😀x`, 990],
    [`${'a'.repeat(995)}ää`, 996],
    ['%BF'.repeat(1_000), 991],
  ])('of more than 1,000 characters ends where an escape does: %.12s…', (path, length) => {
    const page = pageOf(new URL(`${base}/${path}`), false)
    expect(page).toHaveLength(length)
    expect(page).not.toMatch(/%.?$/)
  })
})
