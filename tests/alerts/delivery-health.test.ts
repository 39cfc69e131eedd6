/** When Belfry or its database prevents alerts from being sent for a minute, the log, /readyz and the metrics say so. */
import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { DeliveryHealth } from '../../src/alerts/delivery-health.ts'
import { type AlertFixture, createAlertFixtures } from '../support/alerts.ts'

const token = 'a token with at least 16 characters'
const fixtures = createAlertFixtures()
afterAll(() => fixtures.close())

/** Lists the lines that the server logged about delivery. */
const listLines = ({ server }: AlertFixture) =>
  server.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => /^delivery /.test(msg))

async function readReasons({ server }: AlertFixture): Promise<string[]> {
  const { status, body } = await server.anyone.get('/readyz')
  expect(status).toBe(200)
  return (body.reasons ?? []).filter((reason: string) => reason.startsWith('Alerts for '))
}

async function readMetrics({ server }: AlertFixture): Promise<string> {
  return (await server.anyone.get('/metrics', { headers: { authorization: `Bearer ${token}` } })).text
}

describe('alerts that no node begins to send for a minute', () => {
  it('are reported once in the log, and at /readyz and /metrics until they are sent', async () => {
    const fixture = await fixtures.start(() => ({ BELFRY_METRICS_TOKEN: token }))
    const { addAlert, clock, createChannel, server } = fixture
    const { deliveryHealth } = server.services
    await deliveryHealth.check()
    await addAlert(await createChannel())
    await addAlert(await createChannel())
    clock.advance({ seconds: 59 })
    await deliveryHealth.check()
    expect([await readReasons(fixture), listLines(fixture)]).toEqual([[], []])
    expect(await readMetrics(fixture)).toMatch(/^belfry_degraded\{reason="delivery"\} 0$/m)

    clock.advance({ seconds: 2 })
    await deliveryHealth.check()
    clock.advance({ seconds: 10 })
    await deliveryHealth.check()
    expect(await readReasons(fixture)).toEqual([
      expect.stringMatching(
        /^Alerts for 2 notification channels have been due for over a minute, .* Check the load and the logs/,
      ),
    ])
    expect(listLines(fixture)).toMatchObject([
      {
        level: 'error',
        msg: expect.stringContaining('delivery fails: Alerts for 2 notification channels have been due'),
      },
    ])
    const metrics = await readMetrics(fixture)
    expect(metrics).toMatch(/^belfry_degraded\{reason="delivery"\} 1$/m)
    expect(metrics).toMatch(/^belfry_alerts_overdue_seconds 71$/m)

    const { outbox } = await fixture.startNode()
    await outbox.runOnce()
    await deliveryHealth.check()
    expect(fixture.receiver.received).toHaveLength(2)
    expect(await readReasons(fixture)).toEqual([])
    expect(listLines(fixture)).toMatchObject([
      { level: 'error' },
      { level: 'info', msg: 'delivery works again', seconds: 10 },
    ])
  })

  it('are not reported when a server finds them at its start, until it has had a minute to send them', async () => {
    const fixture = await fixtures.start()
    const { addAlert, clock, createChannel, server } = fixture
    await addAlert(await createChannel())
    clock.advance({ hours: 1 })
    const health = new DeliveryHealth({ ...server.services, listFailures: () => [] })
    await health.check()
    clock.advance({ seconds: 59 })
    await health.check()
    expect(health.degradedReasons).toEqual([])
    clock.advance({ seconds: 1 })
    await health.check()
    expect(health.degradedReasons).toHaveLength(1)
  })

  it('are not reported if their receiver fails, or a node is sending to it', async () => {
    const fixture = await fixtures.start()
    const { addAlert, clock, createChannel, receiver, server, startNode } = fixture
    const health = new DeliveryHealth({ ...server.services, listFailures: () => [] })
    await health.check()
    const { outbox } = await startNode()
    receiver.respondWith(500, 'failed')
    await addAlert(await createChannel())
    await outbox.runOnce()
    const response = Promise.withResolvers<ServerResponse>()
    receiver.handleWith((heldResponse) => response.resolve(heldResponse))
    await addAlert(await createChannel())
    const isSent = outbox.runOnce()
    const heldResponse = await response.promise
    clock.advance({ minutes: 2 })
    await health.check()
    expect(health.degradedReasons).toEqual([])
    heldResponse.end('ok')
    await isSent
  })
})

describe('an outbox', () => {
  it('whose statements fail for a minute is reported, even if no alert is waiting', async () => {
    const fixture = await fixtures.start(() => ({}))
    const { clock, server, startNode } = fixture
    const { db } = server.services
    const { outbox } = await startNode()
    const health = new DeliveryHealth({ ...server.services, listFailures: () => outbox.failures })
    await db.query('alter table providers rename column rests_until to rested_until')
    await outbox.runOnce()
    clock.advance({ seconds: 59 })
    await outbox.runOnce()
    await health.check()
    expect(health.degradedReasons).toEqual([])
    clock.advance({ seconds: 1 })
    await outbox.runOnce()
    await health.check()
    await health.check()
    expect(health.degradedReasons).toEqual([
      expect.stringContaining('For over a minute, this node could not look for an alert to send. Check the load'),
    ])
    expect(listLines(fixture)).toMatchObject([
      {
        level: 'error',
        reason: expect.stringContaining('rests_until'),
        msg: expect.stringContaining('delivery fails: For'),
      },
    ])
    await db.query('alter table providers rename column rested_until to rests_until')
    await outbox.runOnce()
    await health.check()
    expect(health.degradedReasons).toEqual([])
    expect(listLines(fixture).at(-1)).toMatchObject({ level: 'info', msg: 'delivery works again' })
  })
})
