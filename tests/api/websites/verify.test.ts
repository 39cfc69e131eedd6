import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHomePageFetcher } from '../../../src/websites/verify/fetch-home-page.ts'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { createSite } from '../../support/traffic.ts'

const loopback = { allowsAll: false, ranges: ['127.0.0.0/8'] }
const html = { 'content-type': 'text/html' }

let server: TestServer
let website: HttpReceiver
let ada: TestUser
let id: number
let siteCount = 0

beforeAll(async () => {
  website = await startHttpReceiver()
  const originsOf = () => [website.address]
  const fetchHomePage = createHomePageFetcher(loopback, { originsOf })
  server = await startTestServer({ env: { BELFRY_URL: 'https://stats.example.net' }, fetchHomePage })
})
afterAll(async () => {
  await server.close()
  await website.close()
})
beforeEach(async () => {
  // Each user has a rate limit of their own.
  ada = await server.createUser(`ada-${++siteCount}`)
  id = await createSite(ada, `site-${siteCount}.example.com`)
  website.received.length = 0
})

const snippet = (domain = `site-${siteCount}.example.com`) =>
  `<script defer src="https://stats.example.net/b.js" data-domain="${domain}"></script>`
const getPath = (websiteId = id) => `/api/v1/websites/${websiteId}/verify`
const verify = async () => (await ada.session.post(getPath())).body.data

describe('POST /api/v1/websites/:id/verify', () => {
  it('reads the home page and says what it found', async () => {
    website.respondWith(200, `<!doctype html><head>${snippet()}</head>`, html)
    expect(await verify()).toEqual({
      result: 'installed',
      message: `The snippet is on ${website.address}/ and counts visits to site-${siteCount}.example.com.`,
      url: `${website.address}/`,
      status: 200,
      snippets: [
        {
          src: 'https://stats.example.net/b.js',
          domain: `site-${siteCount}.example.com`,
          events_url: 'https://stats.example.net/api/event',
        },
      ],
      blocked: [],
      verified_at: server.clock.now().toISOString(),
    })
    expect(website.received).toMatchObject([{ method: 'GET', path: '/', headers: { 'user-agent': 'Belfry' } }])
  })

  it('reads the Content-Security-Policy of the response', async () => {
    website.respondWith(200, snippet(), { ...html, 'content-security-policy': "default-src 'self'" })
    expect(await verify()).toMatchObject({ result: 'blocked', blocked: [{ source: 'header' }, { source: 'header' }] })
  })

  it('follows redirects within the website, but not to other hosts', async () => {
    website.handleWith((response, { path }) =>
      path === '/'
        ? response.writeHead(301, { location: '/en' }).end()
        : response.writeHead(200, html).end(snippet('other.example')),
    )
    expect(await verify()).toMatchObject({ result: 'wrong_domain', url: `${website.address}/en` })
    const otherHost = website.address.replace('127.0.0.1', 'localhost')
    website.respondWith(302, '', { location: `${otherHost}/` })
    website.received.length = 0
    expect(await verify()).toMatchObject({ result: 'redirected', url: null })
    expect(website.received).toHaveLength(1)
  })

  it('ends after five redirects, and reads only the beginning of a long page', async () => {
    website.respondWith(302, '', { location: '/again' })
    await verify()
    expect(website.received).toHaveLength(6)
    website.respondWith(200, `${' '.repeat(600_000)}${snippet()}`, html)
    expect(await verify()).toMatchObject({ result: 'missing', message: expect.stringContaining('the first part of') })
  })

  it('is refused after ten requests, and for a sample website', async () => {
    website.respondWith(200, '<p>Hello</p>', html)
    for (let n = 0; n < 10; n++) expect(await verify()).toMatchObject({ result: 'missing' })
    const response = await ada.session.post(getPath())
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    await server.services.db.query('update websites set is_sample = true where id = $1', [id])
    expect((await ada.session.post(getPath())).status).toBe(422)
  })

  it("is for the owner, and for the owner's keys with websites:write", async () => {
    website.respondWith(200, snippet(), html)
    expectMissingScope(await (await ada.withKey('websites:read')).post(getPath()), 'websites:write')
    expect((await (await ada.withKey('websites:write')).post(getPath())).status).toBe(200)
    const stranger = await server.createUser(`stranger-${siteCount}`)
    expectNotFound(await stranger.session.post(getPath()), await ada.session.post(getPath(999_999)))
  })
})

describe('a page that is verified', () => {
  it('is not fetched from a private address', async () => {
    const fetchHomePage = createHomePageFetcher(
      { allowsAll: false, ranges: [] },
      { originsOf: () => [website.address] },
    )
    expect(await fetchHomePage('example.com')).toMatchObject({ kind: 'failure', fault: { cause: 'blocked' } })
    expect(website.received).toEqual([])
  })

  it('has a limited time to respond', async () => {
    website.handleWith(() => {})
    const fetchHomePage = createHomePageFetcher(loopback, { originsOf: () => [website.address], timeoutMs: 50 })
    expect(await fetchHomePage('example.com')).toMatchObject({ kind: 'failure', fault: { cause: 'timeout' } })
  })
})
