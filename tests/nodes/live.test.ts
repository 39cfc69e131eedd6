/** Whoever listens at one node hears what happens at another. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { listen } from '../support/listener.ts'
import { makeMonitor, path } from '../support/monitors.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'

let database: TestDatabase
let near: TestServer
let far: TestServer
let ada: Person

beforeEach(async () => {
  database = await createTestDatabase()
  near = await startTestServer({ database })
  far = await startTestServer({ database, clock: near.clock })
  ada = await near.person('ada')
})
afterEach(async () => {
  await Promise.all([near.close(), far.close()])
  await database.drop()
})

describe('a stream', () => {
  it('tells what was changed at another node', async () => {
    const there = far.anyone.as(ada.session.credentials)
    const { id } = await makeMonitor(there)
    near.clock.advance({ minutes: 1 })
    const [here, other] = [await listen(near.address, ada.session), await listen(far.address, ada.session)]
    await there.call('PATCH', `${path}/${id}`, { json: { is_active: false } })
    for (const listening of [here, other]) {
      expect(await listening.hear('monitors')).toMatchObject([[{ id, status: 'paused' }]])
      await listening.close()
    }
  })

  it('ends with a session that was ended at another node', async () => {
    const listening = await listen(near.address, ada.session)
    expect((await far.anyone.as(ada.session.credentials).delete('/api/session')).status).toBe(200)
    expect(await listening.ended).toBe('properly')
    await vi.waitFor(() => expect(near.services.live.size).toBe(0))
  })

  it('ends with its node, and goes on at the next', async () => {
    const before = await listen(near.address, ada.session)
    await near.stop()
    expect(await before.ended).toBe('properly')
    const { id } = await makeMonitor(far.anyone.as(ada.session.credentials))
    far.clock.advance({ minutes: 1 })
    const after = await listen(far.address, ada.session)
    await far.services.db.query(`update monitors set status = 'up', status_changed_at = $2 where id = $1`, [
      id,
      far.clock.now(),
    ])
    expect(await after.hear('monitors')).toMatchObject([[{ id, status: 'up' }]])
    await after.close()
  })
})
