/** The outbox delivers alerts to the receiver in order, and each alert once. */
import { afterAll, describe, expect, it, vi } from 'vitest'
import { type AlertFixture, createAlertFixtures } from '../support/alerts.ts'
import { startHttpReceiver } from '../support/http-receiver.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'

let fixture: AlertFixture
const fixtures = createAlertFixtures()
afterAll(() => fixtures.close())

describe('an alert', () => {
  it('arrives once with its id, and the response is stored', async () => {
    fixture = await fixtures.start(() => ({ BELFRY_METRICS_TOKEN: 'a token with at least 16 characters' }))
    const { addAlert, getAlert, clock, createChannel, receiver, startNode, listTitles } = fixture
    const { outbox } = await startNode()
    const id = await addAlert(await createChannel())
    clock.advance({ seconds: 3 })
    await outbox.runOnce()
    await outbox.runOnce()
    expect(listTitles()).toEqual(['Shop is down'])
    expect(receiver.received[0]?.headers['x-belfry-message-id']).toBe(id)
    expect(receiver.received[0]?.body).toContain('https://example.com/')
    expect(await getAlert(id)).toMatchObject({
      state: 'sent',
      attempts: 1,
      answer: 'ok',
      next_attempt_at: null,
      last_attempt_at: new Date('2026-01-05T10:00:03.000Z'),
    })
    expect((await fixture.server.services.metrics.write()).text).toContain(
      'belfry_alert_attempts_total{type="slack",result="sent"} 1',
    )
  })

  it('arrives by email with its id', async () => {
    const mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    fixture = await fixtures.start(() => ({
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      BELFRY_MAIL_FROM: 'belfry@example.org',
    }))
    const { outbox } = await fixture.startNode()
    const channelId = await fixture.createChannel({
      provider_type: 'email',
      webhook_url: undefined,
      recipient_email: 'ops@example.com',
    })
    const id = await fixture.addAlert(channelId, { title: 'Down: Müller & <Söhne>' })
    await outbox.runOnce()
    expect(mail.received[0]?.mail).toMatchObject({
      subject: '[🔴 Down] Shop',
      messageId: `<${id}@example.org>`,
      text: expect.stringMatching(/^🔴 Down: Müller & <Söhne>\n\nURL: https:\/\/example\.com\/\n/),
    })
    expect(mail.received[0]?.mail.inReplyTo).toBeUndefined()
    // Mail programs show the messages about one incident together.
    await fixture.addAlert(channelId, { event: 'reminder' })
    await outbox.runOnce()
    expect(mail.received[1]?.mail).toMatchObject({
      inReplyTo: `<${id}@example.org>`,
      references: expect.stringMatching(new RegExp(`^<belfry-.*@example\\.org> <${id}@example\\.org>$`)),
    })
    await mail.close()
  })

  it('is sent without delay when the job is triggered', async () => {
    fixture = await fixtures.start()
    const node = await fixture.startNode()
    const channelId = await fixture.createChannel()
    node.start()
    await fixture.addAlert(channelId)
    node.trigger()
    await vi.waitFor(() => expect(fixture.listTitles()).toEqual(['Shop is down']), 20_000)
  })

  it('is sent within the polling interval when nothing triggers the job', async () => {
    fixture = await fixtures.start()
    const node = await fixture.startNode()
    node.start()
    await fixture.addAlert(await fixture.createChannel())
    await vi.waitFor(() => expect(fixture.listTitles()).toEqual(['Shop is down']), 5_000)
  })
})

