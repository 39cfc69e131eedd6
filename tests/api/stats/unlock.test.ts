import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNotFound } from '../../support/access.ts'
import { hashCheaply } from '../../support/cheap-hash.ts'
import type { CallOptions, Client } from '../../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { websitesPath as websites } from '../../support/websites.ts'

let server: TestServer
let owner: TestUser
let open: number
let closed: number
let locked: number

const password = 'open sesame'
const UNKNOWN = 999_999

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  const make = async (domain: string, privacy: number) =>
    (await owner.session.post(websites, { domain, privacy, password })).body.data.id
  open = await make('open.example.com', 0)
  closed = await make('closed.example.com', 1)
  locked = await make('locked.example.com', 2)
  await setCheapPassword(locked)
})
afterAll(() => server.close())
beforeEach(() => {
  // Ends the rate limits of earlier tests.
  server.clock.advance({ minutes: 15 })
})

/** Many guesses at this website take no noticeable time. */
async function setCheapPassword(id: number): Promise<void> {
  const hash = await hashCheaply(password)
  await server.services.db.query('update websites set password_hash = $2 where id = $1', [id, hash])
}

function unlock(id: number, word: string, { client, ...options }: CallOptions & { client?: Client } = {}) {
  return (client ?? server.anyone).post(`/api/v1/stats/${id}/unlock`, { password: word }, options)
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

describe('unlocking statistics', () => {
  it('sets a cookie that scripts cannot read', async () => {
    const response = await unlock(locked, password)
    expect(response.status).toBe(200)
    const expiresAt = new Date(server.clock.now().getTime() + 30 * 86_400_000).toISOString()
    expect(response.body).toEqual({ data: { unlocked: true, expires_at: expiresAt } })
    expect(response.headers.get('set-cookie')).toMatch(
      new RegExp(`^belfry_unlock_${locked}=\\d{10}\\.[\\w-]{43}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax$`),
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('marks the cookie Secure on https', async () => {
    const response = await unlock(locked, password, { headers: { 'x-forwarded-proto': 'https' } })
    expect(response.headers.get('set-cookie')).toContain('; Secure')
  })

  it('accepts a form', async () => {
    const response = await server.anyone.call('POST', `/api/v1/stats/${locked}/unlock`, { form: { password } })
    expect(response.status).toBe(200)
  })

  it('rejects a wrong password', async () => {
    for (const word of ['Open sesame', ' open sesame', 'x'.repeat(200)]) {
      const response = await unlock(locked, word)
      expect(response.status).toBe(401)
      expect(response.body).toMatchObject({ code: 'password_required', detail: 'Incorrect password.' })
      expect(response.headers.get('set-cookie')).toBe(null)
    }
  })

  it.each([{}, { password: '' }, { password: 'x'.repeat(201) }, { password: 1 }, { password, more: 1 }])(
    'rejects %j',
    async (body) => expect((await server.anyone.post(`/api/v1/stats/${locked}/unlock`, body)).status).toBe(422),
  )

  it('needs no password for public statistics and for the owner', async () => {
    for (const response of [
      await unlock(open, 'whatever'),
      await unlock(locked, 'whatever', { client: owner.session }),
      await unlock(closed, 'whatever', { client: await owner.withKey('websites:read') }),
    ]) {
      expect(response.status).toBe(200)
      expect(response.body).toEqual({ data: { unlocked: true, expires_at: null } })
      expect(response.headers.get('set-cookie') ?? '').not.toContain('belfry_unlock')
    }
  })

  it('does not find private and unknown websites, with any password', async () => {
    for (const word of [password, 'wrong']) {
      expectNotFound(await unlock(closed, word), await unlock(UNKNOWN, word))
    }
  })

  it('takes as long for a website that is not found', async () => {
    const site = { domain: 'slow.example.com', privacy: 2, password }
    const { id: slow } = (await owner.session.post(websites, site)).body.data
    // Measures CPU time, which other processes do not affect. Nearly all of it is hashing.
    const workOf = async (id: number, from: string) => {
      const before = process.cpuUsage()
      await unlock(id, 'wrong', { headers: { 'x-forwarded-for': from } })
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    await workOf(UNKNOWN, '203.0.113.200')
    const works = new Map<number, number[]>([open, slow, closed, UNKNOWN].map((id) => [id, []]))
    for (let n = 0; n < 15; n++) {
      for (const [id, list] of works) list.push(await workOf(id, `203.0.113.${n}`))
    }
    const medianOf = (id: number) => works.get(id)?.toSorted((one, other) => one - other)[7] ?? Number.NaN
    // Public statistics need no hashing.
    const hashOf = (id: number) => medianOf(id) - medianOf(open)
    expect(medianOf(slow)).toBeGreaterThan(2 * medianOf(open))
    for (const id of [closed, UNKNOWN]) {
      expect(hashOf(id)).toBeGreaterThan(hashOf(slow) / 2)
      expect(hashOf(id)).toBeLessThan(hashOf(slow) * 2)
    }
  })

  it('is rejected from another website', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const response = await unlock(locked, password, { headers: headers as Record<string, string> })
      expect(response.status).toBe(403)
      expect(response.headers.get('set-cookie')).toBe(null)
    }
  })
})

describe('the limit of wrong passwords', () => {
  it('blocks an address for one website for 15 minutes, and no other address', async () => {
    const guesses = Array.from({ length: 12 }, () => unlock(locked, 'wrong'))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    const refused = await unlock(locked, password)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await unlock(locked, password, from('203.0.113.5'))).status).toBe(200)
    server.clock.advance({ minutes: 15 })
    expect((await unlock(locked, password)).status).toBe(200)
  })

  it('blocks a website after guesses from many addresses', { timeout: 120_000 }, async () => {
    const guesses = Array.from({ length: 102 }, (_, n) => unlock(locked, 'wrong', from(`203.0.113.${n}`)))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(100)
    expect((await unlock(locked, password, from('198.51.100.1'))).status).toBe(429)
    expect((await read(owner.session)).status).toBe(200)
  })

  it('starts again with a new password', { timeout: 120_000 }, async () => {
    const site = { domain: 'renewed.example.com', privacy: 2, password }
    const { id } = (await owner.session.post(websites, site)).body.data
    await setCheapPassword(id)
    const guesses = Array.from({ length: 100 }, (_, n) => unlock(id, 'wrong', from(`203.0.113.${n % 10}`)))
    await Promise.all(guesses)
    expect((await unlock(id, password, from('198.51.100.2'))).status).toBe(429)
    await owner.session.put(`${websites}/${id}`, { password: 'another one' })
    expect((await unlock(id, 'another one', from('198.51.100.2'))).status).toBe(200)
    expect((await unlock(id, 'another one', from('203.0.113.1'))).status).toBe(200)
    expect((await unlock(id, 'wrong', from('203.0.113.1'))).status).toBe(401)
  })

  it('blocks an address after guesses at many websites, even if they do not exist', async () => {
    const guesses = Array.from({ length: 42 }, (_, n) => unlock(UNKNOWN + n, 'wrong', from('203.0.113.9')))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(40)
    expect((await unlock(locked, password, from('203.0.113.9'))).status).toBe(429)
  })

  it('does not count correct passwords, and stores no address', async () => {
    for (let n = 0; n < 12; n++) expect((await unlock(locked, password)).status).toBe(200)
    await unlock(locked, 'wrong', from('203.0.113.77'))
    // A background job moves the counts to the database every few seconds.
    const stored = await server.services.db.query('select name from rate_counts')
    const counts = JSON.stringify([stored, server.services.counter.drain()])
    expect(counts).toContain('unlock:')
    expect(counts).not.toContain('203.0.113')
  })

  const read = (client: Client) => client.get(`/api/v1/stats/${locked}/overview`)
})
