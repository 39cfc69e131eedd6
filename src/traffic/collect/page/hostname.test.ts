import { describe, expect, it } from 'vitest'
import { formatHostname } from './hostname.ts'

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
