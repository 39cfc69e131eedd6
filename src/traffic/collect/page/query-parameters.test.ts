import { describe, expect, it } from 'vitest'
import { formatPage } from './page.ts'
import { removeIgnoredParameters } from './query-parameters.ts'

const base = 'https://example.com'
const clean = (page: string, list: string | null) =>
  formatPage(removeIgnoredParameters(new URL(base + page), list), true)

describe('removing ignored parameters', () => {
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
    // Two encodings of the same name.
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
    // The other parameters keep their spelling.
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
  ])('turns %s into a page without %j: %s', (page, list, cleanedPage) => {
    expect(clean(page, list)).toBe(cleanedPage)
  })

  it('does not change the given URL', () => {
    const url = new URL(`${base}/?a=1&b=2`)
    removeIgnoredParameters(url, 'a')
    expect(url.search).toBe('?a=1&b=2')
  })

  it('is fast for many parameters and a long list', () => {
    const list = Array.from({ length: 100 }, (_, n) => `${'x'.repeat(100)}${n}*`).join('\n')
    const url = new URL(`${base}/?${`${'x'.repeat(99)}%zz=1&`.repeat(10_000)}`)
    const start = process.threadCpuUsage()
    expect(removeIgnoredParameters(url, list).search.length).toBeLessThan(url.search.length)
    // The test measures CPU time instead of elapsed time, because other processes may slow this one down.
    expect(process.threadCpuUsage(start).user / 1_000).toBeLessThan(200)
  })

  it('discards the part of a query that is too long to examine', () => {
    const url = new URL(`${base}/?${'a=1&'.repeat(10_000)}secret=1`)
    expect(removeIgnoredParameters(url, 'secret').search).not.toContain('secret')
  })
})
