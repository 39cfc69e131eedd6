import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WebBuild, parseBaseHref, parseBootData, createWebBuild } from '../support/web-build.ts'
import type { Client } from '../support/client.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { path as websites } from '../support/websites.ts'

let web: WebBuild
let server: TestServer
let owner: Person

const asPerson = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const look = (client: Client, path: string, headers: Record<string, string> = {}) =>
  client.get(path, { headers: { ...asPerson, ...headers } })

beforeAll(async () => {
  web = await createWebBuild()
  server = await startTestServer({ webFolder: web.folder, env: { BELFRY_TIME_ZONE: 'Europe/Berlin' } })
})
afterAll(async () => {
  await server.close()
  await web.remove()
})

describe('before there is an account', () => {
  it('says where the link is', async () => {
    const { status, text } = await look(server.anyone, '/')
    expect(status).toBe(200)
    expect(text).toContain('Open the link that it printed')
  })
})

describe('a page of the application', () => {
  beforeAll(async () => {
    owner = await server.person('owner', { isAdmin: true })
  })

  it.each([
    ['/', './'],
    ['/sign-in', './'],
    ['/account', './'],
    ['/monitors', './'],
    ['/monitors?status=down&back=/a/b', './'],
    ['/monitors/new', '../'],
    ['/monitors/12', '../'],
    ['/monitors/12/edit', '../../'],
    ['/websites/new', '../'],
    ['/providers', './'],
    ['/providers/new', '../'],
    ['/providers/7', '../'],
    ['/keys', './'],
    ['/users', './'],
  ])('is at %s', async (path, base) => {
    const { status, headers, text } = await look(server.anyone, path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(parseBaseHref(text)).toBe(base)
    expect(text).toContain('<title>Belfry</title>')
    expect(text).toContain('<meta name="robots" content="noindex">')
    expect(text).not.toContain('<!--')
  })

  it('lets nothing run but the files of this server, and is not kept', async () => {
    const { headers } = await look(owner.session, '/')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('etag')).toBe(null)
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('says who is signed in, and what the server can do for them', async () => {
    const { id, email } = owner
    expect(parseBootData((await look(owner.session, '/monitors')).text)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      base_url: null,
      user: { id, email, is_admin: true },
      server: {
        transports: { email: false, telegram: true, slack: true, sms: false },
        private_targets: false,
        time_zone: 'Europe/Berlin',
      },
    })
  })

  it('says nothing of that to others, nor to whoever was signed in once', async () => {
    const ended = await server.person('gone')
    expect(parseBootData((await look(ended.session, '/')).text).user.email).toBe(ended.email)
    await ended.session.delete('/api/session')
    const made = server.anyone.as({ cookie: 'made-up' })
    for (const client of [server.anyone, ended.session, made]) {
      const { status, text } = await look(client, '/')
      expect(status).toBe(200)
      expect(parseBootData(text)).toMatchObject({ user: null, server: null })
    }
  })

  it('takes no key for a person', async () => {
    const key = await owner.withKey()
    expect(parseBootData((await key.get('/')).text).user).toBe(null)
    const wrong = await server.anyone.as({ key: `bf_${'x'.repeat(43)}` }).get('/')
    expect([wrong.status, wrong.body.code]).toEqual([401, 'unauthenticated'])
  })

  it('answers HEAD, and nothing that would change something', async () => {
    expect((await server.anyone.call('HEAD', '/monitors/12/edit', { headers: asPerson })).status).toBe(200)
    for (const path of ['/', '/monitors', '/monitors/12/edit']) {
      const answer = await server.anyone.call('POST', path, { form: {} })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it('is extended with the session, like every answer', async () => {
    const other = await server.person('extended')
    server.clock.advance({ hours: 2 })
    const { headers } = await look(other.session, '/')
    expect(headers.get('set-cookie')).toContain('belfry_session=')
  })
})

describe('a page that cannot be shown', () => {
  it('says why to a person, and to a program as everywhere', async () => {
    const strict = await startTestServer({ webFolder: web.folder, env: { BELFRY_RATE_LIMIT: '1' } })
    const from = { 'x-forwarded-for': '203.0.113.9' }
    await look(strict.anyone, '/', from)
    const [page, problem] = [await look(strict.anyone, '/', from), await strict.anyone.get('/', { headers: from })]
    const nothing = await look(strict.anyone, '/nothing', from)
    await strict.close()
    expect([nothing.status, nothing.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    expect([page.status, problem.status]).toEqual([429, 429])
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('retry-after')).toBe(problem.headers.get('retry-after'))
    expect(page.text).toContain('At most 1 requests a minute.')
    expect(problem.body.code).toBe('rate_limited')
  })
})

describe('a path that is none', () => {
  it('is the application to a browser, which says so', async () => {
    for (const path of ['/nothing', '/monitors/abc', '/monitors/12/nothing', '/settings/a/b']) {
      const { status, headers, text } = await look(owner.session, path)
      expect([path, status]).toEqual([path, 404])
      expect(headers.get('cache-control')).toBe('no-store')
      expect(parseBootData(text)).toMatchObject({ user: { email: owner.email } })
      expect(parseBootData(text)).not.toHaveProperty('website')
      expect(parseBaseHref(text)).toBe('../'.repeat(path.split('/').length - 2) || './')
    }
  })

  it('is a problem to programs, in the API and among the files', async () => {
    expect((await owner.session.get('/nothing')).body.code).toBe('not_found')
    for (const path of ['/api', '/api/nothing', '/api/monitors/12/nothing', '/assets/nothing.js', '/icon.png']) {
      const { status, text, headers } = await look(owner.session, path)
      expect([path, status]).toEqual([path, 404])
      if (path !== '/icon.png') expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
      expect(text).not.toContain('<script>')
    }
    expect((await server.anyone.call('DELETE', '/nothing', { headers: asPerson })).body.code).toBe('not_found')
  })

  it('lets nobody write into the page', async () => {
    const hostile = `/x"><script>alert(1)</script>/${encodeURIComponent('"><script>alert(1)</script>')}`
    const { status, text } = await look(server.anyone, hostile, { host: 'a"><script>alert(1)</script>' })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).not.toContain('<script>alert')
  })
})

describe('what stands in a page', () => {
  it('cannot end the element it stands in', async () => {
    const hostile = await server.person(`</script><script>alert(1)</script>\u2028\u2029<!--base-->`)
    const { text } = await look(hostile.session, '/')
    expect(text).not.toContain('<script>alert')
    expect(text).not.toMatch(/[\u2028\u2029]/)
    expect(parseBootData(text).user.email).toBe(hostile.email)
    expect(text.match(/<base/g)).toHaveLength(1)
  })
})

describe('the page of a website for its owner', () => {
  it('has settings, which are not there for others', async () => {
    const stranger = await server.person('stranger', { isAdmin: true })
    await owner.session.post(websites, { domain: 'open.example.org', privacy: 0 })
    const mine = await look(owner.session, '/open.example.org/settings?tab=2')
    expect(mine.status).toBe(200)
    expect(parseBaseHref(mine.text)).toBe('../')
    expect(parseBootData(mine.text).website).toMatchObject({ domain: 'open.example.org', is_owner: true, is_locked: false })
    for (const client of [server.anyone, stranger.session]) {
      const theirs = await look(client, '/open.example.org/settings')
      const none = await look(client, '/none.example.org/settings')
      expect([theirs.status, none.status]).toEqual([404, 404])
      expect(theirs.text).toBe(none.text)
      expect(parseBootData(theirs.text).website).toBe(null)
    }
    const moved = await look(owner.session, '/www.OPEN.example.org/settings?tab=2')
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '../open.example.org/settings?tab=2'])
  })
})
