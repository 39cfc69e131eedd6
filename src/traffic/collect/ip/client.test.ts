import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { resolveClientIp } from './client.ts'

const proxies = ['127.0.0.0/8', '::1/128', '10.0.0.7', '2001:db8::/32'].join('\n')
const resolveFrom = (clientAddressHeader: string, remoteAddress: string, headers: IncomingHttpHeaders) =>
  resolveClientIp({ headers, socket: { remoteAddress } }, { trustedProxies: proxies, clientAddressHeader })
const resolve = (remoteAddress: string, forwarded?: string) =>
  resolveFrom('x-forwarded-for', remoteAddress, { 'x-forwarded-for': forwarded })

describe('resolveClientIp', () => {
  it.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['fe80::1%eth0', undefined, 'fe80::1'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::1', '2a02:8100::1', '2a02:8100::1'],
    ['127.0.0.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['127.0.0.1', '198.51.100.1,10.0.0.7 , 2001:db8::5', '198.51.100.1'],
    ['127.0.0.1', '10.0.0.7', '10.0.0.7'],
    ['127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1:1234', '198.51.100.1'],
    ['127.0.0.1', '[2a02:8100::1]:443', '2a02:8100::1'],
    ['127.0.0.1', '[2a02:8100::1]', '2a02:8100::1'],
    ['127.0.0.1', '"198.51.100.1", "127.0.0.1:80"', '198.51.100.1'],
    ['', '198.51.100.1', ''],
  ])('socket %s with X-Forwarded-For %s gives %s', (socket, forwarded, address) => {
    expect(resolve(socket, forwarded)).toBe(address)
  })
})

describe('the header that proxies set', () => {
  const allHeaders = {
    'x-forwarded-for': '198.51.100.1',
    forwarded: 'for=198.51.100.2',
    'cf-connecting-ip': '198.51.100.3',
    'x-real-ip': '198.51.100.4',
  }

  it.each(Object.entries(allHeaders))('is the only one that counts: %s', (header, value) => {
    expect(resolveFrom(header, '127.0.0.1', allHeaders)).toBe(value.replace('for=', ''))
    expect(resolveFrom(header, '203.0.113.9', allHeaders)).toBe('203.0.113.9')
    expect(resolveFrom(header, '127.0.0.1', { ...allHeaders, [header]: undefined })).toBe('127.0.0.1')
  })

  it.each([
    ['for=198.51.100.1', '198.51.100.1'],
    ['For="198.51.100.1:4711"', '198.51.100.1'],
    ['for="[2a02:8100::1]:443";proto=https;by=203.0.113.43', '2a02:8100::1'],
    ['proto=https; for=198.51.100.1', '198.51.100.1'],
    ['for=198.51.100.1, for=203.0.113.9;proto=http', '203.0.113.9'],
    ['for=198.51.100.1, for=10.0.0.7', '198.51.100.1'],
    ['for=198.51.100.1, for=unknown', '127.0.0.1'],
    ['for=198.51.100.1, for=_hidden', '127.0.0.1'],
    ['for=198.51.100.1, proto=https', '127.0.0.1'],
    ['xfor=198.51.100.1', '127.0.0.1'],
    ['for="198.51.100.1', '127.0.0.1'],
    ['198.51.100.1', '127.0.0.1'],
  ])('can be Forwarded: %s', (value, address) => {
    expect(resolveFrom('forwarded', '127.0.0.1', { forwarded: value })).toBe(address)
  })

  it('may list an address that the client sent before the address that the proxy added', () => {
    expect(resolveFrom('x-real-ip', '127.0.0.1', { 'x-real-ip': '198.51.100.1, 203.0.113.9' })).toBe('203.0.113.9')
  })
})
