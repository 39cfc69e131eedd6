import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { websitesPath as websites } from '../../support/websites.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let open: number
let closed: number
let locked: number

const password = 'open sesame'
const UNKNOWN = 999_999

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  stranger = await server.createUser('stranger', { isAdmin: true })
  const make = async (domain: string, privacy: number) =>
    (await owner.session.post(websites, { domain, privacy, password })).body.data.id
  open = await make('open.example.com', 0)
  closed = await make('closed.example.com', 1)
  locked = await make('locked.example.com', 2)
})
afterAll(() => server.close())
beforeEach(() => {
  // Ends the rate limits of earlier tests.
  server.clock.advance({ minutes: 15 })
})

const reads = ['/overview', '?name=page', '?name=visitors']

const read = (client: Client, id: number, headers: Record<string, string> = {}) =>
  client.get(`/api/v1/stats/${id}/overview`, { headers })

async function unlockCookie(id: number): Promise<string> {
  const response = await server.anyone.post(`/api/v1/stats/${id}/unlock`, { password })
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

const change = async (id: number, changes: object) =>
  (await owner.withKey('websites:write')).put(`${websites}/${id}`, changes)

describe.each(reads)('statistics at %s', (what) => {
  const getStatistics = (client: Client, id: number, headers: Record<string, string> = {}) =>
    client.get(`/api/v1/stats/${id}${what}`, { headers })

  it('are open to everybody if they are public', async () => {
    const clients = [server.anyone, owner.session, stranger.session, await stranger.withKey('monitors:read')]
    for (const client of clients) expect((await getStatistics(client, open)).status).toBe(200)
  })

  it('are only for the owner if they are private, and not found by others', async () => {
    for (const client of [owner.session, await owner.withKey('websites:read')]) {
      expect((await getStatistics(client, closed)).status).toBe(200)
    }
    const others = [server.anyone, stranger.session, await stranger.withKey('websites:read')]
    for (const client of others)
      expectNotFound(await getStatistics(client, closed), await getStatistics(client, UNKNOWN))
  })

  it('need the password, except for the owner', async () => {
    for (const client of [owner.session, await owner.withKey('websites:read')]) {
      expect((await getStatistics(client, locked)).status).toBe(200)
    }
    for (const client of [server.anyone, stranger.session, await stranger.withKey('websites:read')]) {
      const response = await getStatistics(client, locked)
      expect(response.status).toBe(401)
      expect(response.body.code).toBe('password_required')
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it('need the scope of an API key unless they are public, also for the owner', async () => {
    const keys = [await owner.withKey('websites:write', 'monitors:read'), await stranger.withKey('monitors:read')]
    for (const key of keys) {
      expect((await getStatistics(key, open)).status).toBe(200)
      for (const id of [closed, locked, UNKNOWN]) expectMissingScope(await getStatistics(key, id), 'websites:read')
    }
  })

  it('are open to everybody with the unlock cookie', async () => {
    const cookie = await unlockCookie(locked)
    expect((await getStatistics(server.anyone, locked, { cookie })).status).toBe(200)
    expect((await getStatistics(server.anyone, locked, { cookie: `a=b; ${cookie}; c=d` })).status).toBe(200)
    const key = await stranger.withKey('monitors:read')
    expect((await getStatistics(key, locked, { cookie })).status).toBe(200)
  })
})

describe('a request for statistics', () => {
  it('is documented as possible with and without authentication', async () => {
    const { paths } = (await server.anyone.get('/api/openapi.json')).body
    const { security, description } = paths['/api/v1/stats/{id}/overview'].get
    expect(security).toEqual([{}, { key: ['websites:read'] }, { session: [] }])
    expect(description).toContain('otherwise requires `websites:read`')
  })

  it('gets a response that must not be cached', async () => {
    for (const client of [server.anyone, owner.session]) {
      expect((await read(client, open)).headers.get('cache-control')).toBe('no-store')
    }
  })

  it('with an invalid key is rejected, even for public statistics', async () => {
    const key = await stranger.withKey('websites:read')
    expect((await read(key, open)).status).toBe(200)
    await stranger.session.delete(`/api/keys/${key.keyId}`)
    for (const client of [key, server.anyone.as({ key: `bf_${'x'.repeat(43)}` }), server.anyone.as({ key: 'x' })]) {
      const response = await read(client, open)
      expect(response.status).toBe(401)
      expect(response.body.code).toBe('unauthenticated')
    }
  })

  it('with an ended session is treated as a guest', async () => {
    const leaver = await server.createUser('leaver')
    const created = await leaver.session.post(websites, { domain: 'left.example.com', privacy: 1 })
    const id = created.body.data.id
    expect((await read(leaver.session, id)).status).toBe(200)
    // The server has the session in its cache.
    await server.services.db.query('delete from sessions where user_id = $1', [leaver.id])
    expect((await read(leaver.session, id)).status).toBe(404)
    expect((await read(leaver.session, open)).status).toBe(200)
    expect((await read(server.anyone.as({ cookie: 'unknown' }), open)).status).toBe(200)
  })
})

describe('the rate limit of statistics', () => {
  it('applies to the address of a guest and to the user otherwise', async () => {
    const strict = await startTestServer({ env: { BELFRY_RATE_LIMIT: '3' } })
    try {
      const reader = await strict.createUser('reader')
      const guest = () => read(strict.anyone, UNKNOWN, { 'x-forwarded-for': '203.0.113.1' })
      for (const remaining of ['2', '1', '0']) {
        expect((await guest()).headers.get('x-ratelimit-remaining')).toBe(remaining)
      }
      expect((await guest()).status).toBe(429)
      const other = { 'x-forwarded-for': '203.0.113.2' }
      for (let n = 0; n < 3; n++) expect((await read(reader.session, UNKNOWN, other)).status).toBe(404)
      expect((await read(reader.session, UNKNOWN, other)).status).toBe(429)
    } finally {
      await strict.close()
    }
  })
})

describe('an unlock cookie', () => {
  it('opens only its own website', async () => {
    const created = await owner.session.post(websites, { domain: 'other.example.com', privacy: 2, password })
    const other = created.body.data.id
    const cookie = await unlockCookie(other)
    expect((await read(server.anyone, other, { cookie })).status).toBe(200)
    expect((await read(server.anyone, locked, { cookie })).status).toBe(401)
    const renamed = cookie.replace(`_${other}=`, `_${locked}=`)
    expect((await read(server.anyone, locked, { cookie: renamed })).status).toBe(401)
  })

  it.each([
    ['another signature', (cookie: string) => cookie.slice(0, -1) + (cookie.endsWith('A') ? 'B' : 'A')],
    ['a later expiry', (cookie: string) => cookie.replace(/=(\d+)/, (_, end) => `=${Number(end) + 1}`)],
    ['no signature', (cookie: string) => cookie.replace(/\..*/, '.')],
    ['an additional character', (cookie: string) => `${cookie}x`],
    ['an empty value', (cookie: string) => cookie.replace(/=.*/, '=')],
  ])('with %s opens nothing', async (_case, tamper) => {
    const cookie = await unlockCookie(locked)
    expect((await read(server.anyone, locked, { cookie: tamper(cookie) })).status).toBe(401)
  })

  it('expires after 30 days', async () => {
    const cookie = await unlockCookie(locked)
    server.clock.advance({ days: 29, hours: 23 })
    expect((await read(server.anyone, locked, { cookie })).status).toBe(200)
    server.clock.advance({ hours: 2 })
    expect((await read(server.anyone, locked, { cookie })).status).toBe(401)
  })

  it('expires on every node when the password is set, even to the same one', async () => {
    const node = await startTestServer({ database: server.database, clock: server.clock })
    try {
      const cookie = await unlockCookie(locked)
      expect((await read(node.anyone, locked, { cookie })).status).toBe(200)
      await change(locked, { password })
      for (const client of [server.anyone, node.anyone]) {
        expect((await read(client, locked, { cookie })).status).toBe(401)
      }
      expect((await read(node.anyone, locked, { cookie: await unlockCookie(locked) })).status).toBe(200)
    } finally {
      await node.close()
    }
  })

  it('depends on the current privacy', async () => {
    const cookie = await unlockCookie(locked)
    const statusAt = async (privacy: number) => {
      await change(locked, { privacy })
      return [(await read(server.anyone, locked)).status, (await read(server.anyone, locked, { cookie })).status]
    }
    expect(await statusAt(1)).toEqual([404, 404])
    expect(await statusAt(0)).toEqual([200, 200])
    // The password is still the same.
    expect(await statusAt(2)).toEqual([401, 200])
  })
})
