import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '../../src/app/create-app.ts'
import { syncRateCounts } from '../../src/storage/rate-counts.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let server: TestServer
/** Each test gets its own user, because the limit of a user includes all requests of the last minute. */
let ada: TestUser
let userCount = 0

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_RATE_LIMIT: '5' } })
})
afterAll(() => server.close())
beforeEach(async () => {
  ada = await server.createUser(`ada${++userCount}`)
  // Requests without credentials are counted by address, and earlier tests sent some from the same address.
  server.clock.advance({ minutes: 2 })
})

const syncCounts = (node: TestServer) => syncRateCounts(node.services.db, node.services.counter)

describe('the rate limit', () => {
  it('is reported with every response, and exceeding it returns 429', async () => {
    const keyClient = await ada.withKey()
    const resetAtSeconds = server.clock.now().getTime() / 1000 + 60
    for (const remainingCount of [4, 3, 2, 1, 0]) {
      const { status, headers } = await keyClient.get('/api/keys')
      expect(status).toBe(200)
      expect(headers.get('x-ratelimit-limit')).toBe('5')
      expect(headers.get('x-ratelimit-remaining')).toBe(String(remainingCount))
      expect(headers.get('x-ratelimit-reset')).toBe(String(resetAtSeconds))
    }
    server.clock.advance({ seconds: 20 })
    const refusedResponse = await keyClient.get('/api/keys')
    expect(refusedResponse.status).toBe(429)
    expect(refusedResponse.body.code).toBe('rate_limited')
    expect(refusedResponse.headers.get('retry-after')).toBe('40')
    expect(refusedResponse.headers.get('x-ratelimit-remaining')).toBe('0')
    server.clock.advance({ seconds: 40 })
    expect((await keyClient.get('/api/keys')).status).toBe(200)
  })

  it('is reported with errors too', async () => {
    const keyClient = await ada.withKey()
    expect((await keyClient.get('/api/keys/999')).headers.get('x-ratelimit-remaining')).toBe('4')
    expect((await keyClient.post('/api/keys', {})).headers.get('x-ratelimit-remaining')).toBe('3')
  })

  it('is separate for each key, and shared by all sessions of a user', async () => {
    const [firstKeyClient, secondKeyClient] = [await ada.withKey(), await ada.withKey()]
    await firstKeyClient.get('/api/keys')
    expect((await secondKeyClient.get('/api/keys')).headers.get('x-ratelimit-remaining')).toBe('4')
    await ada.session.get('/api/keys')
    const { email, password } = ada
    const signInResponse = await server.anyone.post('/api/session', { email, password })
    const cookie = /belfry_session=([^;]*)/.exec(signInResponse.headers.get('set-cookie') ?? '')?.[1] ?? ''
    const response = await server.anyone.as({ cookie }).get('/api/keys')
    expect(response.headers.get('x-ratelimit-remaining')).toBe('3')
  })

  /**
   * Returns functions that send one request each. Each uses its own key, and its own address, because addresses have
   * limits, too.
   */
  const createSenders = async (count: number, node = server) => {
    const clients: TestUser['session'][] = []
    for (let n = 0; n < count; n++) clients.push(node.anyone.as((await ada.withKey()).credentials))
    return clients.map(
      (client, n) => () => client.get('/api/keys', { headers: { 'x-forwarded-for': `203.0.113.${n}` } }),
    )
  }

  it('is ten times as high for all keys and sessions of a user together', async () => {
    const [firstSender, ...otherSenders] = await createSenders(10)
    const senders = [() => ada.session.get('/api/keys'), ...otherSenders]
    const statuses: number[] = []
    for (const send of senders) for (let n = 0; n < 5; n++) statuses.push((await send()).status)
    expect(statuses).toEqual(Array(50).fill(200))
    server.clock.advance({ seconds: 20 })
    const response = await firstSender?.()
    expect([response?.status, response?.body.code, response?.body.detail]).toEqual([
      429,
      'rate_limited',
      'More than 50 requests per minute from all your API keys and sessions together. Try again in 40 s.',
    ])
    expect(response?.headers.get('retry-after')).toBe('40')
    expect(response?.headers.get('x-ratelimit-limit')).toBe('5')
    // A key that has reached its own limit gets a message about that limit.
    expect((await otherSenders[0]?.())?.body.detail).toBe(
      'More than 5 requests per minute with this API key. Try again in 40 s.',
    )
    const bob = await server.createUser(`bob${userCount}`)
    expect((await bob.session.get('/api/keys')).status).toBe(200)
    server.clock.advance({ seconds: 40 })
    expect((await firstSender?.())?.status).toBe(200)
  })

  it("of all a user's keys together is shared by all nodes", async () => {
    for (const send of await createSenders(10)) for (let n = 0; n < 5; n++) await send()
    await syncCounts(server)
    const otherNode = await startTestServer({
      database: server.database,
      clock: server.clock,
      env: { BELFRY_RATE_LIMIT: '5' },
    })
    try {
      const [send] = await createSenders(1, otherNode)
      expect((await send?.())?.status).toBe(200)
      await syncCounts(otherNode)
      expect((await send?.())?.body.detail).toContain('all your API keys and sessions together')
    } finally {
      await otherNode.close()
    }
  })

  it('counts requests without credentials by address', async () => {
    const requestFrom = (address: string) => server.anyone.get('/api/keys', { headers: { 'x-forwarded-for': address } })
    for (let n = 0; n < 5; n++) expect((await requestFrom('203.0.113.1')).status).toBe(401)
    expect((await requestFrom('203.0.113.1')).status).toBe(429)
    expect((await requestFrom('203.0.113.2')).status).toBe(401)
  })

  it('ignores forwarded addresses from untrusted clients', async () => {
    const requestFrom = (list: string) => server.anyone.get('/api/keys', { headers: { 'x-forwarded-for': list } })
    for (let n = 0; n < 5; n++) await requestFrom(`198.51.100.${n}, 203.0.113.1`)
    expect((await requestFrom('198.51.100.77, 203.0.113.1')).status).toBe(429)
  })

  it('does not apply to health checks', async () => {
    for (let n = 0; n < 8; n++) expect((await server.anyone.get('/healthz')).status).toBe(200)
  })

  it('is shared by all nodes', async () => {
    const otherNode = await startTestServer({
      database: server.database,
      clock: server.clock,
      env: { BELFRY_RATE_LIMIT: '5' },
    })
    try {
      const client = await ada.withKey()
      const otherClient = otherNode.anyone.as(client.credentials)
      for (let n = 0; n < 3; n++) await client.get('/api/keys')
      await otherClient.get('/api/keys')
      await syncCounts(server)
      await syncCounts(otherNode)
      const response = await otherClient.get('/api/keys')
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
      expect((await otherClient.get('/api/keys')).status).toBe(429)
      await syncCounts(otherNode)
      await client.get('/api/keys')
      await syncCounts(server)
      expect((await client.get('/api/keys')).status).toBe(429)
    } finally {
      await otherNode.close()
    }
  })

  it('stores no address', async () => {
    await server.anyone.get('/api/keys', { headers: { 'x-forwarded-for': '203.0.113.77' } })
    await syncCounts(server)
    const rows = await server.services.db.query('select name from rate_counts')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('203.0.113.77')
  })
})

