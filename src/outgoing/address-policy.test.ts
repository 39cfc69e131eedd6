import { describe, expect, it } from 'vitest'
import { AddressPolicy } from './address-policy.ts'
import { NO_PRIVATE_TARGETS, parsePrivateTargets } from './private-targets.ts'

const strictPolicy = new AddressPolicy(NO_PRIVATE_TARGETS)
const policyAllowing = (text: string) => new AddressPolicy(parsePrivateTargets(text))

const metadataServiceRefusal = 'the address of a cloud metadata service'

describe('an IPv4 address', () => {
  it.each([
    ['a reserved address', '0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
    ['a private address', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['a private address', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['a loopback address', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['a link-local address', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['a private address', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['a reserved address', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['a reserved address', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['a reserved address', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['a private address', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['a reserved address', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['a reserved address', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['a reserved address', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['a multicast address', '224.0.0.0', '239.255.255.255', '223.255.255.255', undefined],
    ['a reserved address', '240.0.0.0', '255.255.255.255', undefined, undefined],
  ])('is %s from %s to %s and not beyond', (kind, first, last, before, after) => {
    expect([first, last].map((address) => strictPolicy.findRefusal(address))).toEqual([kind, kind])
    for (const neighbour of [before, after]) if (neighbour) expect(strictPolicy.findRefusal(neighbour)).toBeUndefined()
  })
})

describe('an IPv6 address', () => {
  const lastAddressWithPrefix = (prefix: string) => `${prefix}${':ffff'.repeat(8 - prefix.split(':').length)}`
  it.each([
    ['a reserved address', '::', '::', undefined, undefined],
    ['a loopback address', '::1', '::1', undefined, undefined],
    ['a reserved address', '::2', lastAddressWithPrefix('1fff'), undefined, '2000::'],
    ['a reserved address', '2001::', lastAddressWithPrefix('2001:1ff'), lastAddressWithPrefix('2000'), '2001:200::'],
    [
      'a reserved address',
      '2001:db8::',
      lastAddressWithPrefix('2001:db8'),
      lastAddressWithPrefix('2001:db7'),
      '2001:db9::',
    ],
    ['a reserved address', '3fff::', lastAddressWithPrefix('3fff:fff'), lastAddressWithPrefix('3ffe'), '3fff:1000::'],
    ['a reserved address', '4000::', lastAddressWithPrefix('fbff'), lastAddressWithPrefix('3fff'), undefined],
    ['a private address', 'fc00::', lastAddressWithPrefix('fdff'), undefined, undefined],
    ['a reserved address', 'fe00::', lastAddressWithPrefix('fe7f'), undefined, undefined],
    ['a link-local address', 'fe80::', lastAddressWithPrefix('febf'), undefined, undefined],
    ['a private address', 'fec0::', lastAddressWithPrefix('feff'), undefined, undefined],
    ['a multicast address', 'ff00::', lastAddressWithPrefix('ffff'), undefined, undefined],
  ])('is %s from %s to %s and not beyond', (kind, first, last, before, after) => {
    expect([first, last].map((address) => strictPolicy.findRefusal(address))).toEqual([kind, kind])
    for (const neighbour of [before, after]) if (neighbour) expect(strictPolicy.findRefusal(neighbour)).toBeUndefined()
  })

  it.each([
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:1f:ffff::',
    '2001:20::1',
    '2001:2f:ffff::',
    '100::1',
    '5f00::1',
  ])('is reserved at %s', (address) => expect(strictPolicy.findRefusal(address)).toBe('a reserved address'))

  it.each(['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2400:cb00::1'])('is public at %s', (address) =>
    expect(strictPolicy.findRefusal(address)).toBeUndefined(),
  )

  it('is recognised in every notation', () => {
    const spellings = ['0:0:0:0:0:0:0:1', '0000::0001', '::0.0.0.1', '::1%lo', '::1%1']
    expect(spellings.map((address) => strictPolicy.findRefusal(address))).toEqual(
      spellings.map(() => 'a loopback address'),
    )
    expect(strictPolicy.findRefusal('FE80::1%eth0')).toBe('a link-local address')
    expect(strictPolicy.findRefusal('::ffff:127.0.0.1%eth0')).toBe('a loopback address')
  })
})

describe('IPv4 in IPv6', () => {
  it.each([
    ['mapped', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
    ['mapped, in hexadecimal', '::ffff:a00:1', '::ffff:808:808'],
    ['mapped, written out', '0:0:0:0:0:ffff:a00:1', '0:0:0:0:0:ffff:808:808'],
    ['translated', '::ffff:0:10.0.0.1', '::ffff:0:8.8.8.8'],
    ['behind NAT64', '64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8'],
    ['behind 6to4', '2002:a00:1::1', '2002:808:808::1'],
  ])('is judged by the embedded address when it is %s', (_, privateAddress, publicAddress) => {
    expect(strictPolicy.findRefusal(privateAddress)).toBe('a private address')
    expect(strictPolicy.findRefusal(publicAddress)).toBeUndefined()
    expect(policyAllowing('10.0.0.0/8').findRefusal(privateAddress)).toBeUndefined()
    expect(policyAllowing('10.0.0.2').findRefusal(privateAddress)).toBe('a private address')
  })

  it.each(['::8.8.8.8', '::808:808', '64:ff9b:1::8.8.8.8', '64:ff9b:1:ffff::808:808', '64:ff9b:0:1::808:808'])(
    'is reserved at %s, whatever the embedded address is',
    (address) => expect(strictPolicy.findRefusal(address)).toBe('a reserved address'),
  )
})

describe('text that is not an address', () => {
  it.each(['', 'localhost', '127.1', '0x7f.1', '2130706433', '0177.0.0.1', '8.8.8.8 ', '[::1]', '8.8.8.8/32', '::1%'])(
    'is refused: "%s"',
    (text) => {
      expect(strictPolicy.findRefusal(text)).toBe('an unknown kind of address')
      expect(policyAllowing('allow').findRefusal(text)).toBe('an unknown kind of address')
    },
  )
})

describe('an operator', () => {
  it.each(['127.0.0.1', '10.1.2.3', '224.0.0.1', '255.255.255.255', '0.0.0.0', '::', '::1', 'fe80::1%eth0', 'ff02::1'])(
    'allows %s with `allow`',
    (address) => expect(policyAllowing('allow').findRefusal(address)).toBeUndefined(),
  )

  it('allows ranges, and nothing outside them', () => {
    const policy = policyAllowing('10.1.0.0/16, 192.168.7.7, fd12:3456::/32, fe80::/10')
    for (const address of ['10.1.0.0', '10.1.255.255', '192.168.7.7', 'fd12:3456::1', 'fe80::1%eth0', '8.8.8.8'])
      expect(policy.findRefusal(address), address).toBeUndefined()
    for (const address of ['10.0.255.255', '10.2.0.0', '192.168.7.8', 'fd12:3457::1', '127.0.0.1'])
      expect(policy.findRefusal(address), address).toBeDefined()
  })

  it('can write an IPv4 range in IPv4-mapped form', () => {
    const policy = policyAllowing('::ffff:10.0.0.0/104')
    expect(policy.findRefusal('10.255.255.255')).toBeUndefined()
    expect(policy.findRefusal('11.0.0.0')).toBeUndefined()
    expect(policy.findRefusal('127.0.0.1')).toBeDefined()
  })

  it('does not allow IPv4 with an IPv6 range, nor the reverse', () => {
    expect(policyAllowing('::/0').findRefusal('::1')).toBeUndefined()
    expect(policyAllowing('::/0').findRefusal('::ffff:10.0.0.1')).toBe('a private address')
    expect(policyAllowing('::/0').findRefusal('10.0.0.1')).toBe('a private address')
    expect(policyAllowing('0.0.0.0/0').findRefusal('10.0.0.1')).toBeUndefined()
    expect(policyAllowing('0.0.0.0/0').findRefusal('::1')).toBe('a loopback address')
  })
})

describe('a metadata service', () => {
  const addresses = ['169.254.169.254', '169.254.170.2', '169.254.170.23', '100.100.100.200', '168.63.129.16']
  const allAddresses = [...addresses, '192.0.0.192', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fe80::a9fe:a9fe']

  it.each(allAddresses)('at %s is allowed only if listed as a single address', (address) => {
    const length = address.includes(':') ? 128 : 32
    for (const targets of ['allow', '0.0.0.0/0, ::/0', `${address}/${length - 1}`, `allow, ${address}/${length - 1}`])
      expect(policyAllowing(targets).findRefusal(address), targets).toBe(metadataServiceRefusal)
    expect(strictPolicy.findRefusal(address)).toBe(metadataServiceRefusal)
    expect(policyAllowing(address).findRefusal(address)).toBeUndefined()
    expect(policyAllowing(`${address}/${length}`).findRefusal(address)).toBeUndefined()
  })

  it.each(['::ffff:169.254.169.254', '::ffff:0:169.254.169.254', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::1'])(
    'is recognised at %s, too',
    (address) => {
      expect(strictPolicy.findRefusal(address)).toBe(metadataServiceRefusal)
      expect(policyAllowing('allow, 0.0.0.0/0, ::/0').findRefusal(address)).toBe(metadataServiceRefusal)
      expect(policyAllowing('169.254.169.254').findRefusal(address)).toBeUndefined()
      expect(policyAllowing(address).findRefusal(address)).toBeUndefined()
    },
  )

  it('does not affect neighbouring addresses', () => {
    expect(strictPolicy.findRefusal('168.63.129.15')).toBeUndefined()
    expect(strictPolicy.findRefusal('168.63.129.17')).toBeUndefined()
    expect(strictPolicy.findRefusal('169.254.169.253')).toBe('a link-local address')
  })
})
