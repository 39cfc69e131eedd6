import { expect, it } from 'vitest'
import { describeProblem, isSentFrom } from './check-url.ts'
import { stripProofPrefix } from './installation-proof.ts'

const url = 'https://stats.example.com'

it.each([
  [{ kind: 'response', status: 200, body: 'proof' } as const, undefined],
  [
    { kind: 'response', status: 200, body: 'other' } as const,
    `Another server answers at ${url}, with status 200. Check the DNS record and the reverse proxy.`,
  ],
  [
    { kind: 'response', status: 404, body: undefined } as const,
    `Another server answers at ${url}, with status 404. Check the DNS record and the reverse proxy.`,
  ],
  [
    { kind: 'redirect', location: 'https://www.example.com/.well-known/belfry-installation?challenge=1' } as const,
    `${url} redirects to https://www.example.com. If that is the address of Belfry, enter it instead.`,
  ],
  [
    { kind: 'failure', cause: 'connect', description: 'connection refused' } as const,
    `Belfry can't reach ${url}: connection refused.`,
  ],
])('the problem with %o is: %s', (result, problem) => {
  expect(describeProblem(url, result, 'proof')).toBe(problem)
})

it.each([
  [url, { origin: url, referer: undefined }, true],
  [url, { origin: 'http://stats.example.com', referer: undefined }, false],
  [url, { origin: undefined, referer: `${url}/` }, false],
  [`${url}/belfry`, { origin: url, referer: `${url}/belfry/account/server` }, true],
  [`${url}/belfry`, { origin: url, referer: `${url}/account/server` }, false],
  [`${url}/belfry`, { origin: url, referer: undefined }, false],
])('the page at %s has sent a request with %o: %s', (pageUrl, request, isExpected) => {
  expect(isSentFrom(pageUrl, request)).toBe(isExpected)
})

it.each([
  ['/belfry/.well-known/belfry-installation?challenge=1', '/.well-known/belfry-installation?challenge=1'],
  ['/.well-known/belfry-installation?challenge=1', '/.well-known/belfry-installation?challenge=1'],
  ['/monitors?path=/.well-known/belfry-installation', '/monitors?path=/.well-known/belfry-installation'],
  ['/', '/'],
])('the path of the proof is recognized behind any prefix, and only there: %s', (path, expected) => {
  expect(stripProofPrefix(path)).toBe(expected)
})
