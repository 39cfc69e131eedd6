/** A server stops while receivers have a message but have not responded yet. */

import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { type AlertFixture, startAlertFixture } from '../support/alerts.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../support/smtp-receiver.ts'

/** How long receivers delay their responses. A server that doesn't wait for receivers would stop sooner than this. */
const RESPONSE_DELAY_MS = 1_600

let fixture: AlertFixture
let mail: SmtpReceiver
const mailIds: string[] = []
const webhookIds: string[] = []

afterEach(async () => {
  await fixture.close()
  await mail.close()
})

/** Starts a server that sends the alerts of the fixture. */
function startWorker(): Promise<TestServer> {
  const { clock, server } = fixture
  const env = {
    BELFRY_ROLES: 'web,worker',
    BELFRY_PRIVATE_TARGETS: 'allow',
    BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}?ignoreTLS=true`,
    BELFRY_MAIL_FROM: 'belfry@example.com',
  }
  return startTestServer({ clock, database: server.database, env })
}

it('a server that stops waits for slow mail servers and webhooks, so that the next start repeats nothing', async () => {
  fixture = await startAlertFixture()
  mail = await startSmtpReceiver({
    onData: async (stream, _session, done) => {
      mailIds.push(/^x-belfry-message-id: (\S+)/im.exec(await text(stream))?.[1] ?? '')
      await delay(RESPONSE_DELAY_MS)
      done(null, 'queued')
    },
  })
  fixture.receiver.handleWith(async (response, { headers }) => {
    webhookIds.push(String(headers['x-belfry-message-id']))
    await delay(RESPONSE_DELAY_MS)
    response.end('ok')
  })
  const emailFields = { provider_type: 'email', recipient_email: 'ops@example.com', webhook_url: undefined }
  const mailId = await fixture.addAlert(await fixture.createChannel(emailFields))
  const webhookId = await fixture.addAlert(await fixture.createChannel())

  const firstWorker = await startWorker()
  await vi.waitFor(() => expect([mailIds, webhookIds]).toEqual([[mailId], [webhookId]]), 10_000)
  const startedAt = performance.now()
  await firstWorker.close()
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  for (const id of [mailId, webhookId]) {
    expect(await fixture.getAlert(id)).toMatchObject({ state: 'sent', attempts: 1 })
  }

  const secondWorker = await startWorker()
  await secondWorker.services.alertOutbox?.runOnce()
  await secondWorker.close()
  expect([mailIds, webhookIds]).toEqual([[mailId], [webhookId]])
})
