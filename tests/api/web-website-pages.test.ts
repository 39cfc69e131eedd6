import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createFakeWebBuild, type FakeWebBuild, parseBootData } from '../support/web-build.ts'
import { websitesPath } from '../support/websites.ts'

let web: FakeWebBuild
let server: TestServer
let owner: TestUser
let stranger: TestUser
let lockedId: number

const password = 'open sesame'
const browserHeaders = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const longDomain = `${'long.'.repeat(48)}example.com`

beforeAll(async () => {
  web = await createFakeWebBuild()
  server = await startTestServer({ webFolder: web.folder })
  owner = await server.createUser('owner')
  stranger = await server.createUser('stranger', { isAdmin: true })
  const createWebsite = (domain: string, privacy: number) =>
    owner.session.post(websitesPath, { domain, privacy, password })
  for (const domain of ['open.example.com', 'localhost', 'müller.example.com', longDomain])
    await createWebsite(domain, 0)
  await createWebsite('closed.example.com', 1)
  lockedId = (await createWebsite('locked.example.com', 2)).body.data.id
})
afterAll(async () => {
  await server.close()
  await web.remove()
})

const open = (client: Client, path: string, headers: Record<string, string> = {}) =>
  client.get(path, { headers: { ...browserHeaders, ...headers } })

const noindex = '<meta name="robots" content="noindex">'

describe('the page of a website', () => {
  it('is visible to everyone and to search engines if it is public', async () => {
    for (const domain of ['open.example.com', 'localhost', longDomain]) {
      const response = await open(server.anyone, `/${domain}?period=7d`)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.text).toContain(`<title>${domain} · Belfry</title>`)
      expect(response.text).not.toContain(noindex)
      expect(parseBootData(response.text)).toMatchObject({
        user: null,
        website: {
          id: expect.any(Number),
          domain,
          time_zone: 'UTC',
          is_owner: false,
          is_locked: false,
          is_sample: false,
        },
      })
    }
  })

  it('recognizes its owner', async () => {
    const isOwner = async (client: Client) =>
      parseBootData((await open(client, '/open.example.com')).text).website.is_owner
    expect(await isOwner(owner.session)).toBe(true)
    expect(await isOwner(stranger.session)).toBe(false)
  })

  it.each([
    ['/OPEN.example.com?period=7d&filter=a', './open.example.com?period=7d&filter=a'],
    ['/www.open.example.com', './open.example.com'],
    ['/open.example.com.', './open.example.com'],
    ['/m%C3%BCller.example.com', './xn--mller-kva.example.com'],
    ['/Nothing.example.com', './nothing.example.com'],
    ['/open.example.com/', '../open.example.com'],
    ['/www.Open.example.com/?period=7d', '../open.example.com?period=7d'],
    ['/localhost/', '../localhost'],
  ])('has one canonical URL: %s', async (path, location) => {
    const response = await open(server.anyone, path)
    expect(response.status).toBe(301)
    expect(response.headers.get('location')).toBe(location)
  })

  it('looks like a missing page to other users if it is private', async () => {
    const ownersPage = await open(owner.session, '/closed.example.com')
    expect(ownersPage.status).toBe(200)
    expect(ownersPage.text).toContain(noindex)
    for (const client of [server.anyone, stranger.session]) {
      // The first request in an hour extends the session, so its response has one more header. Send it before the comparison.
      await open(client, '/open.example.com')
      const [hiddenPage, missingPage] = [
        await open(client, '/closed.example.com'),
        await open(client, '/none.example.com'),
      ]
      expect([hiddenPage.status, missingPage.status]).toEqual([404, 404])
      expect(hiddenPage.text).toBe(missingPage.text)
      expect(parseBootData(hiddenPage.text).website).toBe(null)
      expect(hiddenPage.text).toContain(noindex)
      const getHeaderNames = ({ headers }: typeof hiddenPage) => [...headers.keys()]
      expect(getHeaderNames(hiddenPage)).toEqual(getHeaderNames(missingPage))
    }
  })

  it('returns a problem to programs if it does not exist', async () => {
    for (const path of ['/none.example.com', '/closed.example.com', '/favicon.ico', '/sitemap.xml', '/a.b@c', '/..a']) {
      const response = await server.anyone.get(path)
      expect([path, response.status, response.body?.code]).toEqual([path, 404, 'not_found'])
    }
  })

  it('does not capture other paths', async () => {
    expect((await server.anyone.get('/nothing')).body.code).toBe('not_found')
    expect((await server.anyone.call('DELETE', '/nothing')).status).toBe(404)
    expect((await server.anyone.call('DELETE', '/some/file.txt')).status).toBe(404)
    expect((await server.anyone.call('POST', '/docs')).status).toBe(405)
    const postResponse = await server.anyone.call('POST', '/open.example.com', { form: { password } })
    expect([postResponse.status, postResponse.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await server.anyone.call('HEAD', '/open.example.com')).status).toBe(200)
  })

  it('requires the scope websites:read of a key', async () => {
    const [readerKeyClient, otherKeyClient] = [
      await owner.withKey('websites:read'),
      await owner.withKey('monitors:read'),
    ]
    expect((await readerKeyClient.get('/closed.example.com')).status).toBe(200)
    expect((await otherKeyClient.get('/closed.example.com')).body.code).toBe('missing_scope')
  })
})

describe('the page of a website with a password', () => {
  it('requires the password and is visible after unlocking', async () => {
    const lockedPage = await open(server.anyone, '/locked.example.com')
    expect(lockedPage.status).toBe(401)
    expect(lockedPage.headers.get('www-authenticate')).toBe('Bearer')
    expect(lockedPage.text).toContain(noindex)
    const { website } = parseBootData(lockedPage.text)
    expect(website).toMatchObject({ id: lockedId, domain: 'locked.example.com', is_owner: false, is_locked: true })

    const unlockResponse = await server.anyone.post(`/api/v1/stats/${website.id}/unlock`, { password })
    const cookie = unlockResponse.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const unlockedPage = await open(server.anyone, '/locked.example.com', { cookie })
    expect(unlockedPage.status).toBe(200)
    expect(parseBootData(unlockedPage.text).website.is_locked).toBe(false)
    expect(unlockedPage.text).toContain(noindex)
  })

  it('needs no password for its owner, and only the owner sees its settings', async () => {
    expect(parseBootData((await open(owner.session, '/locked.example.com')).text).website.is_locked).toBe(false)
    expect((await open(owner.session, '/locked.example.com/settings')).status).toBe(200)
    expect((await open(server.anyone, '/locked.example.com/settings')).status).toBe(404)
  })
})
