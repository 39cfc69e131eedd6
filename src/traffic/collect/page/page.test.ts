import { describe, expect, it } from 'vitest'
import { decodeReadableEscapes, formatHostname, formatPage } from './page.ts'

const base = 'https://example.com'

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
  ])('%j is counted as %s', (page, storedPage) => {
    expect(formatPage(new URL(base + page), false)).toBe(storedPage)
  })

  it('includes the fragment if the tracker counts it', () => {
    expect(formatPage(new URL(`${base}/app#/inbox?x=1`), true)).toBe('/app#/inbox?x=1')
    expect(formatPage(new URL(`${base}/app#`), true)).toBe('/app')
  })

  it('contains neither the host nor the credentials of a URL', () => {
    expect(formatPage(new URL('https://ada:hush@example.com:8443/x'), true)).toBe('/x')
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
  ])('longer than 1,000 characters is not truncated inside an escape: %.12s…', (path, length) => {
    const page = formatPage(new URL(`${base}/${path}`), false)
    expect(page).toHaveLength(length)
    expect(page).not.toMatch(/%.?$/)
  })
})

describe('a URL', () => {
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
  ])('%s is shown as %s', (url, text) => {
    expect(decodeReadableEscapes(url)).toBe(text)
  })
})

const longestLabels = `${'a'.repeat(49)}.`.repeat(5)

describe('the hostname of a page', () => {
  it.each([
    ['https://example.com/a', 'example.com'],
    ['https://WWW.Example.COM/', 'www.example.com'],
    ['http://example.com:8080/', 'example.com'],
    ['https://user:secret@example.com/', 'example.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://example.com./', 'example.com'],
    ['http://192.0.2.1/', '192.0.2.1'],
    ['http://[2001:DB8::1]/', '[2001:db8::1]'],
    ['app://Example.App/start', 'example.app'],
    ['app:///start', undefined],
    ['app:start', undefined],
    ['http://./', undefined],
    [`https://${longestLabels}abc/`, `${longestLabels}abc`],
    [`https://${longestLabels}abcd/`, undefined],
  ])('of %s is %s', (url, hostname) => {
    expect(formatHostname(new URL(url).hostname)).toBe(hostname)
  })
})
