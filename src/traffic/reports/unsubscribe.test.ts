import { describe, expect, it } from 'vitest'
import { Secret } from '../../lib/secret.ts'
import { createUnsubscribeToken, findWebsiteOfToken } from './unsubscribe.ts'

const secret = new Secret('a secret that is only good for tests')
const token = createUnsubscribeToken(secret, 12)

describe('a token to unsubscribe with', () => {
  it('leads to its website, and can stand in a link', () => {
    expect(token).toMatch(/^12\.[\w-]{43}$/)
    expect(findWebsiteOfToken(secret, token)).toBe(12)
  })

  it.each([
    ['none', ''],
    ['a number alone', '12'],
    ['another website’s', token.replace('12.', '13.')],
    ['one that was changed', `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`],
    ['one that is longer', `${token}A`],
    ['another spelling of it', `0${token}`],
    ['another server’s', createUnsubscribeToken(new Secret('another secret that is long enough'), 12)],
  ])('is not %s', (_what, wrong) => expect(findWebsiteOfToken(secret, wrong)).toBeUndefined())
})
