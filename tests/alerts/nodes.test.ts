/** Several nodes, of which one may die, and a database that may be away: every message arrives, and normally once. */
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Outbox, startOutbox } from '../support/alerts.ts'

let outbox: Outbox
afterEach(() => outbox.close())

const messageIds = () => outbox.receiver.received.map(({ headers }) => headers['x-belfry-message-id'])

/** Answers only when it is told to. */
function holdAnswers(): ServerResponse[] {
  const held: ServerResponse[] = []
  outbox.receiver.answer((response) => void held.push(response))
  return held
}

const claims = async () =>
  (await outbox.server.services.db.query('select claimed_by from providers order by id')).map(
    (row) => row['claimed_by'],
  )

describe('nodes', () => {
  it('share the work and send nothing twice', async () => {
    outbox = await startOutbox()
    const nodes = [await outbox.startNode(), await outbox.startNode(), await outbox.startNode()]
    const ids: string[] = []
    for (let n = 0; n < 12; n++) {
      const provider = await outbox.makeProvider()
      for (let m = 0; m < 4; m++) ids.push(await outbox.addAlert(provider))
    }
    for (const { delivery } of nodes) delivery.start()
    await vi.waitFor(() => expect(messageIds().length).toBeGreaterThanOrEqual(ids.length), 10_000)
    await Promise.all(nodes.map(({ delivery }) => delivery.runOnce()))
    expect(messageIds().sort()).toEqual(ids.sort())
  })

  it('take over from one that died, with the same message id', async () => {
    outbox = await startOutbox()
    const [first, second] = [await outbox.startNode(), await outbox.startNode()]
    const held = holdAnswers()
    const id = await outbox.addAlert(await outbox.makeProvider())
    const interrupted = first.delivery.runOnce()
    await vi.waitFor(() => expect(held).toHaveLength(1))
    await second.delivery.runOnce()
    expect(messageIds()).toEqual([id])

    await first.vanish()
    outbox.receiver.answerWith(200, 'ok')
    await second.delivery.runOnce()
    expect(messageIds()).toEqual([id, id])
    expect(await outbox.alert(id)).toMatchObject({ state: 'sent', attempts: 1 })

    // The first was not dead after all; what it has to say changes nothing.
    held[0]?.writeHead(404).end()
    await interrupted
    expect(await outbox.alert(id)).toMatchObject({ state: 'sent', attempts: 1, answer: 'ok' })
  })

  it('believe one that was taken for dead when a message of its was taken', async () => {
    outbox = await startOutbox()
    const first = await outbox.startNode()
    const held = holdAnswers()
    const id = await outbox.addAlert(await outbox.makeProvider())
    const sending = first.delivery.runOnce()
    await vi.waitFor(() => expect(held).toHaveLength(1))
    await first.vanish()
    held[0]?.end('ok')
    await sending
    const second = await outbox.startNode()
    await second.delivery.runOnce()
    expect(messageIds()).toEqual([id])
    expect((await outbox.alert(id)).state).toBe('sent')
    expect(await claims()).toEqual([null])
  })

  it('send nothing without a lease', async () => {
    outbox = await startOutbox()
    const { delivery, lease } = await outbox.startNode()
    await outbox.addAlert(await outbox.makeProvider())
    await lease.stop()
    await delivery.runOnce()
    expect(messageIds()).toEqual([])
  })

  it('send nothing more of a queue once their lease is lost', async () => {
    outbox = await startOutbox()
    const first = await outbox.startNode()
    const provider = await outbox.makeProvider()
    const ids = [await outbox.addAlert(provider), await outbox.addAlert(provider)]
    outbox.receiver.answer(async (response) => {
      await first.vanish()
      await first.lease.renew()
      response.end('ok')
    })
    await first.delivery.runOnce()
    expect(messageIds()).toEqual(ids.slice(0, 1))
    outbox.receiver.answerWith(200, 'ok')
    const second = await outbox.startNode()
    await second.delivery.runOnce()
    expect(messageIds()).toEqual(ids)
  })

  it('find again what they hold without knowing, because an answer of the database was lost', async () => {
    outbox = await startOutbox()
    const { delivery, lease } = await outbox.startNode()
    const provider = await outbox.makeProvider()
    await outbox.addAlert(provider)
    await outbox.server.services.db.query('update providers set claimed_by = $1', [lease.id])
    await delivery.runOnce()
    expect(messageIds()).toHaveLength(1)
  })
})

describe('while the database is away', () => {
  it('what became of a message is kept until it can be written, and it is not sent again', async () => {
    outbox = await startOutbox()
    const { delivery } = await outbox.startNode()
    const { db } = outbox.server.services
    const id = await outbox.addAlert(await outbox.makeProvider())
    outbox.receiver.answer(async (response) => {
      await db.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`)
      await db.query('create trigger refuse before update on alerts for each statement execute function refuse()')
      response.end('ok')
    })
    const turn = delivery.runOnce()
    await vi.waitFor(() => expect(outbox.server.logged.join('')).toContain('cannot be written, trying again'))
    await db.query('drop trigger refuse on alerts')
    await turn
    await delivery.runOnce()
    expect(messageIds()).toEqual([id])
    expect(await outbox.alert(id)).toMatchObject({ state: 'sent', attempts: 1 })
  })

  it('a lost connection costs nothing but a moment', async () => {
    outbox = await startOutbox()
    const { delivery } = await outbox.startNode()
    const { db } = outbox.server.services
    const provider = await outbox.makeProvider()
    const ids = [await outbox.addAlert(provider), await outbox.addAlert(provider)]
    outbox.receiver.answer(async (response) => {
      await db
        .query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = user',
        )
        .catch(() => {})
      response.end('ok')
    })
    await delivery.runOnce()
    expect(messageIds()).toEqual(ids)
    expect((await outbox.alert(ids[1] as string)).state).toBe('sent')
  })
})

describe('a node that stops', () => {
  it('gives back what it could not send, without counting it', async () => {
    outbox = await startOutbox()
    const first = await outbox.startNode()
    holdAnswers()
    const provider = await outbox.makeProvider()
    const ids = [await outbox.addAlert(provider), await outbox.addAlert(provider)]
    first.delivery.start()
    await vi.waitFor(() => expect(messageIds()).toHaveLength(1))
    await first.delivery.stop()
    expect(await claims()).toEqual([null])
    expect(await outbox.alert(ids[0] as string)).toMatchObject({ state: 'waiting', attempts: 0, last_attempt_at: null })
    outbox.receiver.answerWith(200, 'ok')
    await (await outbox.startNode()).delivery.runOnce()
    expect(messageIds()).toEqual([ids[0], ...ids])
  })

  it('lets a message arrive that is on its way', async () => {
    outbox = await startOutbox()
    const first = await outbox.startNode()
    const held = holdAnswers()
    const id = await outbox.addAlert(await outbox.makeProvider())
    first.delivery.start()
    await vi.waitFor(() => expect(held).toHaveLength(1))
    const stopped = first.delivery.stop()
    held[0]?.end('ok')
    await stopped
    expect((await outbox.alert(id)).state).toBe('sent')
  })
})
