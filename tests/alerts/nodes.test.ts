/** Nodes may die and the database may be unavailable: every message still arrives, normally once. */
import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { type AlertFixture, createAlertFixtures } from '../support/alerts.ts'

let fixture: AlertFixture
const fixtures = createAlertFixtures()
afterAll(() => fixtures.close())

const listReceivedIds = () => fixture.receiver.received.map(({ headers }) => headers['x-belfry-message-id'])

/** Makes the receiver keep requests open. The test ends the returned responses. */
function holdResponses(): ServerResponse[] {
  const heldResponses: ServerResponse[] = []
  fixture.receiver.handleWith((response) => void heldResponses.push(response))
  return heldResponses
}

const readClaims = async () =>
  (await fixture.server.services.db.query('select claimed_by from providers order by id')).map(
    (row) => row['claimed_by'],
  )

describe('nodes', () => {
  it('share the work and send no message twice', async () => {
    fixture = await fixtures.start()
    const nodes = [await fixture.startNode(), await fixture.startNode(), await fixture.startNode()]
    const alertIds: string[] = []
    for (let n = 0; n < 12; n++) {
      const channelId = await fixture.createChannel()
      for (let m = 0; m < 4; m++) alertIds.push(await fixture.addAlert(channelId))
    }
    for (const node of nodes) node.start()
    await vi.waitFor(() => expect(listReceivedIds().length).toBeGreaterThanOrEqual(alertIds.length), 10_000)
    await Promise.all(nodes.map(({ outbox }) => outbox.runOnce()))
    expect(listReceivedIds().sort()).toEqual(alertIds.sort())
  })

  it('take over from a node that died, with the same message id', async () => {
    fixture = await fixtures.start()
    const [firstNode, secondNode] = [await fixture.startNode(), await fixture.startNode()]
    const heldResponses = holdResponses()
    const id = await fixture.addAlert(await fixture.createChannel())
    const interruptedRun = firstNode.outbox.runOnce()
    await vi.waitFor(() => expect(heldResponses).toHaveLength(1), 20_000)
    await secondNode.outbox.runOnce()
    expect(listReceivedIds()).toEqual([id])

    await firstNode.expire()
    fixture.receiver.respondWith(200, 'ok')
    await secondNode.outbox.runOnce()
    expect(listReceivedIds()).toEqual([id, id])
    expect(await fixture.getAlert(id)).toMatchObject({ state: 'sent', attempts: 1 })

    // The first node was still alive. Its late result changes nothing.
    heldResponses[0]?.writeHead(404).end()
    await interruptedRun
    expect(await fixture.getAlert(id)).toMatchObject({ state: 'sent', attempts: 1, answer: 'ok' })
  })

  it('accept the result of a node whose lease had expired, if its message was sent', async () => {
    fixture = await fixtures.start()
    const firstNode = await fixture.startNode()
    const heldResponses = holdResponses()
    const id = await fixture.addAlert(await fixture.createChannel())
    const pendingRun = firstNode.outbox.runOnce()
    await vi.waitFor(() => expect(heldResponses).toHaveLength(1), 20_000)
    await firstNode.expire()
    heldResponses[0]?.end('ok')
    await pendingRun
    const secondNode = await fixture.startNode()
    await secondNode.outbox.runOnce()
    expect(listReceivedIds()).toEqual([id])
    expect((await fixture.getAlert(id)).state).toBe('sent')
    expect(await readClaims()).toEqual([null])
  })

  it('send nothing without a valid lease', async () => {
    fixture = await fixtures.start()
    const { outbox, lease } = await fixture.startNode()
    await fixture.addAlert(await fixture.createChannel())
    await lease.stop()
    await outbox.runOnce()
    expect(listReceivedIds()).toEqual([])
  })

  it('stop sending a queue when their lease expires', async () => {
    fixture = await fixtures.start()
    const firstNode = await fixture.startNode()
    const channelId = await fixture.createChannel()
    const alertIds = [await fixture.addAlert(channelId), await fixture.addAlert(channelId)]
    fixture.receiver.handleWith(async (response) => {
      await firstNode.expire()
      await firstNode.lease.renew()
      response.end('ok')
    })
    await firstNode.outbox.runOnce()
    expect(listReceivedIds()).toEqual(alertIds.slice(0, 1))
    fixture.receiver.respondWith(200, 'ok')
    const secondNode = await fixture.startNode()
    await secondNode.outbox.runOnce()
    expect(listReceivedIds()).toEqual(alertIds)
  })

  it('that wake from a freeze send no further message of a queue that another node has taken over', async () => {
    fixture = await fixtures.start()
    const { db } = fixture.server.services
    let now = 0
    const [frozenNode, otherNode] = [await fixture.startNode({ monotonicNow: () => now }), await fixture.startNode()]
    const channelId = await fixture.createChannel()
    const alertIds = [await fixture.addAlert(channelId), await fixture.addAlert(channelId)]
    fixture.receiver.handleWith(async (response) => {
      now += 15_000
      await db.query(`update nodes set seen_at = now() - interval '15 seconds' where id = $1`, [frozenNode.claimant.id])
      fixture.receiver.respondWith(200, 'ok')
      await otherNode.outbox.runOnce()
      response.end('ok')
    })
    await frozenNode.outbox.runOnce()
    await frozenNode.outbox.runOnce()
    // The first message was being sent during the freeze, so the other node could not know that it arrived.
    expect(listReceivedIds()).toEqual([alertIds[0], ...alertIds])
    await frozenNode.lease.renew()
    await fixture.addAlert(channelId)
    await frozenNode.outbox.runOnce()
    expect(listReceivedIds()).toHaveLength(4)
    expect(await readClaims()).toEqual([null])
  })

  it('release claims that they do not know of because a database response was lost', async () => {
    fixture = await fixtures.start()
    const { outbox, claimant } = await fixture.startNode()
    const channelId = await fixture.createChannel()
    await fixture.addAlert(channelId)
    await fixture.server.services.db.query('update providers set claimed_by = $1', [claimant.id])
    await outbox.runOnce()
    expect(listReceivedIds()).toHaveLength(1)
  })
})

