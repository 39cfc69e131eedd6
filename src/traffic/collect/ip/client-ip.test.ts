import { describe, expect, it } from 'vitest'
import { resolveClientIp } from './client-ip.ts'

const proxies = ['127.0.0.0/8', '::1/128', '10.0.0.7', '2001:db8::/32'].join('\n')
const resolve = (remoteAddress: string, forwarded?: string) =>
  resolveClientIp({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } }, proxies)

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
