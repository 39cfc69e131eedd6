import { expect, it } from 'vitest'
import { parseCustomDomain } from './parse-custom-domain.ts'

const notAHost = 'must be a host such as status.example.com, without a scheme, port or path'
const rules = { ownHost: 'stats.example.com', foreignDomains: ['shop.example.net', 'example.org'] }
const anIp = 'must be a name, not an IP address'

it.each([
  [' Status.MÜLLER.example. ', 'status.xn--mller-kva.example'],
  // Browsers send `www.` in the Host header, so it stays part of the domain.
  ['www.example.com', 'www.example.com'],
  ['status.stats.example.com', 'status.stats.example.com'],
  // Parents and siblings of other users' domains are allowed.
  ['example.net', 'example.net'],
  ['myshop.example.net', 'myshop.example.net'],
])('the custom domain %j is stored as %s', (text, host) => {
  expect(parseCustomDomain(text, rules)).toEqual({ value: host })
})

it.each([
  ['https://status.example.com', notAHost],
  ['status.example.com:8080', notAHost],
  ['status.example.com/path', notAHost],
  ['ada@example.com', notAHost],
  ['127.0.0.1', anIp],
  ['2130706433', anIp],
  ['[::1]', anIp],
  ['localhost', 'must not be localhost'],
  ['status.localhost', 'must not be localhost'],
  ['intranet', 'must have at least two parts, such as example.com'],
  ['co.uk', 'must not be a public suffix; add a name before it'],
  ['example.com', 'must not be a parent domain of stats.example.com, the host of Belfry itself'],
  ['shop.example.net', 'must not be at or below a website of another user'],
  ['events.shop.example.net.', 'must not be at or below a website of another user'],
  ['www.example.org', 'must not be at or below a website of another user'],
  [`${'a.'.repeat(118)}example.com`, 'must have at most 245 characters'],
  ['Stats.Example.com.', "must not be the host of Belfry itself, because nobody could open Belfry's pages any more"],
])('the custom domain %s is rejected', (text, error) => {
  expect(parseCustomDomain(text, rules)).toEqual({ errors: [error] })
})

it('the error about a domain below a website of another user names the record that proves that the domain is yours', () => {
  const proofRecord = { name: '_belfry.www.example.org', value: 'belfry-status-page=abc' }
  expect(parseCustomDomain('www.example.org', { ...rules, proofRecord })).toEqual({
    errors: [
      'must not be at or below a website of another user. If the domain is yours, create a TXT record with the name _belfry.www.example.org and the value belfry-status-page=abc, and try again',
    ],
  })
})

it('every custom domain is rejected if BELFRY_URL is not set', () => {
  expect(parseCustomDomain('status.example.com', { ownHost: undefined, foreignDomains: [] })).toEqual({
    errors: [expect.stringMatching(/^needs the public URL of this server,/)],
  })
})
