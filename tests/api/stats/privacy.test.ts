import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import { hashCheaply } from '../../support/cheap-hash.ts'
import type { Client } from '../../support/client.ts'
import { TestClock } from '../../support/clock.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { websitesPath } from '../../support/websites.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let publicId: number
let privateId: number
let lockedId: number

const password = 'open sesame'
const UNKNOWN_ID = 999_999

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  stranger = await server.createUser('stranger', { isAdmin: true })
  const createWebsite = async (domain: string, privacy: number) =>
    (await owner.session.post(websitesPath, { domain, privacy, password })).body.data.id
  publicId = await createWebsite('open.example.com', 0)
  privateId = await createWebsite('closed.example.com', 1)
  lockedId = await createWebsite('locked.example.com', 2)
  // Most tests unlock the website, so its hash is cheap to verify.
  const hash = await hashCheaply(password)
  await server.services.db.query('update websites set password_hash = $2 where id = $1', [lockedId, hash])
})
afterAll(() => server.close())
beforeEach(() => {
  // Start new rate limit windows, because earlier tests may have used up the limits.
  server.clock.advance({ minutes: 15 })
})

const statisticsPaths = ['/overview', '?name=page', '?name=visitors']

const readOverview = (client: Client, id: number, headers: Record<string, string> = {}) =>
  client.get(`/api/v1/stats/${id}/overview`, { headers })

