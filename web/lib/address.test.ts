import { describe, expect, it } from 'vitest'
import { suggestMonitorName, addScheme } from './address.ts'

describe('an address without https://', () => {
  it('gets it', () => {
    expect(addScheme(' example.com/health?x=1 ')).toBe('https://example.com/health?x=1')
    expect(addScheme('localhost:3000')).toBe('https://localhost:3000')
    expect(addScheme('[::1]:80')).toBe('https://[::1]:80')
    expect(addScheme('10.0.0.1')).toBe('https://10.0.0.1')
  })

  it('stays as it is where it has one, or is none', () => {
    for (const text of ['http://example.com', 'ftp://example.com', 'shop', 'two words.com', '', 'a@b.com']) {
      expect(addScheme(text)).toBe(text)
    }
  })
})

describe('a suggested name', () => {
  it('is the host', () => {
    expect(suggestMonitorName('https://www.example.com/shop')).toBe('example.com')
    expect(suggestMonitorName('shop.example.com')).toBe('shop.example.com')
    expect(suggestMonitorName('203.0.113.7')).toBe('203.0.113.7')
  })

  it('is empty where there is no host yet', () => {
    for (const text of ['', 'https://', 'not a host']) expect(suggestMonitorName(text)).toBe('')
  })
})
