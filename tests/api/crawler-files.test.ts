/** robots.txt, security.txt, and the refusal of websites whose domain is the name of a file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createFakeWebBuild, type FakeWebBuild, parseBootData } from '../support/web-build.ts'
import { websitesPath } from '../support/websites.ts'

let web: FakeWebBuild
let database: TestDatabase
let server: TestServer
let prefixedServer: TestServer
let ada: TestUser

beforeAll(async () => {
  web = await createFakeWebBuild()
  database = await createTestDatabase()
  server = await startTestServer({ webFolder: web.folder, database })
  prefixedServer = await startTestServer({
    webFolder: web.folder,
    database,
    env: { BELFRY_URL: 'https://example.com/belfry', BELFRY_SECURITY_CONTACT: 'security@example.com' },
  })
  ada = await server.createUser('ada')
})
afterAll(async () => {
  await prefixedServer.close()
  await server.close()
  await database.drop()
  await web.remove()
})

/**
 * Applies the rules as RFC 9309 says: the longest matching rule decides. If an `Allow` and a `Disallow` rule are
 * equally long, `Allow` decides.
 */
function isCrawlable(robots: string, path: string): boolean {
  const rules = robots.split('\n').flatMap((line) => {
    const [, verb, pattern = ''] = /^(Allow|Disallow): (\S+)$/.exec(line) ?? []
    if (verb === undefined) return []
    const source = pattern.split('*').map(RegExp.escape).join('.*').replace(/\\\$$/, '$')
    return new RegExp(`^${source}`).test(path) ? [{ isAllowed: verb === 'Allow', length: pattern.length }] : []
  })
  const longest = Math.max(...rules.map(({ length }) => length))
  return rules.length === 0 || rules.some(({ isAllowed, length }) => isAllowed && length === longest)
}

const publicPaths = [
  ...['/', '/example.com', '/keys.example.com', '/monitors.example.com', '/api.example.com', '/setup.example.com'],
  ...['/assets/main.js', '/b.js', '/icon.svg', '/docs', '/api/v1/stats/3/overview?from=2026-01-01'],
]
const closedPaths = [
  ...[
    '/api/monitors',
    '/api/v1/websites',
    '/api/openapi.json',
    '/account',
    '/keys',
    '/users',
    '/notification-channels/3',
  ],
  ...['/monitors', '/monitors?status=down', '/monitors/3', '/websites/new', '/sign-in', '/setup?token=x'],
  '/example.com/settings',
]

describe('/robots.txt', () => {
  it('allows public pages and their data, and disallows the API and pages behind sign-in', async () => {
    const response = await server.anyone.get('/robots.txt')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.text).toMatch(/^User-agent: \*\n/)
    expect(publicPaths.filter((path) => !isCrawlable(response.text, path))).toEqual([])
    expect(closedPaths.filter((path) => isCrawlable(response.text, path))).toEqual([])
    expect((await server.anyone.call('HEAD', '/robots.txt')).status).toBe(200)
  })

  it('has the path of BELFRY_URL in its rules', async () => {
    for (const path of ['/robots.txt', '/belfry/robots.txt']) {
      const { text } = await prefixedServer.anyone.get(path)
      expect(publicPaths.filter((publicPath) => !isCrawlable(text, `/belfry${publicPath}`))).toEqual([])
      expect(closedPaths.filter((closedPath) => isCrawlable(text, `/belfry${closedPath}`))).toEqual([])
      expect(isCrawlable(text, '/api/of-another-application')).toBe(true)
    }
  })
})

describe('/.well-known/security.txt', () => {
  const path = '/.well-known/security.txt'

  it('does not exist without a contact', async () => {
    expect((await server.anyone.get(path)).status).toBe(404)
  })

  it('has a contact, its own address, and an expiry date in the next 180 days', async () => {
    prefixedServer.clock.advance({ days: 400 })
    const response = await prefixedServer.anyone.get(`/belfry${path}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const [contact, expires, canonical, ...rest] = response.text.split('\n')
    expect([contact, canonical, ...rest]).toEqual([
      'Contact: mailto:security@example.com',
      'Canonical: https://example.com/belfry/.well-known/security.txt',
      '',
    ])
    const daysLeft =
      (Date.parse(expires?.slice('Expires: '.length) ?? '') - prefixedServer.clock.now().getTime()) / 86_400_000
    expect(daysLeft).toBeGreaterThan(179)
    expect(daysLeft).toBeLessThanOrEqual(180)
  })
})

describe('a website whose domain is the name of a file', () => {
  it.each(['robots.txt', 'favicon.ico', 'b.js', 'icon.svg', 'sitemap.xml', 'apple-touch-icon.png'])(
    'cannot be added: %s',
    async (domain) => {
      const extension = domain.split('.').at(-1)
      const response = await ada.session.post(websitesPath, { domain })
      expect(response.status).toBe(422)
      expect(response.body.errors).toEqual({
        domain: [
          `\`domain\` must be a domain such as example.com, not a file name: .${extension} is not a top-level domain.`,
        ],
      })
    },
  )

  it('keeps working if it exists already', async () => {
    const { body } = await ada.session.post(websitesPath, { domain: 'existing.example.com' })
    const { id } = body.data
    await server.services.db.query(`update websites set domain = 'sitemap.xml' where id = $1`, [id])
    const page = await server.anyone.get('/sitemap.xml', { headers: { accept: 'text/html' } })
    expect(page.status).toBe(200)
    expect(parseBootData(page.text)).toMatchObject({ website: { id, domain: 'sitemap.xml' } })
    expect((await ada.session.put(`${websitesPath}/${id}`, { favorite: true })).body.data).toMatchObject({
      domain: 'sitemap.xml',
      favorite: true,
    })
  })
})
