import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNotFound } from '../../support/access.ts'
import { hashCheaply } from '../../support/cheap-hash.ts'
import type { CallOptions, Client } from '../../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { websitesPath } from '../../support/websites.ts'

let server: TestServer
let owner: TestUser
let publicId: number
let privateId: number
let lockedId: number

const password = 'open sesame'
const UNKNOWN_ID = 999_999

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  const createWebsite = async (domain: string, privacy: number) =>
    (await owner.session.post(websitesPath, { domain, privacy, password })).body.data.id
  publicId = await createWebsite('open.example.com', 0)
  privateId = await createWebsite('closed.example.com', 1)
  lockedId = await createWebsite('locked.example.com', 2)
  await setCheapPassword(lockedId)
})
afterAll(() => server.close())
beforeEach(() => {
  // Earlier tests may have used up rate limits, so new windows start.
  server.clock.advance({ minutes: 15 })
})

/** Stores a hash that is cheap to verify, so that tests can guess the website's password many times. */
async function setCheapPassword(id: number): Promise<void> {
  const hash = await hashCheaply(password)
  await server.services.db.query('update websites set password_hash = $2 where id = $1', [id, hash])
}

function unlock(id: number, guess: string, { client, ...options }: CallOptions & { client?: Client } = {}) {
  return (client ?? server.anyone).post(`/api/v1/stats/${id}/unlock`, { password: guess }, options)
}

const fromAddress = (address: string) => ({ headers: { 'x-forwarded-for': address } })

