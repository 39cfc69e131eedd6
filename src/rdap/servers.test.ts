import { describe, expect, it } from 'vitest'
import { findRdapServer } from './servers.ts'

describe('the RDAP server of a domain', () => {
  it.each([
    ['example.com', 'https://rdap.verisign.com/com/v1/'],
    ['example.co.uk', 'https://rdap.nominet.uk/uk/'],
    ['example.cz', 'https://rdap.nic.cz/'],
    ['example.shop', 'https://rdap.gmoregistry.net/rdap/'],
    ['example.xn--p1acf', 'https://rdap.nic.xn--p1acf/'],
    ['example.invalid', undefined],
    ['example.constructor', undefined],
  ])('is the server of its registry: %s', (domain, server) => {
    expect(findRdapServer(domain, undefined)).toBe(server)
  })

  it('is the server that the operator has set, if there is one', () => {
    expect(findRdapServer('example.com', 'https://rdap.example.net/all')).toBe('https://rdap.example.net/all/')
    expect(findRdapServer('example.invalid', 'https://rdap.example.net')).toBe('https://rdap.example.net/')
  })
})
