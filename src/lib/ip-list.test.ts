import { describe, expect, it } from 'vitest'
import { parseExcludedIps } from '../websites/exclusions.ts'
import { ipListIncludes } from './ip-list.ts'

describe('a list of excluded addresses', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['203.0.113.7', '::FFFF:cb00:7107'],
    ['203.0.113.7', '0:0:0:0:0:ffff:cb00:7107'],
    ['203.0.113.7', '0000:0000:0000:0000:0000:ffff:203.0.113.7'],
    ['198.51.100.1\n203.0.113.0/24', '203.0.113.255'],
    ['0.0.0.0/0', '203.0.113.7'],
    ['::ffff:203.0.113.0/120', '203.0.113.9'],
    ['2001:db8::1', '2001:DB8:0:0::1'],
    ['2001:db8::/32', '2001:db8:ffff::'],
    ['fe80::1', 'fe80::1%eth0'],
    ['::/0', '2001:db8::1'],
  ])('%j excludes %s', (list, address) => {
    expect(ipListIncludes(toStoredList(list), address)).toBe(true)
  })

  it.each([
    [null, '203.0.113.7'],
    ['203.0.113.7', '203.0.113.70'],
    ['203.0.113.0/24', '203.0.114.1'],
    ['203.0.113.0/24', '2001:db8::1'],
    ['0.0.0.0/0', '2001:db8::1'],
    ['::/0', '203.0.113.7'],
    ['::/0', '::ffff:203.0.113.7'],
    ['2001:db8::/33', '2001:db8:8000::1'],
    ['203.0.113.7', '::203.0.113.7'],
    ['203.0.113.7', ''],
    ['203.0.113.7', '203.0.113.7 '],
    ['203.0.113.7', '203.0.113.007'],
    ['0.0.0.0/0\n::/0', 'unknown'],
    ['0.0.0.0/0\n::/0', '%'.repeat(100_000)],
  ])('%j does not exclude %.60s', (list, address) => {
    expect(ipListIncludes(list === null ? null : toStoredList(list), address)).toBe(false)
  })

  it.each(['', '\n', '/', 'x', '1.2.3.4/33', '::/129', '::/-1', '1.2.3.4/x', '\ud800'])(
    'that is not valid (%j) excludes no address',
    (list) => {
      expect(ipListIncludes(list, '1.2.3.4')).toBe(false)
      expect(ipListIncludes(list, '::1')).toBe(false)
    },
  )

  it('can have 100 lines', () => {
    const list = Array.from({ length: 100 }, (_, n) => `10.${n}.0.0/16`).join('\n')
    expect(ipListIncludes(list, '10.99.1.2')).toBe(true)
    expect(ipListIncludes(list, '10.100.1.2')).toBe(false)
  })
})

/** Converts the list to the form in which a website stores it. */
function toStoredList(list: string): string | null {
  const parsed = parseExcludedIps(list)
  if ('errors' in parsed) throw new Error(parsed.errors.join())
  return parsed.value
}
