import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Favicons } from '../../src/favicons/favicons.ts'
import { createIconFetcher } from '../../src/favicons/fetch-icon.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite } from '../support/traffic.ts'

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100, 1)])
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const loopback = { allowsAll: false, ranges: ['127.0.0.0/8'] }

let server: TestServer
let website: HttpReceiver
let ada: TestUser
let siteId: number
/** What the website responds with, by path. Other paths get 404. */
let files: Record<string, { body: string | Buffer; headers?: Record<string, string>; status?: number }>
let favicons: Favicons

beforeAll(async () => {
  // The server would fetch the icon of a website from ports 443 and 80. In these tests, another instance of `Favicons` fetches it
  // from the receiver and stores it, and the server reads it from the database.
  server = await startTestServer({ env: { BELFRY_FAVICONS: 'on' } })
  website = await startHttpReceiver()
  website.handleWith((response, { path }) => {
    const file = files[path]
    response
      .writeHead(file?.status ?? (file === undefined ? 404 : 200), file?.headers ?? {})
      .end(file?.body ?? 'Not found')
  })
  ada = await server.createUser('ada')
})
afterAll(async () => {
  await server.close()
  await website.close()
})

let counter = 0
beforeEach(async () => {
  files = {}
  website.received.length = 0
  siteId = await createSite(ada, `site-${++counter}.example.com`)
  favicons = openFavicons()
})

function openFavicons(privateTargets = loopback): Favicons {
  const fetchIcon = createIconFetcher(privateTargets, () => [website.address])
  return new Favicons({ ...server.services, fetchIcon })
}

const lookUp = (id = siteId, service = favicons) =>
  service.find({ id, teamId: ada.id, domain: `site-${counter}.example.com` })

async function fetchNow(service = favicons) {
  await lookUp(siteId, service)
  await service.settle()
  return lookUp(siteId, service)
}

const requestedPaths = () => website.received.map(({ path }) => path)

describe('GET /api/v1/websites/:id/favicon', () => {
  it('responds immediately, fetches the icon that the page names, and then sends it with headers that prevent scripts', async () => {
    files['/'] = { body: '<link rel="icon" href="/moved.svg">' }
    files['/moved.svg'] = { body: '', status: 302, headers: { location: '/icon.svg' } }
    files['/icon.svg'] = { body: svg, headers: { 'content-type': 'text/html' } }
    expect(await lookUp()).toEqual({ state: 'pending' })
    await favicons.settle()
    const response = await ada.session.get(`/api/v1/websites/${siteId}/favicon`)
    expect(response.status).toBe(200)
    expect(response.text).toBe(svg)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(website.received[0]?.headers['user-agent']).toBe('Belfry')
  })

  it('caches an icon for a day, keeps the old icon while a new one is fetched, and shares it with other nodes', async () => {
    files['/favicon.ico'] = { body: png }
    expect(await fetchNow()).toMatchObject({ state: 'found', icon: { contentType: 'image/png', image: png } })
    const count = website.received.length
    server.clock.advance({ hours: 23 })
    expect(await fetchNow(openFavicons())).toMatchObject({ state: 'found' })
    expect(website.received).toHaveLength(count)
    server.clock.advance({ hours: 2 })
    delete files['/favicon.ico']
    expect(await lookUp()).toMatchObject({ state: 'found', icon: { image: png } })
    await favicons.settle()
    expect(website.received.length).toBeGreaterThan(count)
    expect(await lookUp()).toEqual({ state: 'missing' })
  })

  it('tries again an hour after it found no icon', async () => {
    expect(await fetchNow()).toEqual({ state: 'missing' })
    expect(requestedPaths()).toEqual(['/', '/favicon.ico'])
    server.clock.advance({ seconds: 3_599 })
    await fetchNow()
    expect(website.received).toHaveLength(2)
    server.clock.advance({ seconds: 2 })
    files['/favicon.ico'] = { body: png }
    expect(await fetchNow()).toMatchObject({ state: 'found' })
    const { status } = await ada.session.get(`/api/v1/websites/${siteId}/favicon`)
    expect(status).toBe(200)
  })

  it('takes the next icon if one is too large, not an image, or missing', async () => {
    files['/'] = {
      body: '<link rel=icon sizes=64x64 href=/large><link rel=icon sizes=65x65 href=/text><link rel=icon sizes=66x66 href=/none>',
    }
    files['/large'] = { body: Buffer.concat([png, Buffer.alloc(65_536)]) }
    files['/text'] = { body: 'hello', headers: { 'content-type': 'image/png' } }
    files['/favicon.ico'] = { body: png }
    expect(await fetchNow()).toMatchObject({ state: 'found', icon: { image: png } })
    expect(requestedPaths()).toEqual(['/', '/large', '/text', '/none', '/favicon.ico'])
  })

  it('connects to no private address unless the operator allows it', async () => {
    expect(await fetchNow(openFavicons({ allowsAll: false, ranges: [] }))).toEqual({ state: 'missing' })
    expect(website.received).toEqual([])
  })

  it('gives up after five redirects', async () => {
    files['/'] = { body: '', status: 301, headers: { location: '/' } }
    expect(await fetchNow()).toEqual({ state: 'missing' })
    expect(website.received).toHaveLength(6)
  })

  it('fetches an icon once, however many requests arrive at the same time on two nodes', async () => {
    files['/favicon.ico'] = { body: png }
    const otherNode = openFavicons()
    await Promise.all([lookUp(), lookUp(), lookUp(siteId, otherNode), lookUp(siteId, otherNode)])
    await Promise.all([favicons.settle(), otherNode.settle()])
    expect(requestedPaths()).toEqual(['/', '/favicon.ico'])
  })

  it('fetches nothing for sample data, or if the operator has turned icons off', async () => {
    await server.services.db.query('update websites set is_sample = true where id = $1', [siteId])
    expect(await fetchNow()).toEqual({ state: 'missing' })
    await server.services.db.query('update websites set is_sample = false where id = $1', [siteId])
    expect(await fetchNow(new Favicons({ ...server.services, fetchIcon: undefined }))).toEqual({ state: 'missing' })
    expect(website.received).toEqual([])
  })

  it('stores nothing if the server stops during a fetch, or the website is deleted', async () => {
    const requestArrival = Promise.withResolvers<void>()
    website.handleWith(() => requestArrival.resolve())
    await lookUp()
    await requestArrival.promise
    await favicons.stop()
    const readRows = () =>
      server.services.db.query('select image, expires_at from website_icons where website_id = $1', [siteId])
    expect(await readRows()).toMatchObject([{ image: null, expires_at: server.clock.now() }])
    await ada.session.delete(`/api/v1/websites/${siteId}`)
    expect(await readRows()).toEqual([])
    expect(await lookUp(siteId, openFavicons())).toEqual({ state: 'missing' })
  })
})
