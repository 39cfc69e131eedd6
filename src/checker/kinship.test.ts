import { describe, expect, it } from 'vitest'
import { plainHttp } from '../monitors/http-schema.ts'
import { countUnrelated, kinOf } from './kinship.ts'

const http = (url: string, address: string | null = null) =>
  kinOf({ type: 'http', url, timeoutMs: 1_000, http: plainHttp }, address)

describe('hosts', () => {
  it('of one domain belong together', () => {
    expect(countUnrelated([http('https://shop.example.co.uk/'), http('https://www.example.co.uk/a')])).toBe(1)
  })

  it('of different domains at one address belong together', () => {
    const kin = ['one.example', 'two.example', 'three.example'].map((host) => http(`https://${host}/`, '203.0.113.7'))
    expect(countUnrelated(kin)).toBe(1)
  })

  it('in one network belong together', () => {
    expect(countUnrelated([http('http://203.0.113.7/'), http('http://203.0.113.9:81/')])).toBe(1)
    expect(countUnrelated([http('http://[2001:db8:1::7]/'), http('http://[2001:db8:1:5::9]/')])).toBe(1)
  })

  it('with nothing in common do not', () => {
    const kin = [http('https://one.example/'), http('https://two.test/', '198.51.100.1'), http('http://203.0.113.7/')]
    expect(countUnrelated(kin)).toBe(3)
  })

  it('are told apart also where users of one hoster have names of their own', () => {
    expect(countUnrelated([http('https://ada.github.io/'), http('https://bob.github.io/')])).toBe(2)
  })
})
