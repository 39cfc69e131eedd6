/** When a receiver does not accept a message, Belfry retries it or gives up, and the channel shows the failure. */
import { afterAll, describe, expect, it } from 'vitest'
import { type AlertFixture, type AlertFixtures, type AlertNode, createAlertFixtures } from '../support/alerts.ts'

let fixture: AlertFixture
let node: AlertNode
let channelId: number
const fixtures = createAlertFixtures()
afterAll(() => fixtures.close())

async function start(env?: Parameters<AlertFixtures['start']>[0]): Promise<void> {
  fixture = await fixtures.start(env)
  node = await fixture.startNode()
  channelId = await fixture.createChannel()
}

const countAttempts = () => fixture.receiver.received.length

async function runAfter(seconds: number): Promise<void> {
  fixture.clock.advance({ seconds })
  await node.outbox.runOnce()
}

const getChannel = async (id = channelId) => (await fixture.owner.session.get(`/api/providers/${id}`)).body.data

describe('a message that is not accepted', () => {
  it('is retried with growing delays and the same id', async () => {
    await start()
    fixture.receiver.respondWith(503, 'busy')
    const id = await fixture.addAlert(channelId)
    await node.outbox.runOnce()
    expect(countAttempts()).toBe(1)
    expect(await fixture.getAlert(id)).toMatchObject({
      state: 'waiting',
      attempts: 1,
      answer: 'Slack responded with 503: busy.',
      last_attempt_at: fixture.clock.now(),
      next_attempt_at: new Date('2026-01-05T10:00:05.000Z'),
    })
    for (const [index, delay] of [5, 15, 45, 120, 300, 900, 900].entries()) {
      await runAfter(delay - 1)
      expect([delay, countAttempts()]).toEqual([delay, index + 1])
      await runAfter(1)
      expect([delay, countAttempts()]).toEqual([delay, index + 2])
    }
    const ids = fixture.receiver.received.map(({ headers }) => headers['x-belfry-message-id'])
    expect(new Set(ids)).toEqual(new Set([id]))
    fixture.receiver.respondWith(200, 'ok')
    await runAfter(900)
    expect(await fixture.getAlert(id)).toMatchObject({ state: 'sent', attempts: 9, answer: 'ok' })
  })

  it('is given up after a day, and the channel shows the failure', async () => {
    await start()
    fixture.receiver.respondWith(503, 'busy')
    const id = await fixture.addAlert(channelId)
    await node.outbox.runOnce()
    expect(await getChannel()).toMatchObject({ failure: null, failed_at: null })
    await runAfter(86_399)
    expect((await fixture.getAlert(id)).state).toBe('waiting')
    await runAfter(900)
    expect(await fixture.getAlert(id)).toMatchObject({ state: 'failed', attempts: 3, next_attempt_at: null })
    expect(await getChannel()).toMatchObject({
      failure: 'Gave up after 24 h. Slack responded with 503: busy.',
      failed_at: fixture.clock.now().toISOString(),
    })
    await runAfter(86_400)
    expect(countAttempts()).toBe(3)
  })

  it('is given up together with other messages that also waited for a day', async () => {
    await start()
    fixture.receiver.respondWith(503, 'busy')
    const ids = []
    for (let n = 0; n < 5; n++)
      ids.push(await fixture.addAlert(channelId, { monitorId: await fixture.createMonitor() }))
    await node.outbox.runOnce()
    expect(countAttempts()).toBe(1)
    await runAfter(86_400)
    expect(countAttempts()).toBe(2)
    const states = await Promise.all(ids.map(async (id) => (await fixture.getAlert(id)).state))
    expect(states).toEqual(Array(5).fill('failed'))
    expect((await fixture.getAlert(ids[4] as string)).answer).toBe('Slack responded with 503: busy.')
  })

  it('waits for as long as the receiver asks', async () => {
    await start()
    fixture.receiver.respondWith(429, 'slow down', { 'retry-after': '100' })
    const id = await fixture.addAlert(channelId)
    const otherId = await fixture.addAlert(channelId, { monitorId: await fixture.createMonitor() })
    await node.outbox.runOnce()
    await runAfter(99)
    expect(countAttempts()).toBe(1)
    fixture.receiver.respondWith(200, 'ok')
    await runAfter(1)
    expect([(await fixture.getAlert(id)).state, (await fixture.getAlert(otherId)).state]).toEqual(['sent', 'sent'])
  })

  it('waits for as long as Telegram asks in the body of its response', async () => {
    await start()
    node = await fixture.startNode({ telegramApi: fixture.receiver.address })
    fixture.receiver.respondWith(429, { ok: false, description: 'Too Many Requests', parameters: { retry_after: 33 } })
    const fields = { provider_type: 'telegram', webhook_url: undefined, chat_id: '1', token: '1:a' }
    const id = await fixture.addAlert(await fixture.createChannel(fields))
    await node.outbox.runOnce()
    expect(await fixture.getAlert(id)).toMatchObject({
      answer: 'Telegram responded with 429: Too Many Requests.',
      next_attempt_at: new Date('2026-01-05T10:00:33.000Z'),
    })
  })

  it('pauses its channel, so that other messages do not fail one by one', async () => {
    await start()
    await fixture.owner.session.call('PATCH', '/api/account', { json: { group_alerts: false } })
    fixture.receiver.respondWith(503, 'busy')
    for (let n = 0; n < 10; n++) await fixture.addAlert(channelId, { monitorId: await fixture.createMonitor() })
    for (const seconds of [0, 5, 15, 45, 60, 60]) await runAfter(seconds)
    expect(countAttempts()).toBe(6)
    fixture.receiver.respondWith(200, 'ok')
    await runAfter(60)
    // The channel works again, so messages with longer delays are sent now, too.
    expect(countAttempts()).toBe(16)
    const unsentAlerts = await fixture.server.services.db.query(`select from alerts where state <> 'sent'`)
    expect(unsentAlerts).toEqual([])
  })
})

