import { describe, expect, it } from 'vitest'
import { parseTarget } from './target.ts'

describe('the target of type http', () => {
  it.each([
    'http://example.com',
    'https://example.com/',
    'HTTPS://Example.COM/Path?q=a%20b#part',
    'http://localhost:3000/',
    'https://203.0.113.7:8443/status',
    'http://[2001:db8::1]:8080/',
    'https://müller.example/straße?ü=ö',
    'https://example.com/a/../b?x=/y',
    'https://example.com/@user:pass',
  ])('is stored unchanged: %s', (text) => {
    expect(parseTarget(text, 'http')).toEqual({ value: text })
    expect(parseTarget(` ${text}\n`, 'http')).toEqual({ value: text })
  })

  it.each([
    'example.com',
    '//example.com/',
    '/health',
    'http:example.com',
    'http:/example.com',
    'http://',
    'https://?x',
    'https://example.com:99999/',
    'https://exa%mple.com/',
    'https://[::1/',
    'https://999.1.1.1/',
    'ftp://example.com/',
    'ws://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'httpx://example.com/',
  ])('must be an http or https URL: %s', (text) => {
    expect(parseTarget(text, 'http')).toEqual({ errors: [expect.stringMatching(/^must be an http or https URL/)] })
  })

  it.each(['https://user@example.com/', 'https://user:pass@example.com/', 'https://:pass@example.com/'])(
    'must not contain credentials: %s',
    (text) => {
      expect(parseTarget(text, 'http')).toEqual({
        errors: [expect.stringMatching(/^must not contain a user name or passw/)],
      })
    },
  )
})

describe('the target of type ping', () => {
  it.each([
    ['example.com', 'example.com'],
    ['  Example.COM ', 'example.com'],
    ['localhost', 'localhost'],
    ['db_1.internal', 'db_1.internal'],
    ['example.com.', 'example.com.'],
    ['müller.example', 'xn--mller-kva.example'],
    ['xn--mller-kva.example', 'xn--mller-kva.example'],
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.007', '203.0.113.7'],
    ['0x7f.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['::', '::'],
    ['::ffff:203.0.113.7', '::ffff:cb00:7107'],
    ['https://Example.com:8443/path?x#y', 'example.com'],
    ['https://user:pass@example.com/', 'example.com'],
    ['http://[2001:db8::1]:80/', '2001:db8::1'],
    ['ftp://files.example.com/pub', 'files.example.com'],
    ['ssh://git@example.com:22', 'example.com'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('%s is stored as %s', (text, host) => {
    expect(parseTarget(text, 'ping')).toEqual({ value: host })
    expect(parseTarget(host, 'ping')).toEqual({ value: host })
  })

  it.each([
    'example.com:80',
    'example.com/path',
    'example.com?x',
    'example.com#x',
    'user@example.com',
    '203.0.113.7:80',
    '[2001:db8::1]:80',
    'fe80::1%eth0',
    '2001:db8::1::2',
    '256.1.1.1',
    '1.2.3.4.5',
    '-example.com',
    'example-.com',
    'exa..mple',
    '.',
    '*',
    'exa%mple',
    'mailto:someone@example.com',
    'https://',
    `${'a'.repeat(64)}.example`,
    `${'abcdefgh.'.repeat(28)}com`,
  ])('must be a host without a port: %s', (text) => {
    expect(parseTarget(text, 'ping')).toEqual({ errors: [expect.stringMatching(/^must be a host such as/)] })
  })
})

describe.each(['http', 'ping'] as const)('the target of type %s', (type) => {
  it.each([
    'https://example.com/a b',
    'https://exam\tple.com/',
    'https://example.com/\nx',
    'https://a\u00a0b.example/',
  ])('must not contain spaces: %j', (text) => {
    expect(parseTarget(text, type)).toEqual({ errors: ['must not contain spaces or backslashes'] })
  })
})

describe.each([
  ['tcp', 'Example.com:5432', 'example.com:5432'],
  ['tcp', 'tcp://example.com:25/', 'example.com:25'],
  ['tcp', '[2001:db8::7]:22', '[2001:db8::7]:22'],
  ['tls', 'example.com', 'example.com'],
  ['tls', 'https://example.com:443/', 'example.com'],
  ['tls', 'example.com:8443', 'example.com:8443'],
  ['tls', '2001:db8::7', '2001:db8::7'],
  ['dns', '_sip._tcp.Example.com.', '_sip._tcp.example.com'],
  ['dns', '203.0.113.7', '203.0.113.7'],
  ['dns', '2001:DB8::0007', '2001:db8::7'],
] as const)('the target of type %s', (type, text, value) => {
  it(`is normalized: ${text}`, () => {
    expect(parseTarget(text, type)).toEqual({ value })
  })
})

describe.each([
  ['tcp', 'example.com'],
  ['tcp', 'example.com:0'],
  ['tcp', 'example.com:65536'],
  ['tcp', '2001:db8::7:22'],
  ['tls', 'example.com:0'],
  ['tls', 'http://example.com'],
  ['dns', 'https://example.com'],
  ['dns', 'example.com:53'],
  ['dns', '127.1'],
  ['dns', 'fe80::1%eth0'],
] as const)('the target of type %s', (type, text) => {
  it(`is rejected: ${text}`, () => {
    expect(parseTarget(text, type)).toHaveProperty('errors')
  })
})

describe('the target of type domain', () => {
  it.each([
    ['example.com', 'example.com'],
    ['https://Example.COM/shop?x#y', 'example.com'],
    ['example.com.', 'example.com'],
    ['example.co.uk', 'example.co.uk'],
    ['müller.com', 'xn--mller-kva.com'],
    ['例子.公司.hk', 'xn--fsqu00a.xn--55qx5d.hk', 'https://rdap.example.net'],
    ['github.io', 'github.io', 'https://rdap.example.net'],
    ['example.invalid', 'example.invalid', 'https://rdap.example.net'],
  ])('is a registered domain: %s', (text, domain, rdapUrl?: string) => {
    expect(parseTarget(text, 'domain', rdapUrl)).toEqual({ value: domain })
  })

  it.each([
    ['www.example.com', 'must be the registered domain: www.example.com belongs to example.com'],
    ['a.b.example.co.uk', 'must be the registered domain: a.b.example.co.uk belongs to example.co.uk'],
    ['shop.github.io', 'must be the registered domain: shop.github.io belongs to github.io'],
    ['com', "must be a domain that can be registered: com can't"],
    ['co.uk', "must be a domain that can be registered: co.uk can't"],
    ['203.0.113.7', "must be a domain that can be registered: 203.0.113.7 can't"],
    ['localhost', "must be a domain that can be registered: localhost can't"],
    ['example.com:80', 'must be a domain such as example.com for type domain'],
    ['exa mple.com', 'must not contain spaces or backslashes'],
    ['example.de', "can't be checked: the registry of .de offers no RDAP"],
    // The RDAP server of this registry has no TLS, so the list of servers leaves it out.
    ['example.kg', "can't be checked: the registry of .kg offers no RDAP"],
    ['example.invalid', "can't be checked: the registry of .invalid offers no RDAP"],
  ])('is rejected: %s', (text, error) => {
    expect(parseTarget(text, 'domain')).toEqual({ errors: [error] })
  })
})
