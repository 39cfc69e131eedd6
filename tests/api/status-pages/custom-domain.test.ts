import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createDomainToken } from '../../../src/status-pages/domains/token.ts'
import { allowLoopbackOnly } from '../../support/loopback-only.ts'
import { parseResponse, sendRaw } from '../../support/raw.ts'
import type { TestServer, TestUser } from '../../support/server.ts'
import { describeReverseProxies } from './custom-domain-proxy.ts'
import {
  type CustomDomainFixture,
  domain,
  expectNotFoundPage,
  startCustomDomainFixture,
} from './custom-domain-support.ts'

let fixture: CustomDomainFixture
let server: TestServer
let plainServer: TestServer
let owner: TestUser
let monitorId: number
let pageId: number
let createPage: CustomDomainFixture['createPage']
let visit: CustomDomainFixture['visit']

beforeAll(async () => {
  fixture = await startCustomDomainFixture()
  ;({ server, plainServer, owner, monitorId, pageId, createPage, visit } = fixture)
})
afterAll(() => fixture.close())

const change = (id: number, json: object) => owner.session.call('PATCH', `/api/status-pages/${id}`, { json })

describe('a custom domain', () => {
  it('shows the page at its root, and its other formats, with links that work at this domain', async () => {
    for (const at of [server, plainServer]) {
      const scheme = at === server ? 'https' : 'http'
      const page = await visit('/', { at })
      expect(page.status).toBe(200)
      expect(page.text).toContain('Our shop')
      expect(page.text).toContain(`<link rel="canonical" href="${scheme}://${domain}/">`)
      expect(page.text).toContain('href="/status/example.atom"')
      const { text: json } = await visit('/status/example.json', { at })
      expect(JSON.parse(json).data.page.url).toBe(`${scheme}://${domain}/`)
      const paths = ['/?from=mail', '/status/example', '/status/example.atom', '/status/example/feed.json']
      for (const path of [...paths, '/status/example/badge.svg', `/status/example/${monitorId}/badge.svg?type=uptime`])
        expect({ path, status: (await visit(path, { at })).status }).toEqual({ path, status: 200 })
    }
  })

  it.each(['STATUS.Example.Org', `${domain}.`, `${domain}:8443`, `${domain}.:80`])(
    'can be written %s',
    async (host) => {
      expect((await visit('/', { host })).text).toContain('Our shop')
      expectNotFoundPage(await visit('/sign-in', { host }))
    },
  )

  it('serves nothing else: no application, no API, no other page', async () => {
    const paths = [
      '/sign-in',
      '/setup',
      '/monitors',
      '/status-pages',
      '/docs',
      '/healthz',
      '/readyz',
      '/metrics',
      '/index.html',
      '/belfry',
      '/belfry/sign-in',
      '/example.com',
      '/status/other-page',
      '/status/example2',
      '/status/example/unknown',
      '/status/example/../other-page',
      '/.well-known/security.txt',
    ]
    for (const path of paths) expectNotFoundPage(await visit(path))
    const { session } = owner
    const calls: [string, string, string?][] = [
      ['GET', '/api/session'],
      ['GET', '/api/openapi.json'],
      ['GET', `/api/status-pages/${pageId}`],
      ['GET', '/assets/index.js'],
      ['GET', '/status/other-page.json'],
      ['POST', '/api/session', '{}'],
      ['PUT', '/robots.txt', ''],
      ['DELETE', `/api/monitors/${monitorId}`],
    ]
    for (const [method, path, body] of calls) {
      const headers = { 'content-type': 'application/json', cookie: `belfry_session=${session.credentials.cookie}` }
      const response = await visit(path, { method, headers: { ...headers, accept: '*/*' }, ...(body && { body }) })
      expect({ path, status: response.status }).toEqual({ path, status: 404 })
      expect(JSON.parse(response.text)).toMatchObject({ code: 'not_found' })
    }
  })

  it('receives events and beats, which may belong to any user', async () => {
    const website = { domain: 'shop.example.net' }
    await owner.session.post('/api/v1/websites', website)
    const event = JSON.stringify({ n: 'pageview', u: 'https://shop.example.net/', d: website.domain })
    for (const at of [server, plainServer]) {
      const responses = [
        await visit('/api/event', {
          at,
          method: 'POST',
          body: event,
          headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
        }),
        await visit('/api/event', { at, method: 'OPTIONS' }),
        await visit('/b.js', { at }),
        await visit('/beat/unknown', { at }),
        await visit('/beat/unknown/start', { at, method: 'POST', body: '' }),
      ]
      expect(responses.map(({ status }) => status)).toEqual([202, 204, 200, 404, 404])
      expect(responses[0]?.headers.get('x-belfry-dropped')).toBeNull()
      // The token is unknown, but the path exists.
      for (const { text } of responses.slice(3)) expect(JSON.parse(text).code).toBe('not_found')
    }
    expect((await visit('/belfry/b.js')).status).toBe(200)
  })

  it('lets crawlers in, and has an icon only if the page has a logo', async () => {
    expect(await visit('/robots.txt')).toMatchObject({ status: 200, text: 'User-agent: *\nAllow: /\n' })
    expect((await visit('/favicon.ico')).status).toBe(404)
  })

  it('serves nothing else if the request line contains an absolute URL', async () => {
    const send = async (host: string, url: string) =>
      parseResponse(await sendRaw(server.address, `GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))
    expect((await send(domain, 'http://stats.example.com/api/openapi.json')).status).toBe(404)
    expect((await send('stats.example.com', `http://${domain}/api/openapi.json`)).status).toBe(404)
    expect((await send('stats.example.com', 'http://stats.example.com/api/openapi.json')).status).toBe(200)
    expect((await send('stats.example.com', `http://${domain}/`)).body).toContain('Our shop')
  })

  it('changes nothing at the host of BELFRY_URL and at unknown hosts', async () => {
    for (const host of ['stats.example.com', 'unknown.example.org', '127.0.0.1']) {
      expect((await visit('/healthz', { host })).status).toBe(200)
      expect((await visit('/sign-in', { host })).text).toContain('assets/')
      expect((await visit('/belfry/status/example', { host })).text).toContain('href="/belfry/status/example.atom"')
      expect((await visit('/robots.txt', { host })).text).toContain('Disallow: /belfry/api/')
    }
  })

  it('follows changes of the page immediately', async () => {
    const id = await createPage('moving', 'old.example.org')
    expect((await visit('/', { host: 'old.example.org' })).text).toContain('Our shop')
    const { body } = await change(id, { custom_domain: 'new.example.org', slug: 'moved' })
    expect(body.data.custom_domain_verified_at).toBeNull()
    expect((await visit('/healthz', { host: 'new.example.org' })).status).toBe(200)
    await fixture.verify(body.data)
    expect((await visit('/', { host: 'new.example.org' })).text).toContain('Our shop')
    expect((await visit('/healthz', { host: 'old.example.org' })).status).toBe(200)
    await owner.session.call('DELETE', `/api/status-pages/${id}`)
    expect((await visit('/healthz', { host: 'new.example.org' })).status).toBe(200)
  })

  it('is served without database queries, and so are requests for other hosts', async () => {
    await visit('/')
    const { db } = server.services
    const spies = [vi.spyOn(db, 'query'), vi.spyOn(db, 'batch'), vi.spyOn(db, 'transaction')]
    for (let i = 0; i < 20; i++) {
      await visit('/')
      await visit('/sign-in')
      await visit('/robots.txt', { host: 'unknown.example.org' })
    }
    expect(spies.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0])
    for (const spy of spies) spy.mockRestore()
  })

  it('of a private page reveals nothing, not even the application', async () => {
    const host = 'private.example.org'
    await change(await createPage('private-page', host), { privacy: 1 })
    for (const path of ['/', '/sign-in', '/status/private-page', '/api/session'])
      expect({ path, status: (await visit(path, { host })).status }).toEqual({ path, status: 404 })
    expectNotFoundPage(await visit('/', { host }))
  })

  it('serves no copy of the open page after the page was closed', async () => {
    const { statusPageCopies } = server.services
    const host = 'closing.example.org'
    const id = await createPage('closing', host)
    for (const accessChange of [{ privacy: 2, password: 'open sesame' }, { password: 'another one' }, { privacy: 1 }]) {
      await change(id, { privacy: 0 })
      expect((await visit('/', { host })).status).toBe(200)
      await change(id, accessChange)
      expect(statusPageCopies.has('closing')).toBe(false)
    }
  })

  it('asks for the password of the page, and opens it with a cookie of its own', async () => {
    const host = 'locked.example.org'
    await change(await createPage('locked-page', host), { privacy: 2, password: 'open sesame' })
    const form = await visit('/', { host })
    expect(form.status).toBe(401)
    expect(form.text).toContain('action="/status/locked-page/unlock"')
    expect((await visit('/history', { host })).text).toContain('<input type="hidden" name="part" value="history">')
    const unlock = (origin: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin }
      return visit('/status/locked-page/unlock', {
        host,
        method: 'POST',
        headers,
        body: 'password=open+sesame&part=history',
      })
    }
    expect((await unlock('https://evil.example')).status).toBe(403)
    const unlockResponse = await unlock(`https://${host}`)
    expect([unlockResponse.status, unlockResponse.headers.get('location')]).toEqual([303, '/history'])
    const cookie = unlockResponse.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/)
    const page = await visit('/', { host, headers: { cookie: cookie.split(';')[0] ?? '' } })
    expect(page.text).toContain('Our shop')
    expect(page.text).toContain('<a href="/history">Incident history</a>')
    const history = await visit('/history', { host, headers: { cookie: cookie.split(';')[0] ?? '' } })
    expect(history.text).toContain(`<link rel="canonical" href="https://${host}/history/2026-01">`)
    expect(history.text).toMatch(/<p class="back"><a href="\/">/)
  })
})

