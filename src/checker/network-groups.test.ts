import { describe, expect, it } from 'vitest'
import { defaultHttpSettings } from '../monitors/http-schema.ts'
import { countUnrelated, toNetworkGroup } from './network-groups.ts'

const groupOf = (url: string, address: string | null = null) =>
  toNetworkGroup({ type: 'http', url, userId: 1, timeoutMs: 1_000, http: defaultHttpSettings }, address)

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

  it('separate the customers of a hosting provider', () => {
    expect(countUnrelated([groupOf('https://ada.github.io/'), groupOf('https://bob.github.io/')])).toBe(2)
  })
})
