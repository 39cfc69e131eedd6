import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createProxyTest } from '../../http/trusted-proxies.ts'
import { CustomDomains } from './custom-domains.ts'
import { createDomainFinder, translateDomainUrl } from './host-routing.ts'

const domains: Record<string, string> = { 'status.example.org': 'example', 'stats.example.com': 'thief' }
const findSlug = createDomainFinder({
  config: { url: 'https://stats.example.com/belfry' },
  isTrustedProxy: createProxyTest(['10.0.0.0/8', '192.168.0.1', '::1']),
  customDomains: new CustomDomains((domain) => domains[domain]),
})

function find(headers: Record<string, string>, { peer = '203.0.113.7', url = '/' } = {}) {
  return findSlug({ headers, url, socket: { remoteAddress: peer } } as unknown as IncomingMessage)
}

describe('createDomainFinder', () => {
  it.each([
    'status.example.org',
    'STATUS.Example.ORG',
    'status.example.org.',
    'status.example.org:8443',
    'status.example.org.:80',
    'status.example.org:',
  ])('finds the page of the host %s', (host) => {
    expect(find({ host })).toBe('example')
  })

  it.each(['example.org', 'a.status.example.org', 'status.example.org.evil.com', '127.0.0.1:3000', '[::1]:3000', ''])(
    'finds no page of the host %s',
    (host) => {
      expect(find({ host })).toBeUndefined()
    },
  )

  it('finds no page without BELFRY_URL, because every host could be that of the application', () => {
    const findSlug = createDomainFinder({
      config: { url: undefined },
      isTrustedProxy: () => true,
      customDomains: new CustomDomains((domain) => domains[domain]),
    })
    const headers = { host: 'status.example.org', 'x-forwarded-host': 'status.example.org' }
    expect(findSlug({ headers, url: '/', socket: {} } as unknown as IncomingMessage)).toBeUndefined()
  })

  it.each(['https://stats.example.com.', 'https://STATS.example.com.:8443/belfry'])(
    'never finds a page at the host of BELFRY_URL if BELFRY_URL is %s',
    (url) => {
      const customDomains = new CustomDomains((domain) => domains[domain])
      const findSlug = createDomainFinder({ config: { url }, isTrustedProxy: () => true, customDomains })
      for (const host of ['stats.example.com', 'stats.example.com.', 'STATS.example.com:80'])
        expect(findSlug({ headers: { host }, url: '/', socket: {} } as unknown as IncomingMessage)).toBeUndefined()
    },
  )

  it('never finds a page at the host of BELFRY_URL', () => {
    expect(find({ host: 'stats.example.com' })).toBeUndefined()
    expect(find({ host: 'STATS.example.com.:443' })).toBeUndefined()
  })

  it('accepts X-Forwarded-Host only from trusted proxies, and only its last entry', () => {
    const headers = { host: 'belfry:3000', 'x-forwarded-host': 'status.example.org' }
    for (const peer of ['10.1.2.3', '::ffff:10.1.2.3', '192.168.0.1', '::1'])
      expect(find(headers, { peer })).toBe('example')
    for (const peer of ['203.0.113.7', '192.168.0.2', '::2']) expect(find(headers, { peer })).toBeUndefined()
    const list = { host: 'belfry:3000', 'x-forwarded-host': 'status.example.org, stats.example.com' }
    expect(find(list, { peer: '10.1.2.3' })).toBeUndefined()
  })

  it('stays at the custom domain if the client names another host in X-Forwarded-Host or in an absolute URL', () => {
    const headers = { host: 'status.example.org', 'x-forwarded-host': 'stats.example.com' }
    expect(find(headers, { peer: '10.1.2.3' })).toBe('example')
    expect(find({ host: 'status.example.org' }, { url: 'http://stats.example.com/sign-in' })).toBe('example')
  })

  it('finds the page of the host in an absolute URL if Host names no custom domain', () => {
    expect(find({ host: 'stats.example.com' }, { url: 'http://status.example.org/sign-in' })).toBe('example')
    expect(find({ host: 'stats.example.com' }, { url: 'http://[/' })).toBeUndefined()
  })
})

describe('translateDomainUrl', () => {
  it.each([
    ['/', '/status/example'],
    ['/?utm=1?2', '/status/example?utm=1?2'],
    ['/history', '/status/example/history'],
    ['/history?x=1', '/status/example/history?x=1'],
    ['/history/2026-11', '/status/example/history/2026-11'],
    ['/history/2026-11.json', '/status/example/history/2026-11.json'],
    ['/favicon.ico', '/status/example/logo'],
    ['/status/example', '/status/example'],
    ['/status/example?x=1', '/status/example?x=1'],
    ['/status/example.json', '/status/example.json'],
    ['/status/inter-latin-0123456789.woff2', '/status/inter-latin-0123456789.woff2'],
    ['/status/example/3/badge.svg?type=uptime', '/status/example/3/badge.svg?type=uptime'],
    ['/.well-known/belfry-status-page', '/.well-known/belfry-status-page'],
  ])('serves %s', (url, expected) => {
    expect(translateDomainUrl(url, 'example')).toEqual({ target: 'page', url: expected })
  })

  it.each(['/api/event', '/b.js?v=1', '/beat/abc', '/beat/abc/start'])(
    'lets requests for the script, events and beats at %s through',
    (url) => {
      expect(translateDomainUrl(url, 'example')).toEqual({ target: 'collect', url })
    },
  )

  it.each([
    '/sign-in',
    '/api/events',
    '/history/',
    '/history/../../api/session',
    '/history2',
    '/api/event/1',
    '/beat',
    '/api/session',
    '/assets/index.js',
    '/status/other',
    '/status/inter-latin',
    '/status/example2',
    '/status/example-2.json',
    '/status/ex%61mple',
    '/status/example%2f..%2fother',
    '/Status/example',
    '//status/example',
    '/status',
    '/status-pages/1',
    '/healthz',
    '/belfry',
    '//',
    '*',
    '',
  ])('serves nothing at %s', (url) => {
    expect(translateDomainUrl(url, 'example').target).toBe('nothing')
  })
})
