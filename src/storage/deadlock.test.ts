import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestServer, TestUser } from '../../tests/support/server.ts'
import { shareTestServer } from '../../tests/support/shared-server.ts'

let server: TestServer
let owner: TestUser

beforeAll(async () => {
  server = await shareTestServer()
  owner = await server.createUser('owner')
  for (const name of ['a', 'b']) {
    await owner.session.post('/api/monitors', { friendly_name: name, url: 'https://example.com' })
  }
})
afterAll(() => server.close())

describe('transactions in a deadlock', () => {
  it('both succeed, because the canceled one is repeated', async () => {
    const { keyId } = await owner.withKey()
    const tenant = server.services.db.as({ teamId: owner.id, userId: owner.id, keyId, sessionId: null })
    const [monitorId, otherMonitorId] = (await tenant.query('select id from monitors order by id')).map(({ id }) => id)
    const firstLockSignals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    const lockStatement = 'update monitors set retries = retries + 1 where id = $1'
    // At the first attempt each transaction holds the row that the other needs. At the second attempt, the other transaction has finished.
    const run = (firstId: number, secondId: number, index: 0 | 1) =>
      tenant.transaction(async (q) => {
        await q.query(lockStatement, [firstId])
        firstLockSignals[index].resolve()
        await firstLockSignals[index === 0 ? 1 : 0].promise
        await q.query(lockStatement, [secondId])
      })
    await Promise.all([run(monitorId, otherMonitorId, 0), run(otherMonitorId, monitorId, 1)])
    expect(await tenant.query('select retries from monitors')).toEqual([{ retries: 4 }, { retries: 4 }])
  })
})
