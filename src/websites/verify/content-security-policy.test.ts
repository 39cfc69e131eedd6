import { describe, expect, it } from 'vitest'
import { findBlockedDirectives, splitPolicies, type TrackerRequest } from './content-security-policy.ts'

const request: TrackerRequest = {
  scriptUrl: new URL('https://stats.example.net/b.js'),
  eventUrl: new URL('https://stats.example.net/api/event'),
  nonce: undefined,
  pageUrl: new URL('https://example.com/'),
}
const findRequired = (policy: string, changes: Partial<TrackerRequest> = {}) =>
  findBlockedDirectives(splitPolicies(policy, 'header'), { ...request, ...changes }).map(({ required }) => required)

describe('a Content-Security-Policy', () => {
  it.each([
    ['img-src *'],
    ["frame-ancestors 'none'; upgrade-insecure-requests"],
    ['default-src *'],
    ['default-src https:'],
    ['default-src http:'],
    ["default-src 'self' https://stats.example.net"],
    ["default-src 'self' stats.example.net"],
    ["default-src 'self' *.example.net:443"],
    ["default-src 'none'; script-src https://STATS.example.net/b.js; connect-src https://stats.example.net/api/"],
    ["script-src 'self' stats.example.net; script-src 'none'"],
    ["script-src 'none'; script-src-elem stats.example.net"],
  ])('%s allows the tracker', (policy) => {
    expect(findRequired(policy)).toEqual([])
  })

  it.each([
    [
      "default-src 'self'",
      ["script-src 'self' https://stats.example.net", "connect-src 'self' https://stats.example.net"],
    ],
    ["default-src 'none'", ['script-src https://stats.example.net', 'connect-src https://stats.example.net']],
    ["script-src 'self' 'unsafe-inline'", ["script-src 'self' 'unsafe-inline' https://stats.example.net"]],
    ["script-src stats.example.net; connect-src 'self'", ["connect-src 'self' https://stats.example.net"]],
    ["script-src-elem 'self'", ["script-src-elem 'self' https://stats.example.net"]],
    [
      'script-src https://stats.example.net:8443',
      ['script-src https://stats.example.net:8443 https://stats.example.net'],
    ],
    ['script-src *.stats.example.net', ['script-src *.stats.example.net https://stats.example.net']],
    ['script-src stats.example.net/js/', ['script-src stats.example.net/js/ https://stats.example.net']],
    ['script-src', ['script-src https://stats.example.net']],
    [
      "script-src 'strict-dynamic' 'nonce-a' stats.example.net",
      ["script-src 'strict-dynamic' 'nonce-a' stats.example.net"],
    ],
    ["script-src 'strict-dynamic'", ["script-src 'strict-dynamic' 'nonce-…'"]],
    // Browsers enforce both policies.
    ["script-src *, connect-src 'self'", ["connect-src 'self' https://stats.example.net"]],
  ])('%s needs %j', (policy, required) => {
    expect(findRequired(policy)).toEqual(required)
  })

  it('accepts a script with its nonce, and scripts of its own origin', () => {
    expect(findRequired("script-src 'strict-dynamic' 'nonce-a'", { nonce: 'a' })).toEqual([])
    expect(findRequired("script-src 'self'", { scriptUrl: new URL('https://example.com/b.js') })).toEqual([])
    expect(findRequired("script-src 'self'", { scriptUrl: new URL('http://example.com/b.js') })).toHaveLength(1)
  })
})
