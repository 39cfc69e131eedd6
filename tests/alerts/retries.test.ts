/** A message that is not taken: how long it is tried, and what is shown of it. */
import { afterEach, describe, expect, it } from 'vitest'
import { type Outbox, startOutbox, type TestNode } from '../support/alerts.ts'

let outbox: Outbox
let node: TestNode
let provider: number
afterEach(() => outbox.close())

async function start(env?: Parameters<typeof startOutbox>[0]): Promise<void> {
  outbox = await startOutbox(env)
  node = await outbox.startNode()
  provider = await outbox.makeProvider()
}

const tries = () => outbox.receiver.received.length

async function runAfter(seconds: number): Promise<void> {
  outbox.clock.advance({ seconds })
  await node.delivery.runOnce()
}

const shownProvider = async (id = provider) => (await outbox.owner.session.get(`/api/providers/${id}`)).body.data

describe('a message that is not taken', () => {
  it('is tried again after pauses that grow, with the same id', async () => {
    await start()
    outbox.receiver.answerWith(503, 'busy')
    const id = await outbox.addAlert(provider)
    await node.delivery.runOnce()
    expect(tries()).toBe(1)
    expect(await outbox.alert(id)).toMatchObject({
      state: 'waiting',
      attempts: 1,
      answer: 'Slack answered 503: busy.',
      last_attempt_at: outbox.clock.now(),
      next_attempt_at: new Date('2026-01-05T10:00:05.000Z'),
    })
    for (const [index, pause] of [5, 15, 45, 120, 300, 900, 900].entries()) {
      await runAfter(pause - 1)
      expect([pause, tries()]).toEqual([pause, index + 1])
      await runAfter(1)
      expect([pause, tries()]).toEqual([pause, index + 2])
    }
    const ids = outbox.receiver.received.map(({ headers }) => headers['x-belfry-message-id'])
    expect(new Set(ids)).toEqual(new Set([id]))
    outbox.receiver.answerWith(200, 'ok')
    await runAfter(900)
    expect(await outbox.alert(id)).toMatchObject({ state: 'sent', attempts: 9, answer: 'ok' })
  })

  it('is given up after a day, which the provider shows', async () => {
    await start()
    outbox.receiver.answerWith(503, 'busy')
    const id = await outbox.addAlert(provider)
    await node.delivery.runOnce()
    expect(await shownProvider()).toMatchObject({ failure: null, failed_at: null })
    await runAfter(86_399)
    expect((await outbox.alert(id)).state).toBe('waiting')
    await runAfter(900)
    expect(await outbox.alert(id)).toMatchObject({ state: 'failed', attempts: 3, next_attempt_at: null })
    expect(await shownProvider()).toMatchObject({
      failure: 'Given up after 24 h. Slack answered 503: busy.',
      failed_at: outbox.clock.now().toISOString(),
    })
    await runAfter(86_400)
    expect(tries()).toBe(3)
  })

  it('takes others along that waited for a day behind it', async () => {
    await start()
    outbox.receiver.answerWith(503, 'busy')
    const ids = []
    for (let n = 0; n < 5; n++) ids.push(await outbox.addAlert(provider, { monitorId: await outbox.makeMonitor() }))
    await node.delivery.runOnce()
    expect(tries()).toBe(1)
    await runAfter(86_400)
    expect(tries()).toBe(2)
    const states = await Promise.all(ids.map(async (id) => (await outbox.alert(id)).state))
    expect(states).toEqual(Array(5).fill('failed'))
    expect((await outbox.alert(ids[4] as string)).answer).toBe('Slack answered 503: busy.')
  })

  it('waits for as long as the other side asks', async () => {
    await start()
    outbox.receiver.answerWith(429, 'slow down', { 'retry-after': '100' })
    const id = await outbox.addAlert(provider)
    const other = await outbox.addAlert(provider, { monitorId: await outbox.makeMonitor() })
    await node.delivery.runOnce()
    await runAfter(99)
    expect(tries()).toBe(1)
    outbox.receiver.answerWith(200, 'ok')
    await runAfter(1)
    expect([(await outbox.alert(id)).state, (await outbox.alert(other)).state]).toEqual(['sent', 'sent'])
  })

  it('waits for as long as Telegram asks, which says so in words', async () => {
    await start(({ address }) => ({ BELFRY_TELEGRAM_API: address }))
    outbox.receiver.answerWith(429, { ok: false, description: 'Too Many Requests', parameters: { retry_after: 33 } })
    const fields = { provider_type: 'telegram', webhook_url: undefined, chat_id: '1', token: '1:a' }
    const id = await outbox.addAlert(await outbox.makeProvider(fields))
    await node.delivery.runOnce()
    expect(await outbox.alert(id)).toMatchObject({
      answer: 'Telegram answered 429: Too Many Requests.',
      next_attempt_at: new Date('2026-01-05T10:00:33.000Z'),
    })
  })

  it('is not followed by others at once: the provider is left alone for a while', async () => {
    await start()
    outbox.receiver.answerWith(503, 'busy')
    for (let n = 0; n < 10; n++) await outbox.addAlert(provider, { monitorId: await outbox.makeMonitor() })
    for (const pause of [0, 5, 15, 45, 60, 60]) await runAfter(pause)
    expect(tries()).toBe(6)
    outbox.receiver.answerWith(200, 'ok')
    await runAfter(60)
    // It is back: also those that had a longer pause before them go out now.
    expect(tries()).toBe(16)
    const left = await outbox.server.services.db.query(`select from alerts where state <> 'sent'`)
    expect(left).toEqual([])
  })
})

