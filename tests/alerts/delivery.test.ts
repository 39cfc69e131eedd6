/** From the outbox to the receiver: in order, and once. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Outbox, startOutbox } from '../support/alerts.ts'
import { startHttpReceiver } from '../support/http-receiver.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'

let outbox: Outbox
afterEach(() => outbox.close())

describe('an alert', () => {
  it('arrives once, with its id, and what came back is kept', async () => {
    outbox = await startOutbox(() => ({ BELFRY_METRICS_TOKEN: 'a token of sixteen letters or more' }))
    const { addAlert, alert, clock, makeProvider, receiver, startNode, titles } = outbox
    const { delivery } = await startNode()
    const id = await addAlert(await makeProvider())
    clock.advance({ seconds: 3 })
    await delivery.runOnce()
    await delivery.runOnce()
    expect(titles()).toEqual(['Shop is down'])
    expect(receiver.received[0]?.headers['x-belfry-message-id']).toBe(id)
    expect(receiver.received[0]?.body).toContain('https://example.com/')
    expect(await alert(id)).toMatchObject({
      state: 'sent',
      attempts: 1,
      answer: 'ok',
      next_attempt_at: null,
      last_attempt_at: new Date('2026-01-05T10:00:03.000Z'),
    })
    expect((await outbox.server.services.metrics.write()).text).toContain(
      'belfry_alert_attempts_total{type="slack",result="sent"} 1',
    )
  })

  it('arrives by mail with its id', async () => {
    const mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    outbox = await startOutbox(() => ({
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      BELFRY_MAIL_FROM: 'belfry@example.org',
    }))
    const { delivery } = await outbox.startNode()
    const provider = await outbox.makeProvider({
      provider_type: 'email',
      webhook_url: undefined,
      recipient_email: 'ops@example.com',
    })
    const id = await outbox.addAlert(provider, { title: 'Müller & <Söhne> is down' })
    await delivery.runOnce()
    expect(mail.received[0]?.mail).toMatchObject({
      subject: 'Müller & <Söhne> is down',
      messageId: `<${id}@example.org>`,
      text: 'Müller & <Söhne> is down\n\nhttps://example.com/\n',
    })
    await mail.close()
  })

  it('leaves without delay when the loop is woken', async () => {
    outbox = await startOutbox()
    const { delivery } = await outbox.startNode()
    const provider = await outbox.makeProvider()
    delivery.start()
    await outbox.addAlert(provider)
    delivery.wake()
    await vi.waitFor(() => expect(outbox.titles()).toEqual(['Shop is down']))
  })

  it('leaves by itself when nobody wakes the loop', async () => {
    outbox = await startOutbox()
    const { delivery } = await outbox.startNode()
    delivery.start()
    await outbox.addAlert(await outbox.makeProvider())
    await vi.waitFor(() => expect(outbox.titles()).toEqual(['Shop is down']), 5_000)
  })
})

describe('alerts', () => {
  it('arrive in the order in which they were written', async () => {
    outbox = await startOutbox()
    const { delivery } = await outbox.startNode()
    const provider = await outbox.makeProvider()
    const wanted = Array.from({ length: 120 }, (_, n) => `Message ${n}`)
    for (const title of wanted) await outbox.addAlert(provider, { title })
    // A round ends after so many, for others to have a turn.
    for (let round = 0; round < 3; round++) await delivery.runOnce()
    expect(outbox.titles()).toEqual(wanted)
  })

  it('of one monitor do not overtake each other, and those of others pass by', async () => {
    outbox = await startOutbox()
    const { addAlert, clock, makeMonitor, makeProvider, receiver, startNode, titles } = outbox
    const { delivery } = await startNode()
    const provider = await makeProvider()
    const other = await makeMonitor({ friendly_name: 'Blog' })
    receiver.answer((response, { body }) => response.writeHead(body.includes('Shop is down') ? 500 : 200).end())
    await addAlert(provider, { title: 'Shop is down' })
    await addAlert(provider, { title: 'Shop is up again', event: 'recovered' })
    await addAlert(provider, { title: 'Blog is down', monitorId: other })
    await delivery.runOnce()
    expect(titles()).toEqual(['Shop is down'])
    clock.advance({ seconds: 5 })
    await delivery.runOnce()
    // Blog was taken, so Slack is back, so Shop is tried again: it waits no longer, and still comes first.
    expect(titles()).toEqual(['Shop is down', 'Blog is down', 'Shop is down'])
    receiver.answerWith(200, 'ok')
    clock.advance({ minutes: 1 })
    await delivery.runOnce()
    expect(titles().slice(3)).toEqual(['Shop is down', 'Shop is up again'])
  })

  it('of one monitor wait for an earlier one that has a long pause before it', async () => {
    outbox = await startOutbox()
    const { delivery } = await outbox.startNode()
    const provider = await outbox.makeProvider()
    outbox.receiver.answerWith(503, 'busy')
    await outbox.addAlert(provider)
    for (const seconds of [0, 5, 15, 45]) {
      outbox.clock.advance({ seconds })
      await delivery.runOnce()
    }
    outbox.receiver.answerWith(200, 'ok')
    outbox.receiver.received.length = 0
    // It rests no more, and has two minutes less one to wait for the first message.
    outbox.clock.advance({ seconds: 119 })
    await outbox.addAlert(provider, { title: 'Shop is up again', event: 'recovered' })
    await delivery.runOnce()
    expect(outbox.titles()).toEqual([])
    outbox.clock.advance({ seconds: 1 })
    await delivery.runOnce()
    expect(outbox.titles()).toEqual(['Shop is down', 'Shop is up again'])
  })

  it('of one provider wait for no other, however slow that is', async () => {
    outbox = await startOutbox()
    const slow = await startHttpReceiver()
    const { promise: release, resolve } = Promise.withResolvers<void>()
    slow.answer((response) => void release.then(() => response.end('ok')))
    const { delivery } = await outbox.startNode()
    const slowProvider = await outbox.makeProvider({ webhook_url: slow.address })
    const quickProvider = await outbox.makeProvider()
    const first = await outbox.addAlert(slowProvider)
    await outbox.addAlert(quickProvider)
    const turn = delivery.runOnce()
    await vi.waitFor(() => expect([slow.received.length, outbox.titles().length]).toEqual([1, 1]))
    await outbox.addAlert(quickProvider, { title: 'Another' })
    void delivery.runOnce()
    await vi.waitFor(() => expect(outbox.titles()).toEqual(['Shop is down', 'Another']))
    expect((await outbox.alert(first)).state).toBe('waiting')
    resolve()
    await turn
    expect((await outbox.alert(first)).state).toBe('sent')
    await slow.close()
  })

  it('use what the provider is now, not what it was when they were written', async () => {
    outbox = await startOutbox()
    const { delivery } = await outbox.startNode()
    const provider = await outbox.makeProvider({ webhook_url: `${outbox.receiver.address}/old` })
    await outbox.addAlert(provider)
    await outbox.addAlert(provider)
    outbox.receiver.answer(async (response) => {
      const webhook_url = `${outbox.receiver.address}/new`
      await outbox.owner.session.put(`/api/providers/${provider}`, { webhook_url })
      response.end('ok')
    })
    await delivery.runOnce()
    expect(outbox.receiver.received.map(({ path }) => path)).toEqual(['/old', '/new'])
  })

  it.each(['monitors', 'providers'])('go with what they are about: one of %s that is deleted midway', async (kind) => {
    outbox = await startOutbox()
    const { delivery } = await outbox.startNode()
    const provider = await outbox.makeProvider()
    const kept = await outbox.makeProvider()
    const keptMonitor = await outbox.makeMonitor()
    for (let n = 0; n < 3; n++) await outbox.addAlert(provider)
    const id = kind === 'monitors' ? outbox.monitorId : provider
    outbox.receiver.answer(async (response) => {
      await outbox.owner.session.delete(`/api/${kind}/${id}`)
      response.end('ok')
    })
    await delivery.runOnce()
    expect(outbox.titles()).toHaveLength(1)
    const last = await outbox.addAlert(kept, { monitorId: keptMonitor })
    await delivery.runOnce()
    expect((await outbox.alert(last)).state).toBe('sent')
  })
})