describe('while the database is unavailable', () => {
  it('the result of a message is kept until it can be stored, and the message is not sent again', async () => {
    fixture = await fixtures.start()
    const { outbox } = await fixture.startNode()
    const { db } = fixture.server.services
    const id = await fixture.addAlert(await fixture.createChannel())
    fixture.receiver.handleWith(async (response) => {
      await db.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`)
      await db.query('create trigger refuse before update on alerts for each statement execute function refuse()')
      response.end('ok')
    })
    const pendingRun = outbox.runOnce()
    await vi.waitFor(
      () =>
        expect(fixture.server.logLines.join('')).toContain('could not store the result of sending an alert, retrying'),
      20_000,
    )
    await db.query('drop trigger refuse on alerts')
    await pendingRun
    await outbox.runOnce()
    expect(listReceivedIds()).toEqual([id])
    expect(await fixture.getAlert(id)).toMatchObject({ state: 'sent', attempts: 1 })
  })

  it('a lost connection only delays messages', async () => {
    // The test closes the server's connections, so it needs a server of its own. Passing settings, even empty ones,
    // starts one.
    fixture = await fixtures.start(() => ({}))
    const { outbox } = await fixture.startNode()
    const { db } = fixture.server.services
    const channelId = await fixture.createChannel()
    const alertIds = [await fixture.addAlert(channelId), await fixture.addAlert(channelId)]
    fixture.receiver.handleWith(async (response) => {
      await db
        .query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = user',
        )
        .catch(() => {})
      response.end('ok')
    })
    await outbox.runOnce()
    expect(listReceivedIds()).toEqual(alertIds)
    expect((await fixture.getAlert(alertIds[1] as string)).state).toBe('sent')
  })
})

describe('a node that stops', () => {
  it('releases messages that it could not send, without counting an attempt', async () => {
    fixture = await fixtures.start()
    const stoppingNode = await fixture.startNode()
    holdResponses()
    const channelId = await fixture.createChannel()
    const alertIds = [await fixture.addAlert(channelId), await fixture.addAlert(channelId)]
    stoppingNode.start()
    await vi.waitFor(() => expect(listReceivedIds()).toHaveLength(1), 20_000)
    await stoppingNode.stop()
    expect(await readClaims()).toEqual([null])
    expect(await fixture.getAlert(alertIds[0] as string)).toMatchObject({
      state: 'waiting',
      attempts: 0,
      last_attempt_at: null,
    })
    fixture.receiver.respondWith(200, 'ok')
    await (await fixture.startNode()).outbox.runOnce()
    expect(listReceivedIds()).toEqual([alertIds[0], ...alertIds])
  })

  it('finishes sending a message first', async () => {
    fixture = await fixtures.start()
    const stoppingNode = await fixture.startNode()
    const heldResponses = holdResponses()
    const id = await fixture.addAlert(await fixture.createChannel())
    stoppingNode.start()
    await vi.waitFor(() => expect(heldResponses).toHaveLength(1), 20_000)
    const stopPromise = stoppingNode.stop()
    heldResponses[0]?.end('ok')
    await stopPromise
    expect((await fixture.getAlert(id)).state).toBe('sent')
  })
})
