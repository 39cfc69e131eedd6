/** Tests the whole path from a failed check to the messages that the receivers of all channels get. */
import { expect, it } from 'vitest'
import { sendDueReminders } from '../../src/alerts/reminders.ts'
import { formatLocalTime } from '../../src/lib/local-time.ts'
import { startAlertFixture } from '../support/alerts.ts'
import { createSmsEnv } from '../support/channels.ts'
import { startChecker } from '../support/checker.ts'
import { startHttpReceiver } from '../support/http-receiver.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'

it('an outage, its reminder and its end have the same markers and facts on every channel', async () => {
  const mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
  const target = await startHttpReceiver()
  const fixture = await startAlertFixture(({ address }) => ({
    BELFRY_TELEGRAM_API: `${address}/telegram`,
    BELFRY_PAGERDUTY_API: `${address}/pagerduty`,
    ...createSmsEnv(address),
    BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    BELFRY_MAIL_FROM: 'belfry@example.org',
    BELFRY_URL: 'https://stats.example.org',
    BELFRY_TIME_ZONE: 'Europe/Berlin',
  }))
  const { server, clock, owner, receiver, createChannel, monitorId: otherMonitorId } = fixture
  await owner.session.delete(`/api/monitors/${otherMonitorId}`)
  receiver.respondWith(200, { ok: true, result: { message_id: 77 } })
  for (const fields of [
    { provider_type: 'email', webhook_url: undefined, recipient_email: 'ops@example.com' },
    { webhook_url: `${receiver.address}/slack` },
    { provider_type: 'telegram', webhook_url: undefined, chat_id: '1', token: '123456:ABC-DEF1234' },
    { provider_type: 'sms', webhook_url: undefined, phone_number: '+4915112345678' },
    { provider_type: 'webhook', webhook_url: undefined, url: `${receiver.address}/webhook` },
    { provider_type: 'pagerduty', webhook_url: undefined, routing_key: 'R'.repeat(32) },
  ]) {
    await createChannel({ ...fields, assign_by_default: true })
  }
  const id = await fixture.createMonitor({
    friendly_name: 'Shop <b>&',
    url: target.address,
    retries: 1,
    retry_interval: 5,
    remind_every: 60,
  })
  const checker = await startChecker(server)
  const { outbox } = await fixture.startNode()

  await checker.run()
  target.respondWith(503, 'no')
  for (const seconds of [60, 5]) {
    clock.advance({ seconds })
    await checker.run()
  }
  // A check takes a few milliseconds of real time, and its alerts are due only when it ends.
  clock.advance({ seconds: 10 })
  await outbox.runOnce()
  clock.advance({ minutes: 60 })
  await sendDueReminders({ db: server.services.db, clock, isOffline: () => false, onAlerts: () => {} })
  await outbox.runOnce()
  target.respondWith(200, 'ok')
  await checker.run()
  clock.advance({ seconds: 10 })
  await outbox.runOnce()

  const getBodies = (path: string) =>
    receiver.received.filter((request) => request.path.startsWith(path)).map(({ body }) => body)
  const slackTexts = getBodies('/slack').map((body) => JSON.parse(body).text as string)
  const telegramTexts = getBodies('/telegram').map((body) => JSON.parse(body).text as string)
  const smsTexts = getBodies('/sms').map((body) => new URLSearchParams(body).get('Body') ?? '')
  const getFirstLine = (text: string) => text.split('\n')[0]

  const titles = ['Down: Shop <b>&', 'Still down after 1 h: Shop <b>&', 'Recovered after 1 h: Shop <b>&']
  const headlines = ['🔴', '⏰', '🟢'].map((symbol, index) => `${symbol} ${titles[index]}`)
  const escapedHeadlines = headlines.map((text) => text.replace('<b>&', '&lt;b&gt;&amp;'))
  expect(mail.received.map(({ mail: { subject } }) => subject)).toEqual([
    '[🔴 Down] Shop <b>&',
    '[⏰ Still down after 1 h] Shop <b>&',
    '[🟢 Recovered after 1 h] Shop <b>&',
  ])
  expect(mail.received.map(({ mail: { text = '' } }) => getFirstLine(text))).toEqual(headlines)
  expect(slackTexts.map(getFirstLine)).toEqual(escapedHeadlines)
  expect(telegramTexts.map((text) => getFirstLine(text)?.replace(/<\/?b>/g, ''))).toEqual(escapedHeadlines)
  expect(smsTexts.map(getFirstLine)).toEqual(titles)

  const [{ id: incidentId, resolved_at: resolvedAt }] = (await owner.session.get(`/api/monitors/${id}/incidents`)).body
    .data
  const recoveryFacts = [
    `URL: ${target.address}`,
    'Cause: Status 503, expected 200–399',
    'Down since: 5 Jan 2026, 11:01:00 (Europe/Berlin, UTC+1)',
    `Up since: ${formatLocalTime(new Date(resolvedAt), 'Europe/Berlin')}`,
    'Down for: 1 h',
    `View incident: https://stats.example.org/incidents/${incidentId}`,
    `View monitor: https://stats.example.org/monitors/${id}`,
  ]
  const recoveryMail = mail.received[2]?.mail
  for (const fact of recoveryFacts) {
    expect(recoveryMail?.text).toContain(fact)
    expect(slackTexts[2]).toContain(fact)
  }
  for (const fact of recoveryFacts.slice(0, 5)) {
    const [, value = ''] = /: (.*)/.exec(fact) ?? []
    expect(recoveryMail?.html).toContain(value)
    expect(telegramTexts[2]).toContain(value)
    expect(smsTexts[2]).toContain(value.replace('–', '-'))
  }
  expect(recoveryMail?.html).toContain('Shop &lt;b&gt;&amp;</h1>')

  // All messages about the incident belong to one thread.
  const downMessageId = mail.received[0]?.mail.messageId
  const threadId = `<belfry-incident-${incidentId}-${Date.parse('2026-01-05T10:01:00.000Z').toString(36)}@example.org>`
  const threadHeaders = mail.received.map(({ mail: { inReplyTo, references } }) => [inReplyTo, references])
  const replyHeaders = [downMessageId, `${threadId} ${downMessageId}`]
  expect(threadHeaders).toEqual([[undefined, threadId], replyHeaders, replyHeaders])
  const replies = getBodies('/telegram').map((body) => JSON.parse(body).reply_parameters?.message_id)
  expect(replies).toEqual([undefined, 77, 77])

  // The mark is part of the email, so no mail program has to load it.
  expect(recoveryMail?.attachments).toMatchObject([
    { contentId: '<mark@belfry>', mimeType: 'image/png', disposition: 'inline', related: true },
  ])
  expect(recoveryMail?.html).toContain('src="cid:mark@belfry"')

  const webhookBodies = getBodies('/webhook').map((body) => JSON.parse(body))
  expect(webhookBodies.map(({ event, text }) => [event, getFirstLine(text)])).toEqual([
    ['down', headlines[0]],
    ['reminder', headlines[1]],
    ['recovered', headlines[2]],
  ])
  expect(webhookBodies[2]).toMatchObject({
    monitor: { id, friendly_name: 'Shop <b>&', url: target.address, type: 'http', tags: [] },
    incident: {
      id: incidentId,
      cause: 'http_status',
      detail: 'Status 503, expected 200–399',
      started_at: '2026-01-05T10:01:00.000Z',
      resolved_at: resolvedAt,
    },
  })
  const pagerdutyEvents = getBodies('/pagerduty').map((body) => JSON.parse(body))
  expect(pagerdutyEvents.map(({ event_action, dedup_key }) => [event_action, dedup_key])).toEqual(
    ['trigger', 'trigger', 'resolve'].map((action) => [action, `belfry-incident-${incidentId}`]),
  )

  await checker.stop()
  await fixture.close()
  await target.close()
  await mail.close()
})
