import { describe, expect, it } from 'vitest'
import { addScheme, suggestMonitorName, toDisplayAddress, toDisplayHost } from './address.ts'

describe('a typed URL', () => {
  it('gets https:// if it has no scheme', () => {
    expect(addScheme(' example.com/health?x=1 ')).toBe('https://example.com/health?x=1')
    expect(addScheme('localhost:3000')).toBe('https://localhost:3000')
    expect(addScheme('[::1]:80')).toBe('https://[::1]:80')
    expect(addScheme('10.0.0.1')).toBe('https://10.0.0.1')
  })

  it('stays unchanged if it has a scheme or is not a URL', () => {
    for (const text of ['http://example.com', 'ftp://example.com', 'shop', 'two words.com', '', 'a@b.com']) {
      expect(addScheme(text)).toBe(text)
    }
  })
})

describe('the suggested name of a monitor', () => {
  it('is the host', () => {
    expect(suggestMonitorName('https://www.example.com/shop')).toBe('example.com')
    expect(suggestMonitorName('shop.example.com')).toBe('shop.example.com')
    expect(suggestMonitorName('203.0.113.7')).toBe('203.0.113.7')
    expect(suggestMonitorName('https://xn--mnchen-3ya.example/')).toBe('münchen.example')
  })

  it('is empty until a host has been typed', () => {
    for (const text of ['', 'https://', 'not a host']) expect(suggestMonitorName(text)).toBe('')
  })
})

describe('an internationalised host', () => {
  const encode = (host: string) => new URL(`http://${host}/`).hostname

  it.each([
    'münchen.example',
    'bücher.shop-größe.example',
    'пример.рф',
    'παράδειγμα.example',
    '例え.テスト',
    '한국어.example',
    'مثال.example',
    'straße-24.example',
  ])('is shown as %s', (host) => {
    expect(encode(host)).toContain('xn--')
    expect(toDisplayHost(encode(host))).toBe(host)
  })

  it('stays encoded if it mixes scripts or imitates a Latin name', () => {
    const hosts = ['pаypal.example', 'аррӏе.example', 'οα.example', 'shop\u0431.example'].map(encode)
    for (const host of hosts) expect(toDisplayHost(host)).toBe(host)
  })

  it('stays as it is if it is not valid or not internationalised', () => {
    for (const host of ['xn--', 'xn--a', 'xn--999999999', 'xn--ls8h.example', 'example.com', '[::1]', '203.0.113.7']) {
      expect(toDisplayHost(host)).toBe(host)
    }
  })

  it('is readable in a URL, whose other parts stay as they are', () => {
    expect(toDisplayAddress('https://xn--mnchen-3ya.example:8443/xn--mnchen-3ya?a=b')).toBe(
      'https://münchen.example:8443/xn--mnchen-3ya?a=b',
    )
    expect(toDisplayAddress('xn--mnchen-3ya.example')).toBe('münchen.example')
    expect(toDisplayAddress('https://example.com/')).toBe('https://example.com/')
  })
})
