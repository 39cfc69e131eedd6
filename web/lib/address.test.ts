import { describe, expect, it } from 'vitest'
import { addScheme, suggestMonitorName } from './address.ts'

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
  })

  it('is empty until a host has been typed', () => {
    for (const text of ['', 'https://', 'not a host']) expect(suggestMonitorName(text)).toBe('')
  })
})
