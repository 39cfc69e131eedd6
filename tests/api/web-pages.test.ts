import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Client } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createFakeWebBuild, type FakeWebBuild, parseBaseHref, parseBootData } from '../support/web-build.ts'
import { websitesPath } from '../support/websites.ts'

let web: FakeWebBuild
let server: TestServer
let owner: TestUser

const browserHeaders = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const open = (client: Client, path: string, headers: Record<string, string> = {}) =>
  client.get(path, { headers: { ...browserHeaders, ...headers } })

beforeAll(async () => {
  web = await createFakeWebBuild()
  server = await startTestServer({ webFolder: web.folder, env: { BELFRY_TIME_ZONE: 'Europe/Berlin' } })
  owner = await server.createUser('owner', { isAdmin: true })
})
afterAll(async () => {
  await server.close()
  await web.remove()
})

describe('before the first account', () => {
  it('the page says where to find the setup link', async () => {
    const newServer = await startTestServer({ webFolder: web.folder })
    onTestFinished(() => newServer.close())
    const { status, text } = await open(newServer.anyone, '/')
    expect(status).toBe(200)
    expect(text).toContain('Open the setup link that the server printed')
  })
})

describe('a page of the web application', () => {
  it.each([
    ['/', './'],
    ['/sign-in', './'],
    ['/account', './'],
    ['/incidents?state=open', './'],
    ['/incidents/12', '../'],
    ['/monitors', './'],
    ['/monitors?status=down&back=/a/b', './'],
    ['/monitors/new', '../'],
    ['/monitors/12', '../'],
    ['/monitors/12/edit', '../../'],
    ['/websites/new', '../'],
    ['/notification-channels', './'],
    ['/notification-channels/new', '../'],
    ['/notification-channels/7', '../'],
    ['/keys', './'],
    ['/users', './'],
  ])('is served at %s', async (path, base) => {
    const { status, headers, text } = await open(server.anyone, path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(parseBaseHref(text)).toBe(base)
    expect(text).toContain('<title>Belfry</title>')
    expect(text).toContain('<meta name="robots" content="noindex">')
    expect(text).not.toContain('<!--')
  })

  it.each([
    ['/providers', './notification-channels'],
    ['/providers?from=mail', './notification-channels?from=mail'],
    ['/providers/new', '../notification-channels/new'],
    ['/providers/7', '../notification-channels/7'],
  ])('about notification channels redirects from its former address %s to %s', async (path, location) => {
    const { status, headers } = await open(server.anyone, path)
    expect([status, headers.get('location')]).toEqual([301, location])
  })

  it('allows only scripts of this server and is not cached', async () => {
    const { headers } = await open(owner.session, '/')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("; frame-src 'self';")
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('etag')).toBe(null)
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('contains the signed-in user and the features of the server', async () => {
    const { id, email } = owner
    expect(parseBootData((await open(owner.session, '/monitors')).text)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      base_url: null,
      favicons: false,
      password_command: 'npm run belfry -- user password you@example.com',
      user: { id, email, is_admin: true },
      server: {
        transports: { email: false, sms: false },
        private_targets: false,
        time_zone: 'Europe/Berlin',
      },
    })
  })

  it('contains no user or server features for visitors and ended sessions', async () => {
    const signedOutUser = await server.createUser('gone')
    expect(parseBootData((await open(signedOutUser.session, '/')).text).user.email).toBe(signedOutUser.email)
    await signedOutUser.session.delete('/api/session')
    const unknownClient = server.anyone.as({ cookie: 'nonsense' })
    for (const client of [server.anyone, signedOutUser.session, unknownClient]) {
      const { status, text } = await open(client, '/')
      expect(status).toBe(200)
      expect(parseBootData(text)).toMatchObject({ user: null, server: null })
    }
  })

  it('does not accept an API key as a signed-in user', async () => {
    const keyClient = await owner.withKey()
    expect(parseBootData((await keyClient.get('/')).text).user).toBe(null)
    const wrongKeyResponse = await server.anyone.as({ key: `bf_${'x'.repeat(43)}` }).get('/')
    expect([wrongKeyResponse.status, wrongKeyResponse.body.code]).toEqual([401, 'unauthenticated'])
  })

  it('allows only GET and HEAD', async () => {
    expect((await server.anyone.call('HEAD', '/monitors/12/edit', { headers: browserHeaders })).status).toBe(200)
    for (const path of ['/', '/monitors', '/monitors/12/edit']) {
      const response = await server.anyone.call('POST', path, { form: {} })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it('extends the session, like every request', async () => {
    const otherUser = await server.createUser('extended')
    server.clock.advance({ hours: 2 })
    const { headers } = await open(otherUser.session, '/')
    expect(headers.get('set-cookie')).toContain('belfry_session=')
  })
})

describe('a page that cannot be loaded', () => {
  it('shows the reason as a page in browsers, and as a problem to programs', async () => {
    const strictServer = await startTestServer({ webFolder: web.folder, env: { BELFRY_RATE_LIMIT: '1' } })
    const { session } = await strictServer.createUser('eve')
    await open(session, '/')
    const [page, problem] = [await open(session, '/'), await session.get('/')]
    const fromAddress = { 'x-forwarded-for': '203.0.113.9' }
    await open(strictServer.anyone, '/nothing', fromAddress)
    const unknownPathResponse = await open(strictServer.anyone, '/nothing', fromAddress)
    await strictServer.close()
    expect([unknownPathResponse.status, unknownPathResponse.headers.get('content-type')]).toEqual([
      429,
      'text/html; charset=utf-8',
    ])
    expect([page.status, problem.status]).toEqual([429, 429])
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('retry-after')).toBe(problem.headers.get('retry-after'))
    expect(page.text).toContain('More than 1 requests per minute from your sessions.')
    expect(problem.body.code).toBe('rate_limited')
  })
})

describe('an unknown path', () => {
  it('returns the application with status 404 to browsers', async () => {
    for (const path of ['/nothing', '/monitors/abc', '/monitors/12/nothing', '/settings/a/b']) {
      const { status, headers, text } = await open(owner.session, path)
      expect([path, status]).toEqual([path, 404])
      expect(headers.get('cache-control')).toBe('no-store')
      expect(parseBootData(text)).toMatchObject({ user: { email: owner.email } })
      expect(parseBootData(text)).not.toHaveProperty('website')
      expect(parseBaseHref(text)).toBe('../'.repeat(path.split('/').length - 2) || './')
    }
  })

  it('returns a problem to programs, and for API and file paths', async () => {
    expect((await owner.session.get('/nothing')).body.code).toBe('not_found')
    for (const path of ['/api', '/api/nothing', '/api/monitors/12/nothing', '/assets/nothing.js', '/icon.png']) {
      const { status, text, headers } = await open(owner.session, path)
      expect([path, status]).toEqual([path, 404])
      if (path !== '/icon.png') expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
      expect(text).not.toContain('<script>')
    }
    expect((await server.anyone.call('DELETE', '/nothing', { headers: browserHeaders })).body.code).toBe('not_found')
  })

  it('cannot inject HTML into the page', async () => {
    const hostilePath = `/x"><script>alert(1)</script>/${encodeURIComponent('"><script>alert(1)</script>')}`
    const { status, text } = await open(server.anyone, hostilePath, { host: 'a"><script>alert(1)</script>' })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).not.toContain('<script>alert')
  })
})

describe('data in a page', () => {
  it('cannot end its script element', async () => {
    const hostileUser = await server.createUser(`</script><script>alert(1)</script>\u2028\u2029<!--base-->`)
    const { text } = await open(hostileUser.session, '/')
    expect(text).not.toContain('<script>alert')
    expect(text).not.toMatch(/[\u2028\u2029]/)
    expect(parseBootData(text).user.email).toBe(hostileUser.email)
    expect(text.match(/<base/g)).toHaveLength(1)
  })
})

describe('the page of a website for its owner', () => {
  it('has settings, which other users cannot see', async () => {
    const stranger = await server.createUser('stranger', { isAdmin: true })
    await owner.session.post(websitesPath, { domain: 'open.example.org', privacy: 0 })
    const ownersPage = await open(owner.session, '/open.example.org/settings?tab=2')
    expect(ownersPage.status).toBe(200)
    expect(parseBaseHref(ownersPage.text)).toBe('../')
    expect(parseBootData(ownersPage.text).website).toMatchObject({
      domain: 'open.example.org',
      is_owner: true,
      is_locked: false,
    })
    for (const client of [server.anyone, stranger.session]) {
      const strangersPage = await open(client, '/open.example.org/settings')
      const missingPage = await open(client, '/none.example.org/settings')
      expect([strangersPage.status, missingPage.status]).toEqual([404, 404])
      expect(strangersPage.text).toBe(missingPage.text)
      expect(parseBootData(strangersPage.text).website).toBe(null)
    }
    const redirect = await open(owner.session, '/www.OPEN.example.org/settings?tab=2')
    expect([redirect.status, redirect.headers.get('location')]).toEqual([301, '../open.example.org/settings?tab=2'])
  })
})