describe('a message that is rejected permanently', () => {
  it('is given up immediately, and the channel shows the failure until a message is sent', async () => {
    await start()
    fixture.receiver.respondWith(404, 'no_service')
    const id = await fixture.addAlert(channelId)
    await node.outbox.runOnce()
    await runAfter(3_600)
    expect(countAttempts()).toBe(1)
    expect(await fixture.getAlert(id)).toMatchObject({
      state: 'failed',
      attempts: 1,
      answer: 'Slack responded with 404: no_service.',
    })
    expect(await getChannel()).toMatchObject({
      failure: 'Slack responded with 404: no_service.',
      failed_at: '2026-01-05T10:00:00.000Z',
    })
    fixture.receiver.respondWith(200, 'ok')
    await fixture.addAlert(channelId)
    await node.outbox.runOnce()
    expect(await getChannel()).toMatchObject({ failure: null, failed_at: null })
  })

  it.each([
    ['a successful test', async (path: string) => fixture.owner.session.post(`${path}/test`)],
    [
      'new settings',
      async (path: string) => fixture.owner.session.put(path, { webhook_url: `${fixture.receiver.address}/b` }),
    ],
  ])('is no longer shown after %s, and waiting messages are sent', async (_, fixChannel) => {
    await start()
    fixture.receiver.respondWith(404, 'no_service')
    await fixture.addAlert(channelId)
    await node.outbox.runOnce()
    fixture.receiver.respondWith(503, 'busy')
    const waitingId = await fixture.addAlert(channelId)
    await runAfter(5)
    fixture.receiver.respondWith(200, 'ok')
    expect((await fixChannel(`/api/providers/${channelId}`)).status).toBe(200)
    expect(await getChannel()).toMatchObject({ failure: null, failed_at: null })
    await node.outbox.runOnce()
    expect((await fixture.getAlert(waitingId)).state).toBe('sent')
  })

  it('is still shown after the channel is renamed', async () => {
    await start()
    fixture.receiver.respondWith(404, 'no_service')
    await fixture.addAlert(channelId)
    await node.outbox.runOnce()
    await fixture.owner.session.put(`/api/providers/${channelId}`, { name: 'Night shift' })
    expect((await getChannel()).failure).toBe('Slack responded with 404: no_service.')
  })
})

describe('text messages', () => {
  it('wait for the next day when the daily limit is used up', async () => {
    await start(({ address }) => ({
      BELFRY_SMS_URL: address,
      BELFRY_SMS_ACCOUNT: 'account',
      BELFRY_SMS_TOKEN: 'token',
      BELFRY_SMS_FROM: '+15005550006',
      BELFRY_SMS_DAILY: '2',
    }))
    fixture.receiver.respondWith(201, { status: 'queued' })
    const smsFields = { provider_type: 'sms', webhook_url: undefined, phone_number: '+4915112345678' }
    const smsChannelId = await fixture.createChannel(smsFields)
    const ids = []
    for (let n = 0; n < 3; n++) ids.push(await fixture.addAlert(smsChannelId))
    await node.outbox.runOnce()
    expect(countAttempts()).toBe(2)
    const lastId = ids[2] as string
    expect(await fixture.getAlert(lastId)).toMatchObject({
      state: 'waiting',
      answer: "You've reached the daily limit of 2 text messages (BELFRY_SMS_DAILY).",
      next_attempt_at: new Date('2026-01-06T00:00:00.000Z'),
    })
    await runAfter(14 * 3_600)
    expect(await fixture.getAlert(lastId)).toMatchObject({ state: 'sent', answer: 'queued' })
  })
})
