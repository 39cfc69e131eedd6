import { describe, expect, it } from 'vitest'
import { parseExcludedIps, parseIgnoredParams } from './exclusions.ts'

const listNumbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('the list of ignored URL parameters', () => {
  it.each([
    [null, null],
    ['', null],
    [' \n\r\n\t\n', null],
    ['utm_source', 'utm_source'],
    ['utm_source\nutm_medium\n', 'utm_source\nutm_medium'],
    ['\r\nutm_source\r\n\r\n  utm_medium  \rref', 'utm_source\nutm_medium\nref'],
    ['b\na\nb\na', 'b\na'],
    ['Ref\nref', 'Ref\nref'],
    ['utm_*', 'utm_*'],
    ['*', '*'],
    ['&', '&'],
    ['filter[color]\nq-1\nå', 'filter[color]\nq-1\nå'],
    ['x'.repeat(200), 'x'.repeat(200)],
    [listNumbers(100).join('\n\n'), listNumbers(100).join('\n')],
    [
      listNumbers(300)
        .map((n) => n % 100)
        .join('\n'),
      listNumbers(100).join('\n'),
    ],
  ])('%j is stored as %j', (text, value) => {
    expect(parseIgnoredParams(text)).toEqual({ value })
  })

  it.each(['a*b', '**', '*a', 'a b', 'a=b', 'a&b', '?a', '#a', '=', 'x'.repeat(201)])('cannot contain %s', (line) => {
    expect(parseIgnoredParams(`good\n\n${line}\nfine`)).toEqual({
      errors: ['line 3 is not a parameter name such as ref or utm_*, or * for all parameters'],
    })
  })

  it('has at most 100 lines', () => {
    expect(parseIgnoredParams(listNumbers(101).join('\n'))).toEqual({ errors: ['must have at most 100 lines'] })
    expect(parseIgnoredParams('bad line\n'.repeat(100_000))).toEqual({ errors: ['must have at most 100 lines'] })
  })
})

describe('the list of excluded IPs', () => {
  it.each([
    [null, null],
    ['\r\n', null],
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['10.1.2.3/9', '10.0.0.0/9'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:0db8:0000::0001/128', '2001:db8::1'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
    ['2001:db8::1:0:0:1', '2001:db8::1:0:0:1'],
    ['::/0', '::/0'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107/120', '203.0.113.0/24'],
    ['::ffff:0:0/64', '::/64'],
    ['::1.2.3.4', '::102:304'],
    ['::1.2.3.4/120', '::102:300/120'],
    ['::0.0.0.0/96', '::/96'],
    ['2001:db8::192.0.2.1', '2001:db8::c000:201'],
    ['203.0.113.7\n203.0.113.7/32\n::ffff:203.0.113.7', '203.0.113.7'],
  ])('%j is stored as %j', (text, value) => {
    expect(parseExcludedIps(text)).toEqual({ value })
  })

  it.each([
    '203.0.113',
    '203.0.113.256',
    '203.0.113.07',
    '203.0.113.*',
    '203.0.113.1-9',
    '203.0.113.0/33',
    '203.0.113.0/',
    '203.0.113.0/024',
    '203.0.113.0/24/8',
    '203.0.113.0/255.255.255.0',
    '2001:db8::/129',
    '2001:db8:::1',
    'fe80::1%eth0',
    'example.com',
  ])('cannot contain %s', (line) => {
    expect(parseExcludedIps(`192.0.2.1\r\n${line}`)).toEqual({
      errors: ['line 2 is not an IP address or CIDR range'],
    })
  })

  it('reports every invalid line', () => {
    const result = parseExcludedIps('one\n192.0.2.1\n\ntwo')
    expect('errors' in result && result.errors.map((error) => /line \d/.exec(error)?.[0])).toEqual(['line 1', 'line 4'])
  })

  it('has at most 100 lines', () => {
    expect(
      parseExcludedIps(
        listNumbers(101)
          .map((n) => `10.0.0.${n}`)
          .join('\n'),
      ),
    ).toEqual({
      errors: ['must have at most 100 lines'],
    })
  })
})