describe('without a limit', () => {
  it('no response has rate limit headers', async () => {
    const unlimitedServer = await startTestServer({ env: { BELFRY_RATE_LIMIT: '0' } })
    const eve = await unlimitedServer.createUser('eve')
    expect((await eve.session.get('/api/keys')).headers.get('x-ratelimit-limit')).toBe(null)
    await unlimitedServer.close()
  })
})

describe('a connection that was closed before its request is handled', () => {
  it.each([
    ['GET', '/healthz', undefined],
    ['GET', '/api/keys', undefined],
    ['GET', '/login', undefined],
    ['POST', '/api/session', { email: 'ada@example.com', password: 'wrong password' }],
    ['POST', '/api/event', { n: 'pageview', u: 'https://unknown.example/', d: 'unknown.example' }],
    ['POST', '/status/unknown/unlock', { password: 'wrong password' }],
    ['POST', '/status/unknown/subscribe', { email: 'ada@example.com' }],
    ['GET', '/beat/unknown', undefined],
  ] as const)('has no address any more, and %s %s still works', async (method, path, body) => {
    const app = await createApp(server.services)
    // Node no longer knows the address of a closed connection. The test simulates this on an open connection, so that
    // it can read the response.
    app.server.on('connection', (socket) => Object.defineProperty(socket, 'remoteAddress', { value: undefined }))
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const { status } = await fetch(address + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    await app.close()
    expect(status).toBeLessThan(500)
  })

  it('keeps the address that it had while it was open', async () => {
    const app = await createApp(server.services)
    const seenAddress = Promise.withResolvers<string | undefined>()
    app.server.prependListener('request', ({ socket }) => {
      socket.destroy()
      seenAddress.resolve(socket.remoteAddress)
    })
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    await fetch(`${address}/healthz`).catch(() => {})
    await app.close()
    expect(await seenAddress.promise).toBe('127.0.0.1')
  })
})
