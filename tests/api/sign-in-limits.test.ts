/** Limits on wrong passwords: they stop strangers who guess, and don't lock out the owner of the account. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { syncRateCounts } from '../../src/storage/rate-counts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let database: TestDatabase
let server: TestServer
let ada: TestUser

let userCount = 0

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startTestServer({ database })
})
afterAll(async () => {
  await server.close()
  await database.drop()
})
beforeEach(async () => {
  // Earlier tests may have used up a limit, so a new window starts.
  server.clock.advance({ minutes: 15 })
  ada = await server.createUser(`ada${userCount++}`)
})

function signIn(email: string, password: string, { from = '198.51.100.1', on = server } = {}) {
  return on.anyone.post('/api/session', { email, password }, { headers: { 'x-forwarded-for': from } })
}

async function guess(email: string, options: { from?: string; on?: TestServer } = {}): Promise<number> {
  return (await signIn(email, 'wrong horse battery', options)).status
}

async function guessTimes(count: number, email: string, options: { from?: string; on?: TestServer } = {}) {
  return countByStatus(await Promise.all(Array.from({ length: count }, () => guess(email, options))))
}

const countByStatus = (statuses: number[]) =>
  Object.fromEntries([...Map.groupBy(statuses, String)].map(([status, list]) => [status, list.length]))

describe('guesses at one account', () => {
  it('from one address are stopped after ten, for 15 minutes', async () => {
    expect(await guessTimes(12, ada.email)).toEqual({ 401: 10, 429: 2 })
    const refusedResponse = await signIn(ada.email, ada.password)
    expect(refusedResponse.status).toBe(429)
    expect(Number(refusedResponse.headers.get('retry-after'))).toBeGreaterThan(0)
    const bob = await server.createUser('bob')
    expect((await signIn(bob.email, bob.password)).status).toBe(200)
    server.clock.advance({ minutes: 15 })
    expect((await signIn(ada.email, ada.password)).status).toBe(200)
  })

  it('from several addresses do not lock the owner out', async () => {
    for (let n = 0; n < 8; n++) {
      expect(await guessTimes(12, ada.email, { from: `203.0.113.${n}` })).toEqual({ 401: 10, 429: 2 })
    }
    expect((await signIn(ada.email, ada.password)).status).toBe(200)
  })

  it('from very many addresses are stopped after 200', async () => {
    // Each address has one guess left when the account's limit is reached, so only that limit can refuse.
    const addresses = Array.from({ length: 23 }, (_, n) => `203.0.113.${n}`)
    const statuses = await Promise.all(
      addresses.flatMap((from) => Array.from({ length: 9 }, () => guess(ada.email, { from }))),
    )
    expect(countByStatus(statuses)).toEqual({ 401: 200, 429: 7 })
    expect((await signIn(ada.email, ada.password)).status).toBe(429)
  })

  it('are counted together, however PostgreSQL folds the case of the email', async () => {
    await server.services.db.query('update users set email = $2 where id = $1', [ada.id, `mini${ada.id}@example.com`])
    const spellings = [`mini${ada.id}@example.com`, `mİni${ada.id}@example.com`, `MINİ${ada.id}@example.com`]
    const statuses: number[] = []
    for (let n = 0; n < 12; n++) statuses.push(await guess(spellings[n % 3] ?? ''))
    expect(countByStatus(statuses)).toEqual({ 401: 10, 429: 2 })
  })

  it('are limited in the same way if the account does not exist', async () => {
    expect(await guessTimes(12, 'nobody@example.com')).toEqual({ 401: 10, 429: 2 })
  })

  it('are counted by all nodes together', async () => {
    const otherServer = await startTestServer({ database, clock: server.clock })
    try {
      expect(await guessTimes(9, ada.email)).toEqual({ 401: 9 })
      await syncRateCounts(server.services.db, server.services.counter)
      expect(await guess(ada.email, { on: otherServer })).toBe(401)
      await syncRateCounts(otherServer.services.db, otherServer.services.counter)
      expect(await guess(ada.email, { on: otherServer })).toBe(429)
      expect((await signIn(ada.email, ada.password, { from: '198.51.100.2', on: otherServer })).status).toBe(200)
    } finally {
      await otherServer.close()
    }
  })
})

describe('guesses from one address', () => {
  it('at all accounts are stopped after 20', async () => {
    // Only two accounts are unknown. The others have hashes that are cheap to verify.
    const names = Array.from({ length: 23 }, (_, n) => `who${n}`)
    const users = await Promise.all(names.map((name) => server.createUser(name)))
    const emails = ['unknown@example.com', 'stranger@example.com', ...users.map(({ email }) => email)]
    const statuses = await Promise.all(emails.map((email) => guess(email)))
    expect(countByStatus(statuses)).toEqual({ 401: 20, 429: 5 })
    expect((await signIn(ada.email, ada.password)).status).toBe(429)
    expect((await signIn(ada.email, ada.password, { from: '203.0.113.5' })).status).toBe(200)
  })

  it('count all addresses of an IPv6 /64 network as one', async () => {
    const guessFrom = (n: number) => guess(ada.email, { from: `2001:db8:1:2::${n}` })
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, n) => guessFrom(n + 1)))
    expect(countByStatus(statuses)).toEqual({ 401: 10, 429: 2 })
    expect(await guess(ada.email, { from: '2001:db8:1:3::1' })).toBe(401)
  })
})

describe('the correct password', () => {
  it('is not counted', async () => {
    for (let n = 0; n < 25; n++) expect((await signIn(ada.email, ada.password)).status).toBe(200)
  })

  it('of their own account gives attackers no further guesses at another account', async () => {
    const mallory = await server.createUser(`mallory${userCount}`)
    expect(await guessTimes(10, ada.email)).toEqual({ 401: 10 })
    expect((await signIn(mallory.email, mallory.password)).status).toBe(200)
    expect(await guess(ada.email)).toBe(429)
  })
})

describe('changing the password in a session', () => {
  const changePassword = (person: TestUser, currentPassword: string) =>
    person.session.put('/api/account/password', {
      current_password: currentPassword,
      new_password: 'another fine password',
    })

  it('works while a stranger has used up the limit of the account', async () => {
    const addresses = Array.from({ length: 20 }, (_, n) => `203.0.113.${n}`)
    await Promise.all(addresses.map((from) => guessTimes(10, ada.email, { from })))
    expect((await signIn(ada.email, ada.password)).status).toBe(429)
    expect((await changePassword(ada, ada.password)).status).toBe(200)
  })

  it('is refused after ten wrong current passwords, and signing in still works', async () => {
    for (let n = 0; n < 10; n++) expect((await changePassword(ada, 'wrong')).status).toBe(422)
    expect((await changePassword(ada, ada.password)).status).toBe(429)
    expect((await signIn(ada.email, ada.password, { from: '127.0.0.1' })).status).toBe(200)
    server.clock.advance({ minutes: 15 })
    expect((await changePassword(ada, ada.password)).status).toBe(200)
  })
})
