/** Sign-ins and password changes that happen at the same time. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { deleteOtherSessions, updatePassword } from '../../src/accounts/store.ts'
import { setPassword } from '../../src/accounts/users.ts'
import { hashCheaply } from '../support/cheap-hash.ts'
import { type ClientResponse, parseSessionCookie } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const signIn = ({ email, password }: TestUser) => server.anyone.post('/api/session', { email, password })

/** Whether the response started a session that still exists. */
async function hasLiveSession(response: ClientResponse): Promise<boolean> {
  if (response.status !== 200) return false
  const client = server.anyone.as({ cookie: parseSessionCookie(response) ?? '' })
  return (await client.get('/api/session')).status === 200
}

/** Waits until a transaction of another connection waits for a lock on a row of `users`. */
function waitForBlockedStatement(): Promise<void> {
  return vi.waitFor(
    async () => {
      const rows = await server.services.db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(rows).toHaveLength(1)
    },
    { timeout: 10_000, interval: 5 },
  )
}

describe('a sign-in with the old password', () => {
  it('fails like a wrong password if the password is being changed', async () => {
    const ada = await server.createUser('ada')
    const newHash = await hashCheaply('another fine password')
    let pendingSignIn: Promise<ClientResponse> | undefined
    await server.services.db.transaction(async (q) => {
      await updatePassword(q, ada.id, newHash)
      await deleteOtherSessions(q, ada.id, null)
      // The new password isn't committed yet, so the old one is still verified successfully.
      pendingSignIn = signIn(ada)
      await Promise.race([waitForBlockedStatement(), pendingSignIn])
    })
    const response = await pendingSignIn
    expect(response?.status).toBe(401)
    expect(response?.body.detail).toBe('Incorrect email or password.')
    expect(await server.services.db.query('select from sessions where user_id = $1', [ada.id])).toEqual([])
  })

  it('never leaves a live session, whether the sign-in or the password change comes first', async () => {
    const bob = await server.createUser('bob')
    const newHash = await hashCheaply('another fine password')
    const oldHash = await hashCheaply(bob.password)
    for (let round = 0; round < 40; round++) {
      await server.services.db.transaction((q) => setPassword(q, bob.id, oldHash))
      const signIns = [signIn(bob), signIn(bob), signIn(bob)]
      // In every second round, the password changes after the first sign-in. In the other rounds, it changes at the
      // same time as all sign-ins.
      if (round % 2 === 0) expect((await Promise.race(signIns)).status).toBe(200)
      await server.services.db.transaction((q) => setPassword(q, bob.id, newHash))
      const responses = await Promise.all(signIns)
      expect(await Promise.all(responses.map(hasLiveSession))).toEqual([false, false, false])
      // Sign-ins that lost the race count as wrong passwords, so a new window of the limit starts.
      server.clock.advance({ minutes: 15 })
    }
  })
})

describe('several password changes with the same current password', () => {
  it('succeed only once', async () => {
    const eve = await server.createUser('eve')
    const newPasswords = Array.from({ length: 4 }, (_, n) => `another fine password ${n}`)
    const responses = await Promise.all(
      newPasswords.map((newPassword) =>
        eve.session.put('/api/account/password', { current_password: eve.password, new_password: newPassword }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422])
    const loser = responses.find(({ status }) => status === 422)
    expect(loser?.body.errors).toEqual({ current_password: ['`current_password` is incorrect.'] })
    const winner = responses.findIndex(({ status }) => status === 200)
    const signIns = await Promise.all(newPasswords.map((password) => signIn({ ...eve, password })))
    expect(signIns.map(({ status }) => status === 200)).toEqual(newPasswords.map((_, n) => n === winner))
  })
})
