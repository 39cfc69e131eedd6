import { describe, expect, it } from 'vitest'
import { defaultHttpSettings } from '../monitors/http-schema.ts'
import { defaultOptions } from '../monitors/option-schemas.ts'
import { countUnrelated, toNetworkGroup } from './network-groups.ts'
import type { Target } from './probes/probe.ts'

const groupOf = (url: string, address: string | null = null) =>
  toNetworkGroup({ type: 'http', url, teamId: 1, timeoutMs: 1_000, http: defaultHttpSettings }, address)

describe('network groups', () => {
  it('join hosts of one domain', () => {
    expect(countUnrelated([groupOf('https://shop.example.co.uk/'), groupOf('https://www.example.co.uk/a')])).toBe(1)
  })

  it('join different domains at one address', () => {
    const hosts = ['one.example', 'two.example', 'three.example']
    expect(countUnrelated(hosts.map((host) => groupOf(`https://${host}/`, '203.0.113.7')))).toBe(1)
  })

  it('join addresses of one network', () => {
    expect(countUnrelated([groupOf('http://203.0.113.7/'), groupOf('http://203.0.113.9:81/')])).toBe(1)
    expect(countUnrelated([groupOf('http://[2001:db8:1::7]/'), groupOf('http://[2001:db8:1:5::9]/')])).toBe(1)
  })

  it('separate hosts that share neither domain nor network', () => {
    const groups = [
      groupOf('https://one.example/'),
      groupOf('https://two.test/', '198.51.100.1'),
      groupOf('http://203.0.113.7/'),
    ]
    expect(countUnrelated(groups)).toBe(3)
  })

  it('join the DNS names that one server is asked about, and ports of one host', () => {
    const createDnsTarget = (url: string, resolver: string | null): Target => ({
      type: 'dns',
      url,
      timeoutMs: 1_000,
      dns: { ...defaultOptions.dns, resolver },
    })
    const toGroups = (resolvers: (string | null)[], address: string | null = null) =>
      resolvers.map((resolver, n) => toNetworkGroup(createDnsTarget(`host-${n}.example`, resolver), address))
    expect(countUnrelated(toGroups(['9.9.9.9', '9.9.9.9:53', '[2620:fe::fe]:53']))).toBe(2)
    expect(countUnrelated(toGroups([null, null], '10.0.0.2'))).toBe(1)
    const tcpGroups = ['shop.example:25', 'mail.shop.example:143'].map((url) =>
      toNetworkGroup({ type: 'tcp', url, timeoutMs: 1_000, tcp: defaultOptions.tcp }, null),
    )
    expect(countUnrelated(tcpGroups)).toBe(1)
  })

  it('separate the customers of a hosting provider', () => {
    expect(countUnrelated([groupOf('https://ada.github.io/'), groupOf('https://bob.github.io/')])).toBe(2)
  })
})
