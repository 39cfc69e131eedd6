import { describe, expect, it } from 'vitest'
import type { DnsRecordType } from '../shared/monitors.ts'
import { dnsRecordFormats, toReverseName } from './dns-records.ts'

describe('an expected record', () => {
  it.each<[DnsRecordType, string, string]>([
    ['A', '203.0.113.7', '203.0.113.7'],
    ['AAAA', '2001:DB8:0:0::0007', '2001:db8::7'],
    ['CNAME', 'Shop.Example.NET.', 'shop.example.net'],
    ['NS', 'müller.example.', 'xn--mller-kva.example'],
    ['PTR', '_odd name', 'undefined'],
    ['MX', '010   Mail.Example.com.', '10 mail.example.com'],
    ['MX', '0 .', '0 .'],
    ['SRV', '10 60 5060 SIP.example.com.', '10 60 5060 sip.example.com'],
    [
      'SOA',
      'NS1.example.net. Hostmaster.example.com. 7 7200 3600 1209600 60',
      'ns1.example.net hostmaster.example.com 7 7200 3600 1209600 60',
    ],
    ['CAA', '0 ISSUE letsencrypt.org', '0 issue "letsencrypt.org"'],
    ['CAA', '128 issuewild "ca.example; x=1"', '128 issuewild "ca.example; x=1"'],
    ['TXT', 'v=spf1 include:Example.com -all', 'v=spf1 include:Example.com -all'],
    ['TXT', '"v=DKIM1; p=abc" "def"', 'v=DKIM1; p=abcdef'],
    ['TXT', '"say \\"hi\\""', 'say "hi"'],
    ['TXT', 'a "quoted" word', 'a "quoted" word'],
  ])('of type %s with the value %s is compared as %s', (type, text, expected) => {
    expect(String(dnsRecordFormats[type].normalize(text))).toBe(expected)
  })

  it.each<[DnsRecordType, string]>([
    ['A', '2001:db8::7'],
    ['A', 'example.com'],
    ['AAAA', '203.0.113.7'],
    ['AAAA', 'fe80::1%eth0'],
    ['CNAME', ''],
    ['MX', 'mail.example.com'],
    ['MX', '10'],
    ['SRV', '10 60 sip.example.com'],
    ['SOA', 'ns1.example.net hostmaster.example.com 7'],
    ['CAA', 'letsencrypt.org'],
    ['CAA', '256 issue ca.example'],
  ])('of type %s cannot be %j', (type, text) => {
    expect(dnsRecordFormats[type].normalize(text)).toBeUndefined()
  })

  it('has an example in the format in which records are compared', () => {
    for (const { normalize, example } of Object.values(dnsRecordFormats)) expect(normalize(example)).toBe(example)
  })
})

it('the reverse name of an address is the name of its PTR record', () => {
  expect(toReverseName('203.0.113.7')).toBe('7.113.0.203.in-addr.arpa')
  expect(toReverseName('2001:db8::7')).toBe('7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa')
})
