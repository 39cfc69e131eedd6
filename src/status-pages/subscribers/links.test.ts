import { describe, expect, it } from 'vitest'
import { Secret } from '../../lib/secret.ts'
import {
  createSubscriberLinks,
  createSubscriberToken,
  hashSubscriberAddress,
  isSubscriberToken,
  readSubscriberId,
} from './links.ts'

const secret = new Secret('a secret that is only good for tests')
const subscriber = { id: 7, email: 'Grace@example.com' }
const token = createSubscriberToken(secret, 'unsubscribe', subscriber)

describe('the token of a link', () => {
  it('is valid only for one purpose, one subscriber and one address', () => {
    expect(readSubscriberId(token)).toBe(7)
    expect(isSubscriberToken(secret, 'unsubscribe', subscriber, token)).toBe(true)
    expect(isSubscriberToken(secret, 'unsubscribe', { ...subscriber, email: 'grace@example.com' }, token)).toBe(true)
    expect(isSubscriberToken(secret, 'manage', subscriber, token)).toBe(false)
    expect(isSubscriberToken(secret, 'unsubscribe', { ...subscriber, id: 8 }, token)).toBe(false)
    expect(isSubscriberToken(secret, 'unsubscribe', { ...subscriber, email: 'ada@example.com' }, token)).toBe(false)
    expect(isSubscriberToken(new Secret('another secret of the tests'), 'unsubscribe', subscriber, token)).toBe(false)
  })

  it('names no subscriber if it is malformed', () => {
    for (const text of [
      '',
      '7',
      '7.',
      `0${token}`,
      `${token}x`,
      token.replace('7', '-7'),
      token.replace('7', '9'.repeat(20)),
    ])
      expect(readSubscriberId(text)).toBeUndefined()
  })

  it('is part of a URL below BELFRY_URL that does not contain the address', () => {
    const links = createSubscriberLinks({ secret, baseUrl: 'https://stats.example.org/belfry' }, 'example', subscriber)
    expect(links.unsubscribe).toBe(`https://stats.example.org/belfry/status/example/unsubscribe?token=${token}`)
    expect(Object.values(links).join()).not.toMatch(/grace/i)
  })
})

it('the hash of an address ignores case', () => {
  expect(hashSubscriberAddress(secret, 'GRACE@example.com')).toEqual(hashSubscriberAddress(secret, 'grace@example.com'))
})