async function fetchUnlockCookie(id: number, node = server): Promise<string> {
  const response = await node.anyone.post(`/api/v1/stats/${id}/unlock`, { password })
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

const updateWebsite = async (id: number, changes: object) =>
  (await owner.withKey('websites:write')).put(`${websitesPath}/${id}`, changes)

describe.each(statisticsPaths)('statistics at %s', (statisticsPath) => {
  const getStatistics = (client: Client, id: number, headers: Record<string, string> = {}) =>
    client.get(`/api/v1/stats/${id}${statisticsPath}`, { headers })

  it('are open to everybody if they are public', async () => {
    const clients = [server.anyone, owner.session, stranger.session, await stranger.withKey('monitors:read')]
    for (const client of clients) expect((await getStatistics(client, publicId)).status).toBe(200)
  })

  it('are only for the owner if they are private, and other users get the response for an unknown website', async () => {
    for (const client of [owner.session, await owner.withKey('websites:read')]) {
      expect((await getStatistics(client, privateId)).status).toBe(200)
    }
    const otherClients = [server.anyone, stranger.session, await stranger.withKey('websites:read')]
    for (const client of otherClients)
      expectNotFound(await getStatistics(client, privateId), await getStatistics(client, UNKNOWN_ID))
  })

  it('with a password require it from everybody but the owner', async () => {
    for (const client of [owner.session, await owner.withKey('websites:read')]) {
      expect((await getStatistics(client, lockedId)).status).toBe(200)
    }
    for (const client of [server.anyone, stranger.session, await stranger.withKey('websites:read')]) {
      const response = await getStatistics(client, lockedId)
      expect(response.status).toBe(401)
      expect(response.body.code).toBe('password_required')
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it('require the scope websites:read of every API key, even of a key of the owner, unless they are public', async () => {
    const keyClients = [await owner.withKey('websites:write', 'monitors:read'), await stranger.withKey('monitors:read')]
    for (const keyClient of keyClients) {
      expect((await getStatistics(keyClient, publicId)).status).toBe(200)
      for (const id of [privateId, lockedId, UNKNOWN_ID])
        expectMissingScope(await getStatistics(keyClient, id), 'websites:read')
    }
  })

  it('are open to everybody with the unlock cookie', async () => {
    const cookie = await fetchUnlockCookie(lockedId)
    expect((await getStatistics(server.anyone, lockedId, { cookie })).status).toBe(200)
    expect((await getStatistics(server.anyone, lockedId, { cookie: `a=b; ${cookie}; c=d` })).status).toBe(200)
    const keyClient = await stranger.withKey('monitors:read')
    expect((await getStatistics(keyClient, lockedId, { cookie })).status).toBe(200)
  })
})

describe('a request for statistics', () => {
  it('is documented as possible with and without authentication', async () => {
    const { paths } = (await server.anyone.get('/api/openapi.json')).body
    const { security, description, 'x-required-scopes': scopes } = paths['/api/v1/stats/{id}/overview'].get
    expect(security).toEqual([{}, { key: [] }, { session: [] }])
    expect(scopes).toEqual(['websites:read'])
    expect(description).toContain('otherwise requires `websites:read`')
  })

  it('gets a response that must not be cached', async () => {
    for (const client of [server.anyone, owner.session]) {
      expect((await readOverview(client, publicId)).headers.get('cache-control')).toBe('no-store')
    }
  })

  it('with an invalid key is rejected, even for public statistics', async () => {
    const keyClient = await stranger.withKey('websites:read')
    expect((await readOverview(keyClient, publicId)).status).toBe(200)
    await stranger.session.delete(`/api/keys/${keyClient.keyId}`)
    for (const client of [
      keyClient,
      server.anyone.as({ key: `bf_${'x'.repeat(43)}` }),
      server.anyone.as({ key: 'x' }),
    ]) {
      const response = await readOverview(client, publicId)
      expect(response.status).toBe(401)
      expect(response.body.code).toBe('unauthenticated')
    }
  })

  it('with an ended session is treated like a request of a visitor', async () => {
    const leaver = await server.createUser('leaver')
    const createResponse = await leaver.session.post(websitesPath, { domain: 'left.example.com', privacy: 1 })
    const id = createResponse.body.data.id
    expect((await readOverview(leaver.session, id)).status).toBe(200)
    // The server has cached the session, but must notice that it ended.
    await server.services.db.query('delete from sessions where user_id = $1', [leaver.id])
    expect((await readOverview(leaver.session, id)).status).toBe(404)
    expect((await readOverview(leaver.session, publicId)).status).toBe(200)
    expect((await readOverview(server.anyone.as({ cookie: 'unknown' }), publicId)).status).toBe(200)
  })
})

describe('the rate limit of statistics', () => {
  it('applies to the address of a visitor, and to the user if somebody is signed in', async () => {
    const strictServer = await startTestServer({ env: { BELFRY_RATE_LIMIT: '3' } })
    try {
      const reader = await strictServer.createUser('reader')
      const readAsVisitor = () => readOverview(strictServer.anyone, UNKNOWN_ID, { 'x-forwarded-for': '203.0.113.1' })
      for (const remaining of ['2', '1', '0']) {
        expect((await readAsVisitor()).headers.get('x-ratelimit-remaining')).toBe(remaining)
      }
      expect((await readAsVisitor()).status).toBe(429)
      const otherAddress = { 'x-forwarded-for': '203.0.113.2' }
      for (let n = 0; n < 3; n++)
        expect((await readOverview(reader.session, UNKNOWN_ID, otherAddress)).status).toBe(404)
      expect((await readOverview(reader.session, UNKNOWN_ID, otherAddress)).status).toBe(429)
    } finally {
      await strictServer.close()
    }
  })
})

describe('an unlock cookie', () => {
  it('opens only its own website', async () => {
    const createResponse = await owner.session.post(websitesPath, { domain: 'other.example.com', privacy: 2, password })
    const otherId = createResponse.body.data.id
    const cookie = await fetchUnlockCookie(otherId)
    expect((await readOverview(server.anyone, otherId, { cookie })).status).toBe(200)
    expect((await readOverview(server.anyone, lockedId, { cookie })).status).toBe(401)
    const renamedCookie = cookie.replace(`_${otherId}=`, `_${lockedId}=`)
    expect((await readOverview(server.anyone, lockedId, { cookie: renamedCookie })).status).toBe(401)
  })

  it.each([
    ['another signature', (cookie: string) => cookie.slice(0, -1) + (cookie.endsWith('A') ? 'B' : 'A')],
    ['a later expiry', (cookie: string) => cookie.replace(/=(\d+)/, (_, end) => `=${Number(end) + 1}`)],
    ['no signature', (cookie: string) => cookie.replace(/\..*/, '.')],
    ['an additional character', (cookie: string) => `${cookie}x`],
    ['an empty value', (cookie: string) => cookie.replace(/=.*/, '=')],
  ])('with %s opens nothing', async (_case, tamper) => {
    const cookie = await fetchUnlockCookie(lockedId)
    expect((await readOverview(server.anyone, lockedId, { cookie: tamper(cookie) })).status).toBe(401)
  })

  it('expires after 30 days', async () => {
    // This node has its own clock, because advancing the shared clock by a month would end the sessions of other tests.
    const node = await startTestServer({ database: server.database, clock: new TestClock(server.clock.now()) })
    try {
      const cookie = await fetchUnlockCookie(lockedId, node)
      node.clock.advance({ days: 29, hours: 23 })
      expect((await readOverview(node.anyone, lockedId, { cookie })).status).toBe(200)
      node.clock.advance({ hours: 2 })
      expect((await readOverview(node.anyone, lockedId, { cookie })).status).toBe(401)
    } finally {
      await node.close()
    }
  })

  it('expires on every node when the password is set, even to the same password', async () => {
    const node = await startTestServer({ database: server.database, clock: server.clock })
    try {
      const cookie = await fetchUnlockCookie(lockedId)
      expect((await readOverview(node.anyone, lockedId, { cookie })).status).toBe(200)
      await updateWebsite(lockedId, { password })
      for (const client of [server.anyone, node.anyone]) {
        expect((await readOverview(client, lockedId, { cookie })).status).toBe(401)
      }
      expect((await readOverview(node.anyone, lockedId, { cookie: await fetchUnlockCookie(lockedId) })).status).toBe(
        200,
      )
    } finally {
      await node.close()
    }
  })

  it('depends on the current privacy', async () => {
    const cookie = await fetchUnlockCookie(lockedId)
    const readStatusesAt = async (privacy: number) => {
      await updateWebsite(lockedId, { privacy })
      return [
        (await readOverview(server.anyone, lockedId)).status,
        (await readOverview(server.anyone, lockedId, { cookie })).status,
      ]
    }
    expect(await readStatusesAt(1)).toEqual([404, 404])
    expect(await readStatusesAt(0)).toEqual([200, 200])
    // The website still has the same password, so the cookie is valid again.
    expect(await readStatusesAt(2)).toEqual([401, 200])
  })
})