describe('unlocking statistics', () => {
  it('sets a cookie that scripts cannot read', async () => {
    const response = await unlock(lockedId, password)
    expect(response.status).toBe(200)
    const expiresAt = new Date(server.clock.now().getTime() + 30 * 86_400_000).toISOString()
    expect(response.body).toEqual({ data: { unlocked: true, expires_at: expiresAt } })
    expect(response.headers.get('set-cookie')).toMatch(
      new RegExp(`^belfry_unlock_${lockedId}=\\d{10}\\.[\\w-]{43}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax$`),
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('marks the cookie Secure on https', async () => {
    const response = await unlock(lockedId, password, { headers: { 'x-forwarded-proto': 'https' } })
    expect(response.headers.get('set-cookie')).toContain('; Secure')
  })

  it('accepts a form', async () => {
    const response = await server.anyone.call('POST', `/api/v1/stats/${lockedId}/unlock`, { form: { password } })
    expect(response.status).toBe(200)
  })

  it('rejects a wrong password', async () => {
    for (const guess of ['Open sesame', ' open sesame', 'x'.repeat(200)]) {
      const response = await unlock(lockedId, guess)
      expect(response.status).toBe(401)
      expect(response.body).toMatchObject({ code: 'password_required', detail: 'Incorrect password.' })
      expect(response.headers.get('set-cookie')).toBe(null)
    }
  })

  it.each([{}, { password: '' }, { password: 'x'.repeat(201) }, { password: 1 }, { password, more: 1 }])(
    'rejects %j',
    async (body) => expect((await server.anyone.post(`/api/v1/stats/${lockedId}/unlock`, body)).status).toBe(422),
  )

  it('needs no password for public statistics and for the owner', async () => {
    for (const response of [
      await unlock(publicId, 'whatever'),
      await unlock(lockedId, 'whatever', { client: owner.session }),
      await unlock(privateId, 'whatever', { client: await owner.withKey('websites:read') }),
    ]) {
      expect(response.status).toBe(200)
      expect(response.body).toEqual({ data: { unlocked: true, expires_at: null } })
      expect(response.headers.get('set-cookie') ?? '').not.toContain('belfry_unlock')
    }
  })

  it('responds with 404 for private and unknown websites, whatever the password is', async () => {
    for (const guess of [password, 'wrong']) {
      expectNotFound(await unlock(privateId, guess), await unlock(UNKNOWN_ID, guess))
    }
  })

  it('takes as long for a website that is not found as for a website with a password', async () => {
    const site = { domain: 'slow.example.com', privacy: 2, password }
    const { id: slowId } = (await owner.session.post(websitesPath, site)).body.data
    // Measures CPU time, which other processes do not affect. Nearly all of it is hashing.
    const measureCpuTime = async (id: number, address: string) => {
      const usageBefore = process.cpuUsage()
      await unlock(id, 'wrong', fromAddress(address))
      const { user, system } = process.cpuUsage(usageBefore)
      return user + system
    }
    await measureCpuTime(UNKNOWN_ID, '203.0.113.200')
    const cpuTimes = new Map<number, number[]>([publicId, slowId, privateId, UNKNOWN_ID].map((id) => [id, []]))
    for (let n = 0; n < 7; n++) {
      for (const [id, list] of cpuTimes) list.push(await measureCpuTime(id, `203.0.113.${n}`))
    }
    const getMedian = (id: number) => cpuTimes.get(id)?.toSorted((one, other) => one - other)[3] ?? Number.NaN
    // A request for a public website hashes nothing. Subtract its time, so that only the time for hashing is left.
    const getHashingTime = (id: number) => getMedian(id) - getMedian(publicId)
    expect(getMedian(slowId)).toBeGreaterThan(2 * getMedian(publicId))
    for (const id of [privateId, UNKNOWN_ID]) {
      expect(getHashingTime(id)).toBeGreaterThan(getHashingTime(slowId) / 2)
      expect(getHashingTime(id)).toBeLessThan(getHashingTime(slowId) * 2)
    }
  })

  it('is rejected if the request comes from another website', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const response = await unlock(lockedId, password, { headers: headers as Record<string, string> })
      expect(response.status).toBe(403)
      expect(response.headers.get('set-cookie')).toBe(null)
    }
  })
})

describe('the limit on wrong passwords', () => {
  it('blocks an address for one website for 15 minutes, and no other address', async () => {
    const guesses = Array.from({ length: 12 }, () => unlock(lockedId, 'wrong'))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    const refusedResponse = await unlock(lockedId, password)
    expect(refusedResponse.status).toBe(429)
    expect(Number(refusedResponse.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await unlock(lockedId, password, fromAddress('203.0.113.5'))).status).toBe(200)
    server.clock.advance({ minutes: 15 })
    expect((await unlock(lockedId, password)).status).toBe(200)
  })

  it('blocks a website after guesses from many addresses', { timeout: 120_000 }, async () => {
    const guesses = Array.from({ length: 102 }, (_, n) => unlock(lockedId, 'wrong', fromAddress(`203.0.113.${n}`)))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(100)
    expect((await unlock(lockedId, password, fromAddress('198.51.100.1'))).status).toBe(429)
    expect((await readStatistics(owner.session)).status).toBe(200)
  })

  it('starts again with a new password', { timeout: 120_000 }, async () => {
    const site = { domain: 'renewed.example.com', privacy: 2, password }
    const { id } = (await owner.session.post(websitesPath, site)).body.data
    await setCheapPassword(id)
    const guesses = Array.from({ length: 100 }, (_, n) => unlock(id, 'wrong', fromAddress(`203.0.113.${n % 10}`)))
    await Promise.all(guesses)
    expect((await unlock(id, password, fromAddress('198.51.100.2'))).status).toBe(429)
    await owner.session.put(`${websitesPath}/${id}`, { password: 'another one' })
    expect((await unlock(id, 'another one', fromAddress('198.51.100.2'))).status).toBe(200)
    expect((await unlock(id, 'another one', fromAddress('203.0.113.1'))).status).toBe(200)
    expect((await unlock(id, 'wrong', fromAddress('203.0.113.1'))).status).toBe(401)
  })

  it('blocks an address after guesses at many websites, even if they do not exist', async () => {
    // Most guesses are at websites that exist, because their hashes are cheap to verify.
    const lockedWebsites = await server.services.db.query<{ id: number }>(
      `insert into websites (user_id, domain, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at, password_hash)
       select user_id, 'guessed-' || n || '.example.com', privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at,
              password_hash
         from websites, generate_series(1, 35) n where id = $1
       returning id`,
      [lockedId],
    )
    const ids = [...lockedWebsites.map(({ id }) => id), ...Array.from({ length: 7 }, (_, n) => UNKNOWN_ID + n)]
    const guesses = ids.map((id) => unlock(id, 'wrong', fromAddress('203.0.113.9')))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401 || status === 404)).toHaveLength(40)
    expect(statuses).toContain(404)
    expect((await unlock(lockedId, password, fromAddress('203.0.113.9'))).status).toBe(429)
  })

  it('does not count correct passwords, and stores no address', async () => {
    for (let n = 0; n < 12; n++) expect((await unlock(lockedId, password)).status).toBe(200)
    await unlock(lockedId, 'wrong', fromAddress('203.0.113.77'))
    // The counts can be in memory or in the database, because a background job moves them every few seconds.
    const storedCounts = await server.services.db.query('select name from rate_counts')
    const counts = JSON.stringify([storedCounts, server.services.counter.drain()])
    expect(counts).toContain('unlock:')
    expect(counts).not.toContain('203.0.113')
  })

  const readStatistics = (client: Client) => client.get(`/api/v1/stats/${lockedId}/overview`)
})
