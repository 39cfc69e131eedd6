import { describe, expect, it } from 'vitest'
import { Secret } from '../lib/secret.ts'
import { createUnsubscribeToken, findWebsiteIdByToken } from './unsubscribe.ts'

const secret = new Secret('a secret that is only used in tests')
const token = createUnsubscribeToken(secret, 12)

describe('an unsubscribe token', () => {
  it('identifies its website, and can be part of a URL', () => {
    expect(token).toMatch(/^12\.[\w-]{43}$/)
    expect(findWebsiteIdByToken(secret, token)).toBe(12)
  })

  it.each([
    ['empty', ''],
    ['only the id of the website', '12'],
    ['a token with another id', token.replace('12.', '13.')],
    ['a token with a changed character', `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`],
    ['a token with an extra character', `${token}A`],
    ['a token with a leading zero', `0${token}`],
    ['a token of another server', createUnsubscribeToken(new Secret('another secret that is long enough'), 12)],
  ])('is not valid if it is %s', (_case, invalidToken) =>
    expect(findWebsiteIdByToken(secret, invalidToken)).toBeUndefined(),
  )
})
