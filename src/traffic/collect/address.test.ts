import { describe, expect, it } from 'vitest'
import { addressOf } from './address.ts'

const proxies = ['127.0.0.0/8', '::1/128', '10.0.0.7', '2001:db8::/32'].join('\n')
const from = (remoteAddress: string, forwarded?: string) =>
  addressOf({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } }, proxies)

describe('the address of an event', () => {
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
    ['', '198.51.100.1', ''],
  ])('of %s that forwards %s is %s', (socket, forwarded, address) => {
    expect(from(socket, forwarded)).toBe(address)
  })
})