describe('a message that is refused for good', () => {
  it('is given up at once, which the provider shows until something is taken again', async () => {
    await start()
    outbox.receiver.answerWith(404, 'no_service')
    const id = await outbox.addAlert(provider)
    await node.delivery.runOnce()
    await runAfter(3_600)
    expect(tries()).toBe(1)
    expect(await outbox.alert(id)).toMatchObject({
      state: 'failed',
      attempts: 1,
      answer: 'Slack answered 404: no_service.',
    })
    expect(await shownProvider()).toMatchObject({
      failure: 'Slack answered 404: no_service.',
      failed_at: '2026-01-05T10:00:00.000Z',
    })
    outbox.receiver.answerWith(200, 'ok')
    await outbox.addAlert(provider)
    await node.delivery.runOnce()
    expect(await shownProvider()).toMatchObject({ failure: null, failed_at: null })
  })

  it.each([
    ['a test that arrives', async (path: string) => outbox.owner.session.post(`${path}/test`)],
    [
      'another setting',
      async (path: string) => outbox.owner.session.put(path, { webhook_url: `${outbox.receiver.address}/b` }),
    ],
  ])('is forgotten after %s, and what waits is tried at once', async (_, act) => {
    await start()
    outbox.receiver.answerWith(404, 'no_service')
    await outbox.addAlert(provider)
    await node.delivery.runOnce()
    outbox.receiver.answerWith(503, 'busy')
    const waiting = await outbox.addAlert(provider)
    await runAfter(5)
    outbox.receiver.answerWith(200, 'ok')
    expect((await act(`/api/providers/${provider}`)).status).toBe(200)
    expect(await shownProvider()).toMatchObject({ failure: null, failed_at: null })
    await node.delivery.runOnce()
    expect((await outbox.alert(waiting)).state).toBe('sent')
  })

  it('is not forgotten because of another name', async () => {
    await start()
    outbox.receiver.answerWith(404, 'no_service')
    await outbox.addAlert(provider)
    await node.delivery.runOnce()
    await outbox.owner.session.put(`/api/providers/${provider}`, { name: 'Night shift' })
    expect((await shownProvider()).failure).toBe('Slack answered 404: no_service.')
  })
})

describe('text messages', () => {
  it('wait for the next day when there were enough', async () => {
    await start(({ address }) => ({
      BELFRY_SMS_URL: address,
      BELFRY_SMS_ACCOUNT: 'account',
      BELFRY_SMS_TOKEN: 'token',
      BELFRY_SMS_FROM: '+15005550006',
      BELFRY_SMS_DAILY: '2',
    }))
    outbox.receiver.answerWith(201, { status: 'queued' })
    const phone = { provider_type: 'sms', webhook_url: undefined, phone_number: '+4915112345678' }
    const sms = await outbox.makeProvider(phone)
    const ids = []
    for (let n = 0; n < 3; n++) ids.push(await outbox.addAlert(sms))
    await node.delivery.runOnce()
    expect(tries()).toBe(2)
    const last = ids[2] as string
    expect(await outbox.alert(last)).toMatchObject({
      state: 'waiting',
      answer: 'At most 2 text messages a day (BELFRY_SMS_DAILY).',
      next_attempt_at: new Date('2026-01-06T00:00:00.000Z'),
    })
    await runAfter(14 * 3_600)
    expect(await outbox.alert(last)).toMatchObject({ state: 'sent', answer: 'queued' })
  })
})
