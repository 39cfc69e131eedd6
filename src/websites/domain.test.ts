import { describe, expect, it } from 'vitest'
import { parseDomain, parseNewDomain } from './domain.ts'

function parseValidDomain(text: string): string {
  const result = parseDomain(text)
  if ('errors' in result) throw new Error(result.errors.join())
  return result.value.domain
}

const longestDomain = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`

describe('a domain', () => {
  it.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.Com', 'example.com'],
    ['  example.com\n', 'example.com'],
    ['www.example.com', 'example.com'],
    ['WWW.example.com', 'example.com'],
    ['www.www.example.com', 'example.com'],
    ['www2.example.com', 'www2.example.com'],
    ['example.com.', 'example.com'],
    ['www.example.com.', 'example.com'],
    ['example.com:8080', 'example.com'],
    ['example.com/path?query#part', 'example.com'],
    ['//example.com/path', 'example.com'],
    ['https://www.example.com:8443/a/b?c=d@e#f', 'example.com'],
    ['HTTP://EXAMPLE.COM', 'example.com'],
    ['https://ada:secret@example.com/', 'example.com'],
    ['example.com/ada@example.org', 'example.com'],
    ['sub.domain.example.co.uk', 'sub.domain.example.co.uk'],
    ['müller.de', 'xn--mller-kva.de'],
    ['MÜLLER.de', 'xn--mller-kva.de'],
    ['mu\u0308ller.de', 'xn--mller-kva.de'],
    ['xn--mller-kva.de', 'xn--mller-kva.de'],
    ['https://www.münchen。de/straße', 'xn--mnchen-3ya.de'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['localhost', 'localhost'],
    ['www.localhost:3000', 'localhost'],
    ['shop.localhost', 'shop.localhost'],
    ['intranet.local', 'intranet.local'],
    ['www.com', 'www.com'],
    ['www.co.uk', 'www.co.uk'],
    ['github.io', 'github.io'],
    ['ada.github.io', 'ada.github.io'],
    ['1and1.com', '1and1.com'],
    ['a-b.c--d.com', 'a-b.c--d.com'],
    [longestDomain, longestDomain],
    [`www.${longestDomain}`, longestDomain],
  ])('%s is stored as %s', (text, domain) => {
    expect(parseValidDomain(text)).toBe(domain)
  })

  it.each([
    ['', 'must not be empty'],
    ['   ', 'must not be empty'],
    ['exam ple.com', 'must not contain spaces'],
    ['exam\tple.com', 'must not contain spaces'],
    ['example.com example.org', 'must not contain spaces'],
    ['192.0.2.1', 'must be a name, not an IP address'],
    ['http://192.0.2.1:80/', 'must be a name, not an IP address'],
    ['192.0.2.1.', 'must be a name, not an IP address'],
    ['0x7f.1', 'must be a name, not an IP address'],
    ['2130706433', 'must be a name, not an IP address'],
    ['::1', 'must be a name, not an IP address'],
    ['[2001:db8::1]:443', 'must be a name, not an IP address'],
    ['https://[2001:db8::1]/', 'must be a name, not an IP address'],
    ['example', 'must have at least two parts, such as example.com'],
    ['com', 'must have at least two parts, such as example.com'],
    ['co.uk', 'must not be a public suffix; add a name before it'],
    ['www.ck', undefined],
    ['foo.ck', 'must not be a public suffix; add a name before it'],
    ['.example.com', 'must be a domain such as example.com, with letters, digits and hyphens'],
    ['example..com', 'must be a domain such as example.com, with letters, digits and hyphens'],
    ['example.com..', 'must be a domain such as example.com, with letters, digits and hyphens'],
    ['-example.com', 'must be a domain such as example.com, with letters, digits and hyphens'],
    ['example-.com', 'must be a domain such as example.com, with letters, digits and hyphens'],
    ['exam_ple.com', 'must be a domain such as example.com, with letters, digits and hyphens'],
    ['*.example.com', 'must be a domain such as example.com, with letters, digits and hyphens'],
    ['xn--a.com', 'must be a domain such as example.com, with letters, digits and hyphens'],
    ['example.123', 'must be a domain such as example.com'],
    ['example.com:99999', 'must be a domain such as example.com'],
    ['ada@example.com', 'must be a domain such as example.com'],
    ['mailto:ada@example.com', 'must be a domain such as example.com'],
    ['https://', 'must be a domain such as example.com'],
    ['ftp://example.com', 'must be a domain, or an http or https URL'],
    ['https:/example.com', 'must be a domain, or an http or https URL'],
    ['http:\\\\example.com', 'must be a domain, or an http or https URL'],
    [`d${longestDomain}`, 'must have at most 253 characters'],
    [`${'a'.repeat(64)}.com`, 'must have at most 63 characters between two dots'],
  ])('%s has the error: %s', (text, error) => {
    const result = parseDomain(text)
    expect('errors' in result ? result.errors : undefined).toEqual(error && [error])
  })

  it('stays the same when parsed again', () => {
    for (const text of ['www.www.example.com', 'https://www.müller.de/', 'www.com', longestDomain]) {
      expect(parseValidDomain(parseValidDomain(text))).toBe(parseValidDomain(text))
    }
  })

  it('also has its Unicode form if that differs', () => {
    expect(parseDomain('www.MÜLLER.de')).toEqual({ value: { domain: 'xn--mller-kva.de', unicode: 'müller.de' } })
    expect(parseDomain('example.com')).toEqual({ value: { domain: 'example.com', unicode: null } })
  })
})

describe('the domain of a new website', () => {
  it.each([
    ...[
      'robots.txt',
      'favicon.ico',
      'index.html',
      'sitemap.xml',
      'security.txt',
      'manifest.json',
      'ads.txt',
      'humans.txt',
    ],
    ...[
      'apple-touch-icon.png',
      'b.js',
      'openapi.json',
      'service-worker.js',
      'site.webmanifest',
      'wp-login.php',
      'icon.svg',
    ],
    ...['www.robots.txt', 'ROBOTS.TXT.', 'http://sitemap.xml.gz/', 'web.config', 'main.css', 'feed.rss'],
  ])('must not be the file name %s', (text) => {
    const result = parseNewDomain(text)
    expect('errors' in result && result.errors[0]).toMatch(
      /^must be a domain such as example.com, not a file name: \.[a-z]+ is not a top-level domain$/,
    )
  })

  it.each([
    // These extensions are top-level domains, too.
    ...['example.zip', 'example.mov', 'install.sh', 'script.py', 'readme.md', 'main.rs', 'example.app', 'source.map'],
    ...[
      'js.org',
      'json.org',
      'txt.example.com',
      'robots.txt.example.com',
      'intranet.local',
      'html.localhost',
      'localhost',
    ],
  ])('can be %s', (text) => {
    expect(parseNewDomain(text)).toMatchObject({ value: { domain: text } })
  })

  it('follows all other rules of a domain', () => {
    expect(parseNewDomain('co.uk')).toEqual({ errors: ['must not be a public suffix; add a name before it'] })
  })
})
