import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectMissingScope, expectSameAsNone } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import { type Person, startTestServer, type TestServer } from '../../support/server.ts'
import { path as websites } from '../../support/websites.ts'

let server: TestServer
let owner: Person
let stranger: Person
let open: number
let closed: number
let locked: number

const password = 'open sesame'
const UNKNOWN = 999_999

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.person('owner')
  stranger = await server.person('stranger', { isAdmin: true })
  const make = async (domain: string, privacy: number) =>
    (await owner.session.post(websites, { domain, privacy, password })).body.data.id
  open = await make('open.example.com', 0)
  closed = await make('closed.example.com', 1)
  locked = await make('locked.example.com', 2)
})
afterAll(() => server.close())
beforeEach(() => {
  // Whatever an earlier test used up of the throttle is over.
  server.clock.advance({ minutes: 15 })
})

const reads = ['/overview', '?name=page', '?name=visitors']

const read = (client: Client, id: number, headers: Record<string, string> = {}) =>
  client.get(`/api/v1/stats/${id}/overview`, { headers })

async function unlockCookie(id: number): Promise<string> {
  const answer = await server.anyone.post(`/api/v1/stats/${id}/unlock`, { password })
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

const change = async (id: number, changes: object) =>
  (await owner.withKey('websites:write')).put(`${websites}/${id}`, changes)

describe.each(reads)('statistics at %s', (what) => {
  const ask = (client: Client, id: number, headers: Record<string, string> = {}) =>
    client.get(`/api/v1/stats/${id}${what}`, { headers })

  it('are open to anybody when they are public', async () => {
    const clients = [server.anyone, owner.session, stranger.session, await stranger.withKey('monitors:read')]
    for (const client of clients) expect((await ask(client, open)).status).toBe(200)
  })

  it('are the owner’s alone when they are private, and to others like none', async () => {
    for (const client of [owner.session, await owner.withKey('websites:read')]) {
      expect((await ask(client, closed)).status).toBe(200)
    }
    const others = [server.anyone, stranger.session, await stranger.withKey('websites:read')]
    for (const client of others) expectSameAsNone(await ask(client, closed), await ask(client, UNKNOWN))
  })

  it('need a password that the owner need not know', async () => {
    for (const client of [owner.session, await owner.withKey('websites:read')]) {
      expect((await ask(client, locked)).status).toBe(200)
    }
    for (const client of [server.anyone, stranger.session, await stranger.withKey('websites:read')]) {
      const answer = await ask(client, locked)
      expect(answer.status).toBe(401)
      expect(answer.body.code).toBe('password_required')
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it('need the scope where privacy does not open them, whoever’s they are', async () => {
    const keys = [await owner.withKey('websites:write', 'monitors:read'), await stranger.withKey('monitors:read')]
    for (const key of keys) {
      expect((await ask(key, open)).status).toBe(200)
      for (const id of [closed, locked, UNKNOWN]) expectMissingScope(await ask(key, id), 'websites:read')
    }
  })

  it('open to whoever has the cookie, whatever else they are', async () => {
    const cookie = await unlockCookie(locked)
    expect((await ask(server.anyone, locked, { cookie })).status).toBe(200)
    expect((await ask(server.anyone, locked, { cookie: `a=b; ${cookie}; c=d` })).status).toBe(200)
    const key = await stranger.withKey('monitors:read')
    expect((await ask(key, locked, { cookie })).status).toBe(200)
  })
})

describe('whoever reads', () => {
  it('is described as anybody, or somebody', async () => {
    const { paths } = (await server.anyone.get('/api/openapi.json')).body
    const { security, description } = paths['/api/v1/stats/{id}/overview'].get
    expect(security).toEqual([{}, { key: ['websites:read'] }, { session: [] }])
    expect(description).toContain('otherwise needs `websites:read`')
  })

  it('is told not to keep it', async () => {
    for (const client of [server.anyone, owner.session]) {
      expect((await read(client, open)).headers.get('cache-control')).toBe('no-store')
    }
  })

  it('with a key that is none is refused, also where anybody may read', async () => {
    const made = await stranger.withKey('websites:read')
    expect((await read(made, open)).status).toBe(200)
    await stranger.session.delete(`/api/keys/${made.keyId}`)
    for (const client of [made, server.anyone.as({ key: `bf_${'x'.repeat(43)}` }), server.anyone.as({ key: 'x' })]) {
      const answer = await read(client, open)
      expect(answer.status).toBe(401)
      expect(answer.body.code).toBe('unauthenticated')
    }
  })

  it('with a session that has ended is a guest', async () => {
    const leaver = await server.person('leaver')
    const made = await leaver.session.post(websites, { domain: 'left.example.com', privacy: 1 })
    const mine = made.body.data.id
    expect((await read(leaver.session, mine)).status).toBe(200)
    // Ended behind the back of a server that still remembers it.
    await server.services.db.query('delete from sessions where user_id = $1', [leaver.id])
    expect((await read(leaver.session, mine)).status).toBe(404)
    expect((await read(leaver.session, open)).status).toBe(200)
    expect((await read(server.anyone.as({ cookie: 'made-up' }), open)).status).toBe(200)
  })
})

describe('the limit', () => {
  it('counts guests by address and others by themselves', async () => {
    const strict = await startTestServer({ env: { BELFRY_RATE_LIMIT: '3' } })
    try {
      const reader = await strict.person('reader')
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

describe('a cookie', () => {
  it('opens one website and no other', async () => {
    const made = await owner.session.post(websites, { domain: 'other.example.com', privacy: 2, password })
    const other = made.body.data.id
    const cookie = await unlockCookie(other)
    expect((await read(server.anyone, other, { cookie })).status).toBe(200)
    expect((await read(server.anyone, locked, { cookie })).status).toBe(401)
    const renamed = cookie.replace(`_${other}=`, `_${locked}=`)
    expect((await read(server.anyone, locked, { cookie: renamed })).status).toBe(401)
  })

  it.each([
    ['another signature', (cookie: string) => cookie.slice(0, -1) + (cookie.endsWith('A') ? 'B' : 'A')],
    ['a later end', (cookie: string) => cookie.replace(/=(\d+)/, (_, end) => `=${Number(end) + 1}`)],
    ['no signature', (cookie: string) => cookie.replace(/\..*/, '.')],
    ['something behind it', (cookie: string) => `${cookie}x`],
    ['nothing in it', (cookie: string) => cookie.replace(/=.*/, '=')],
  ])('with %s opens nothing', async (_case, tamper) => {
    const cookie = await unlockCookie(locked)
    expect((await read(server.anyone, locked, { cookie: tamper(cookie) })).status).toBe(401)
  })

  it('ends after 30 days', async () => {
    const cookie = await unlockCookie(locked)
    server.clock.advance({ days: 29, hours: 23 })
    expect((await read(server.anyone, locked, { cookie })).status).toBe(200)
    server.clock.advance({ hours: 2 })
    expect((await read(server.anyone, locked, { cookie })).status).toBe(401)
  })

  it('ends when the password is set, also to the same, on every node', async () => {
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

  it('follows the privacy at once', async () => {
    const cookie = await unlockCookie(locked)
    const statusAt = async (privacy: number) => {
      await change(locked, { privacy })
      return [(await read(server.anyone, locked)).status, (await read(server.anyone, locked, { cookie })).status]
    }
    expect(await statusAt(1)).toEqual([404, 404])
    expect(await statusAt(0)).toEqual([200, 200])
    // With the password that was kept.
    expect(await statusAt(2)).toEqual([401, 200])
  })
})
