/** A live stream at one node reports changes that another node made. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { openEventStream } from '../support/event-stream-client.ts'
import { createMonitor, monitorsPath } from '../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let database: TestDatabase
let nodeA: TestServer
let nodeB: TestServer
let ada: TestUser
let userCount = 0

beforeAll(async () => {
  database = await createTestDatabase()
  nodeA = await startTestServer({ database })
  nodeB = await startTestServer({ database, clock: nodeA.clock })
})
afterAll(async () => {
  await Promise.all([nodeA.close(), nodeB.close()])
  await database.drop()
})
beforeEach(async () => {
  ada = await nodeA.createUser(`ada${++userCount}`)
})

describe('a live stream', () => {
  it('reports a change made at another node', async () => {
    const sessionAtB = nodeB.anyone.as(ada.session.credentials)
    const { id } = await createMonitor(sessionAtB)
    nodeA.clock.advance({ minutes: 1 })
    const streams = [
      await openEventStream(nodeA.address, ada.session),
      await openEventStream(nodeB.address, ada.session),
    ]
    await sessionAtB.call('PATCH', `${monitorsPath}/${id}`, { json: { is_active: false } })
    for (const stream of streams) {
      expect(await stream.waitFor('monitors')).toMatchObject([[{ id, status: 'paused' }]])
      await stream.close()
    }
  })

  it('ends when its session ends at another node', async () => {
    const stream = await openEventStream(nodeA.address, ada.session)
    expect((await nodeB.anyone.as(ada.session.credentials).delete('/api/session')).status).toBe(200)
    expect(await stream.ended).toBe('properly')
    await vi.waitFor(() => expect(nodeA.services.live.size).toBe(0), 20_000)
  })

  it('ends when its node stops, and can be reopened at another node', async () => {
    const stoppingNode = await startTestServer({ database, clock: nodeA.clock })
    const firstStream = await openEventStream(stoppingNode.address, ada.session)
    await stoppingNode.close()
    expect(await firstStream.ended).toBe('properly')
    const { id } = await createMonitor(nodeB.anyone.as(ada.session.credentials))
    nodeB.clock.advance({ minutes: 1 })
    const secondStream = await openEventStream(nodeB.address, ada.session)
    await nodeB.services.db.query(`update monitors set status = 'up', status_changed_at = $2 where id = $1`, [
      id,
      nodeB.clock.now(),
    ])
    expect(await secondStream.waitFor('monitors')).toMatchObject([[{ id, status: 'up' }]])
    await secondStream.close()
  })
})
