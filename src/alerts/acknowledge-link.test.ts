import { describe, expect, it } from 'vitest'
import { Secret } from '../lib/secret.ts'
import { createAcknowledgeUrl, parseAcknowledgeToken } from './acknowledge-link.ts'

const secret = new Secret('x'.repeat(32))
const target = { teamId: 1, incidentId: Number.MAX_SAFE_INTEGER, channelId: 7 }
const url = createAcknowledgeUrl(secret, 'https://stats.example.org/belfry', target)
const token = url.slice(url.lastIndexOf('/') + 1)

describe('the link to acknowledge an incident', () => {
  it('identifies the incident and the channel', () => {
    expect(url).toBe(`https://stats.example.org/belfry/acknowledge/${token}`)
    expect(parseAcknowledgeToken(secret, token)).toEqual(target)
    expect(createAcknowledgeUrl(secret, '', { teamId: 12, incidentId: 12_345, channelId: 34 })).toHaveLength(43)
  })

  it.each([
    ['of another server', new Secret('y'.repeat(32)), token],
    ['of another user', secret, token.replace('.1.', '.2.')],
    ['of another incident', secret, token.replace(/\.[0-9a-z]+\.7$/, '.5.7')],
    ['of another channel', secret, token.replace(/7$/, '8')],
    ['with leading zeros', secret, token.replace(/7$/, '07')],
    ['that is cut', secret, token.slice(0, -1)],
    ['that is too long', secret, `${token}0`],
    ['without a signature', secret, '.1.5.7'],
    ['without anything', secret, ''],
  ])('is refused if it has a token %s', (_case, otherSecret, otherToken) => {
    expect(parseAcknowledgeToken(otherSecret, otherToken)).toBeUndefined()
  })
})
