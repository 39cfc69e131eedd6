import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WebBuild, parseBootData, createWebBuild } from '../support/web-build.ts'
import type { Client } from '../support/client.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { path as websites } from '../support/websites.ts'

let web: WebBuild
let server: TestServer
let owner: Person
let stranger: Person
let lockedId: number

const password = 'open sesame'
const asPerson = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const long = `${'long.'.repeat(48)}example.com`

beforeAll(async () => {
  web = await createWebBuild()
  server = await startTestServer({ webFolder: web.folder })
  owner = await server.person('owner')
  stranger = await server.person('stranger', { isAdmin: true })
  const make = (domain: string, privacy: number) => owner.session.post(websites, { domain, privacy, password })
  for (const domain of ['open.example.com', 'localhost', 'müller.example.com', long]) await make(domain, 0)
  await make('closed.example.com', 1)
  lockedId = (await make('locked.example.com', 2)).body.data.id
})
afterAll(async () => {
  await server.close()
  await web.remove()
})

const look = (client: Client, path: string, headers: Record<string, string> = {}) =>
  client.get(path, { headers: { ...asPerson, ...headers } })

const noindex = '<meta name="robots" content="noindex">'

describe('the page of a website', () => {
  it('is open to anybody, and to search engines, when it is public', async () => {
    for (const domain of ['open.example.com', 'localhost', long]) {
      const answer = await look(server.anyone, `/${domain}?period=7d`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.text).toContain(`<title>${domain} · Belfry</title>`)
      expect(answer.text).not.toContain(noindex)
      expect(parseBootData(answer.text)).toMatchObject({
        user: null,
        website: { id: expect.any(Number), domain, time_zone: 'UTC', is_owner: false, is_locked: false },
      })
    }
  })

  it('knows its owner', async () => {
    const isOwner = async (client: Client) => parseBootData((await look(client, '/open.example.com')).text).website.is_owner
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
  ])('has one address: %s', async (path, location) => {
    const answer = await look(server.anyone, path)
    expect(answer.status).toBe(301)
    expect(answer.headers.get('location')).toBe(location)
  })

  it('is to others like none when it is private', async () => {
    const mine = await look(owner.session, '/closed.example.com')
    expect(mine.status).toBe(200)
    expect(mine.text).toContain(noindex)
    for (const client of [server.anyone, stranger.session]) {
      // The first request of an hour extends a session.
      await look(client, '/open.example.com')
      const [theirs, none] = [await look(client, '/closed.example.com'), await look(client, '/none.example.com')]
      expect([theirs.status, none.status]).toEqual([404, 404])
      expect(theirs.text).toBe(none.text)
      expect(parseBootData(theirs.text).website).toBe(null)
      expect(theirs.text).toContain(noindex)
      const namesOf = ({ headers }: typeof theirs) => [...headers.keys()]
      expect(namesOf(theirs)).toEqual(namesOf(none))
    }
  })

  it('is a problem to programs where there is none', async () => {
    for (const path of ['/none.example.com', '/closed.example.com', '/favicon.ico', '/robots.txt', '/a.b@c', '/..a']) {
      const answer = await server.anyone.get(path)
      expect([path, answer.status, answer.body?.code]).toEqual([path, 404, 'not_found'])
    }
  })

  it('leaves other paths alone', async () => {
    expect((await server.anyone.get('/nothing')).body.code).toBe('not_found')
    expect((await server.anyone.call('DELETE', '/nothing')).status).toBe(404)
    expect((await server.anyone.call('DELETE', '/some/file.txt')).status).toBe(404)
    expect((await server.anyone.call('POST', '/docs')).status).toBe(405)
    const wrong = await server.anyone.call('POST', '/open.example.com', { form: { password } })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await server.anyone.call('HEAD', '/open.example.com')).status).toBe(200)
  })

  it('is told apart by the scope of a key', async () => {
    const [can, cannot] = [await owner.withKey('websites:read'), await owner.withKey('monitors:read')]
    expect((await can.get('/closed.example.com')).status).toBe(200)
    expect((await cannot.get('/closed.example.com')).body.code).toBe('missing_scope')
  })
})

describe('the page of a website with a password', () => {
  it('asks for it, and opens to whoever knows it', async () => {
    const asked = await look(server.anyone, '/locked.example.com')
    expect(asked.status).toBe(401)
    expect(asked.headers.get('www-authenticate')).toBe('Bearer')
    expect(asked.text).toContain(noindex)
    const { website } = parseBootData(asked.text)
    expect(website).toMatchObject({ id: lockedId, domain: 'locked.example.com', is_owner: false, is_locked: true })

    const unlocked = await server.anyone.post(`/api/v1/stats/${website.id}/unlock`, { password })
    const cookie = unlocked.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const shown = await look(server.anyone, '/locked.example.com', { cookie })
    expect(shown.status).toBe(200)
    expect(parseBootData(shown.text).website.is_locked).toBe(false)
    expect(shown.text).toContain(noindex)
  })

  it('opens to its owner without, and shows its settings to no one else', async () => {
    expect(parseBootData((await look(owner.session, '/locked.example.com')).text).website.is_locked).toBe(false)
    expect((await look(owner.session, '/locked.example.com/settings')).status).toBe(200)
    expect((await look(server.anyone, '/locked.example.com/settings')).status).toBe(404)
  })
})