describe('alerts', () => {
  it('arrive in the order in which they were written', async () => {
    fixture = await fixtures.start()
    const { outbox } = await fixture.startNode()
    const channelId = await fixture.createChannel()
    const titles = Array.from({ length: 120 }, (_, n) => `Message ${n}`)
    for (const title of titles) await fixture.addAlert(channelId, { title })
    // A run sends at most 50 messages per channel, so that other channels are served too.
    for (let run = 0; run < 3; run++) await outbox.runOnce()
    expect(fixture.listTitles()).toEqual(titles)
  })

  it('about one monitor keep their order, without delaying alerts about other monitors', async () => {
    fixture = await fixtures.start()
    const { addAlert, clock, createMonitor, createChannel, receiver, startNode, listTitles } = fixture
    const { outbox } = await startNode()
    const channelId = await createChannel()
    const otherMonitorId = await createMonitor({ friendly_name: 'Blog' })
    receiver.handleWith((response, { body }) => response.writeHead(body.includes('Shop is down') ? 500 : 200).end())
    await addAlert(channelId, { title: 'Shop is down' })
    await addAlert(channelId, { title: 'Shop is up again', event: 'recovered' })
    await addAlert(channelId, { title: 'Blog is down', monitorId: otherMonitorId })
    await outbox.runOnce()
    expect(listTitles()).toEqual(['Shop is down'])
    clock.advance({ seconds: 5 })
    await outbox.runOnce()
    // Slack accepted the alert about the blog, so Slack works again, and the same run retries the alert about the shop.
    expect(listTitles()).toEqual(['Shop is down', 'Blog is down', 'Shop is down'])
    receiver.respondWith(200, 'ok')
    clock.advance({ minutes: 1 })
    await outbox.runOnce()
    expect(listTitles().slice(3)).toEqual(['Shop is down', 'Shop is up again'])
  })

  it('about one monitor wait for an earlier alert that has a long retry delay', async () => {
    fixture = await fixtures.start()
    const { outbox } = await fixture.startNode()
    const channelId = await fixture.createChannel()
    fixture.receiver.respondWith(503, 'busy')
    await fixture.addAlert(channelId)
    for (const seconds of [0, 5, 15, 45]) {
      fixture.clock.advance({ seconds })
      await outbox.runOnce()
    }
    fixture.receiver.respondWith(200, 'ok')
    fixture.receiver.received.length = 0
    // The channel is no longer paused, but the first alert's retry delay of two minutes ends one second later.
    fixture.clock.advance({ seconds: 119 })
    await fixture.addAlert(channelId, { title: 'Shop is up again', event: 'recovered' })
    await outbox.runOnce()
    expect(fixture.listTitles()).toEqual([])
    fixture.clock.advance({ seconds: 1 })
    await outbox.runOnce()
    expect(fixture.listTitles()).toEqual(['Shop is down', 'Shop is up again'])
  })

  it('of one channel do not wait for another channel that is slow', async () => {
    fixture = await fixtures.start()
    const slowReceiver = await startHttpReceiver()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    slowReceiver.handleWith((response) => void released.then(() => response.end('ok')))
    const { outbox } = await fixture.startNode()
    const slowChannelId = await fixture.createChannel({ webhook_url: slowReceiver.address })
    const quickChannelId = await fixture.createChannel()
    const slowAlertId = await fixture.addAlert(slowChannelId)
    await fixture.addAlert(quickChannelId)
    const firstRun = outbox.runOnce()
    await vi.waitFor(() => expect([slowReceiver.received.length, fixture.listTitles().length]).toEqual([1, 1]), 20_000)
    await fixture.addAlert(quickChannelId, { title: 'Another' })
    // The job runs again and again, because a run skips a channel whose last message is still being recorded as sent.
    await vi.waitFor(() => {
      void outbox.runOnce()
      expect(fixture.listTitles()).toEqual(['Shop is down', 'Another'])
    }, 20_000)
    expect((await fixture.getAlert(slowAlertId)).state).toBe('waiting')
    release()
    await firstRun
    expect((await fixture.getAlert(slowAlertId)).state).toBe('sent')
    await slowReceiver.close()
  })

  it('use the settings that the channel has when they are sent', async () => {
    fixture = await fixtures.start()
    const { outbox } = await fixture.startNode()
    const channelId = await fixture.createChannel({ webhook_url: `${fixture.receiver.address}/old` })
    await fixture.addAlert(channelId)
    await fixture.addAlert(channelId)
    fixture.receiver.handleWith(async (response) => {
      const webhook_url = `${fixture.receiver.address}/new`
      await fixture.owner.session.put(`/api/providers/${channelId}`, { webhook_url })
      response.end('ok')
    })
    await outbox.runOnce()
    expect(fixture.receiver.received.map(({ path }) => path)).toEqual(['/old', '/new'])
  })

  it.each(['monitor', 'channel'])('are not sent after their %s is deleted', async (kind) => {
    fixture = await fixtures.start()
    const { outbox } = await fixture.startNode()
    const channelId = await fixture.createChannel()
    const otherChannelId = await fixture.createChannel()
    const otherMonitorId = await fixture.createMonitor()
    for (let n = 0; n < 3; n++) await fixture.addAlert(channelId)
    const path = kind === 'monitor' ? `/api/monitors/${fixture.monitorId}` : `/api/providers/${channelId}`
    fixture.receiver.handleWith(async (response) => {
      await fixture.owner.session.delete(path)
      response.end('ok')
    })
    await outbox.runOnce()
    expect(fixture.listTitles()).toHaveLength(1)
    const lastAlertId = await fixture.addAlert(otherChannelId, { monitorId: otherMonitorId })
    await outbox.runOnce()
    expect((await fixture.getAlert(lastAlertId)).state).toBe('sent')
  })
})
