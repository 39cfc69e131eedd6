/** The records that checks of type dns find and compare. */
import type { Answer } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import type { DnsOptions } from '../../src/monitors/option-schemas.ts'
import { startNameServer } from '../support/name-server.ts'
import { checkDns, type DnsSettings, toAddressRecords } from './dns-support.ts'

const name = 'example.com'

describe('records', () => {
  it('of any content are enough if no records are expected, and the result lists the records', async () => {
    const { serverAddress } = await startNameServer(() => ({ answers: toAddressRecords('203.0.113.8', '203.0.113.7') }))
    expect(await checkDns('example.com', { resolver: serverAddress })).toMatchObject({
      failure: null,
      note: 'A: 203.0.113.7, 203.0.113.8',
      responded: true,
      responseMs: expect.any(Number),
      timings: { dnsMs: expect.any(Number), connectMs: null, tlsMs: null, firstByteMs: null },
      address: '127.0.0.1',
    })
  })

  it.each([
    ['any', ['203.0.113.7', '203.0.113.1'], null],
    ['any', ['203.0.113.1'], 'A records are 203.0.113.7, 203.0.113.8, expected 203.0.113.1'],
    [
      'any',
      ['203.0.113.1', '203.0.113.2'],
      'A records are 203.0.113.7, 203.0.113.8, expected one of 203.0.113.1, 203.0.113.2',
    ],
    ['all', ['203.0.113.7'], null],
    [
      'all',
      ['203.0.113.7', '203.0.113.1'],
      'A records are 203.0.113.7, 203.0.113.8, expected all of 203.0.113.7, 203.0.113.1',
    ],
    ['exact', ['203.0.113.8', '203.0.113.7'], null],
    ['exact', ['203.0.113.7'], 'A records are 203.0.113.7, 203.0.113.8, expected exactly 203.0.113.7'],
  ] as const)('are compared with %s of the expected records %j: %s', async (match, expected, detail) => {
    const { serverAddress } = await startNameServer(() => ({ answers: toAddressRecords('203.0.113.7', '203.0.113.8') }))
    const { failure } = await checkDns('example.com', { resolver: serverAddress, match, expected: [...expected] })
    expect(failure).toEqual(detail === null ? null : { cause: 'dns', detail })
  })

  it.each<[Answer, string]>([
    [{ type: 'AAAA', name, data: '2001:db8:0:0:0:0:0:7' }, '2001:db8::7'],
    [{ type: 'CNAME', name, data: 'Shop.Example.NET' }, 'shop.example.net'],
    [{ type: 'MX', name, data: { preference: 10, exchange: 'Mail.example.com' } }, '10 mail.example.com'],
    [{ type: 'NS', name, data: 'NS1.example.net' }, 'ns1.example.net'],
    [{ type: 'TXT', name, data: ['v=DKIM1; p=', Buffer.from('abcÄ')] }, 'v=DKIM1; p=abcÄ'],
    [
      {
        type: 'SOA',
        name,
        data: {
          mname: 'NS1.example.net',
          rname: 'Hostmaster.example.com',
          serial: 2026010501,
          refresh: 7200,
          retry: 3600,
          expire: 1209600,
          minimum: 60,
        },
      },
      'ns1.example.net hostmaster.example.com 2026010501 7200 3600 1209600 60',
    ],
    [{ type: 'CAA', name, data: { flags: 0, tag: 'issue', value: 'letsencrypt.org' } }, '0 issue "letsencrypt.org"'],
    [
      { type: 'SRV', name, data: { priority: 10, weight: 60, port: 5060, target: 'SIP.example.com' } },
      '10 60 5060 sip.example.com',
    ],
  ])('of each type are compared as text: %j', async (answer, text) => {
    const { serverAddress } = await startNameServer(() => ({ answers: [answer] }))
    const record = answer.type as DnsOptions['record']
    expect(
      (await checkDns('example.com', { resolver: serverAddress, record, expected: [text], match: 'exact' })).failure,
    ).toBeNull()
  })

  it('of an IP address are found under its reverse name', async () => {
    const { serverAddress, queries } = await startNameServer(({ name }) => ({
      answers: [{ type: 'PTR', name, data: 'mail.example.com' }],
    }))
    const settings: DnsSettings = { resolver: serverAddress, record: 'PTR', expected: ['mail.example.com'] }
    expect((await checkDns('203.0.113.7', settings)).failure).toBeNull()
    expect(queries).toMatchObject([{ name: '7.113.0.203.in-addr.arpa', type: 'PTR' }])
  })

  it('of names that the aliases lead to count, but records of other names do not', async () => {
    const { serverAddress } = await startNameServer(() => ({
      answers: [
        { type: 'A', name: 'evil.example', data: '203.0.113.66' },
        { type: 'CNAME', name: 'Example.COM', data: 'a.example.net' },
        { type: 'CNAME', name: 'a.example.net', data: 'b.example.net' },
        { type: 'A', name: 'B.example.net', data: '203.0.113.7' },
      ],
    }))
    expect((await checkDns('example.com', { resolver: serverAddress })).note).toBe('A: 203.0.113.7')
  })

  it('are missing if the aliases form a loop or lead nowhere', async () => {
    const { serverAddress } = await startNameServer(() => ({
      answers: [
        { type: 'CNAME', name, data: 'a.example.net' },
        { type: 'CNAME', name: 'a.example.net', data: name },
      ],
    }))
    expect((await checkDns('example.com', { resolver: serverAddress })).failure?.detail).toBe(
      'example.com has no A records',
    )
  })

  it('that contain control characters are stored without them', async () => {
    const { serverAddress } = await startNameServer(() => ({ answers: [{ type: 'TXT', name, data: ['a\0b\nc'] }] }))
    expect((await checkDns('example.com', { resolver: serverAddress, record: 'TXT' })).note).toBe('TXT: a b c')
  })
})