describeReverseProxies(() => fixture)

describe('GET /.well-known/belfry-status-page', () => {
  it('responds at every host, with a token for that host alone', async () => {
    const { secret } = server.services
    const path = '/.well-known/belfry-status-page'
    for (const host of [domain, 'unknown.example.org', 'stats.example.com'])
      expect((await visit(path, { host: `${host}:8080` })).text).toBe(createDomainToken(secret, host))
    expect((await visit(`/belfry${path}`)).text).toMatch(/^status\.example\.org [\w-]{43}$/)
  })
})

describe('POST /api/status-pages/:id/check-domain', () => {
  const check = (id: number) => owner.session.post(`/api/status-pages/${id}/check-domain`, {})

  it('says what is missing, and limits how often it is used', async () => {
    const network = allowLoopbackOnly()
    try {
      const { status, body } = await check(pageId)
      expect(status).toBe(200)
      expect(body.data).toEqual({
        domain,
        addresses: [],
        https: { ok: false, problem: 'No such host.' },
        http: { ok: false, problem: 'No such host.' },
        points_here: false,
        record: { type: 'TXT', name: `_belfry.${domain}`, value: expect.any(String), ok: true, problem: null },
        custom_domain_verified_at: expect.any(String),
        hint: expect.stringContaining('a CNAME record that points to stats.example.com'),
      })
      const statuses = []
      for (let i = 0; i < 10; i++) statuses.push((await check(pageId)).status)
      expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 429])
    } finally {
      network.end()
    }
  })

  it('needs a domain, and a page of the caller', async () => {
    expect(await check(await createPage('plain', null))).toMatchObject({
      status: 422,
      body: { errors: { custom_domain: ['The status page has no `custom_domain`. Set it first.'] } },
    })
    expect((await check(999_999)).status).toBe(404)
    const otherUser = await server.createUser('stranger')
    expect((await otherUser.session.post(`/api/status-pages/${pageId}/check-domain`, {})).status).toBe(404)
  })
})
