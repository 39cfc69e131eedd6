/** A user whose webhooks hang delays neither the alerts of other users nor their own through other channels. */
import type { ServerResponse } from 'node:http'
import { afterEach, expect, it, vi } from 'vitest'
import { getChannelKind } from '../../src/channels/kinds.ts'
import { type AlertFixture, startAlertFixture } from '../support/alerts.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'

const HANGING_CHANNELS = 250
const ALERTS_PER_CHANNEL = 10
const MAX_DELAY_MS = 5_000

let fixture: AlertFixture
let hangingReceiver: HttpReceiver
let mail: Awaited<ReturnType<typeof startSmtpReceiver>>

afterEach(async () => {
  await fixture?.close()
  await Promise.all([hangingReceiver?.close(), mail?.close()])
})

/** Copies the channel, and adds alerts that have been due for an hour to each copy. */
async function addHangingAlerts(channelId: number): Promise<void> {
  const { db } = fixture.server.services
  await db.query(
    `insert into providers (user_id, provider_type, name, assign_by_default, settings, secrets, created_at, updated_at)
     select user_id, provider_type, name, assign_by_default, settings, secrets, created_at, updated_at
       from providers, generate_series(2, $2) where id = $1`,
    [channelId, HANGING_CHANNELS],
  )
  await db.query(
    `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body, created_at,
       next_attempt_at)
     select p.user_id, $1, p.id, 'down', 1, n, 'Shop is down', '', $3::timestamptz - interval '1 hour',
            $3::timestamptz - interval '1 hour'
       from providers p, generate_series(1, $2) n where p.provider_type = 'slack'`,
    [fixture.monitorId, ALERTS_PER_CHANNEL, fixture.clock.now()],
  )
}

it('alerts arrive within 5 s while another user has thousands of alerts for webhooks that hang', async () => {
  mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
  fixture = await startAlertFixture(() => ({
    BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    BELFRY_MAIL_FROM: 'belfry@example.org',
  }))
  hangingReceiver = await startHttpReceiver()
  const openRequests = new Set<ServerResponse>()
  hangingReceiver.handleWith((response) => {
    openRequests.add(response)
    response.on('close', () => openRequests.delete(response))
  })
  await addHangingAlerts(await fixture.createChannel({ webhook_url: hangingReceiver.address }))
  const quietUser = await fixture.server.createUser('quiet')
  const quietMonitor = await quietUser.session.post('/api/monitors', {
    friendly_name: 'Blog',
    url: 'https://example.com',
  })
  const quietChannelId = await fixture.createChannel({}, quietUser)
  const emailChannelId = await fixture.createChannel({
    provider_type: 'email',
    webhook_url: undefined,
    recipient_email: 'ops@example.com',
  })

  const node = await fixture.startNode()
  node.start()
  const { maxConcurrent } = getChannelKind('slack')
  await vi.waitFor(() => expect(openRequests.size).toBeGreaterThanOrEqual(maxConcurrent / 2), 10_000)

  const addedAt = performance.now()
  await fixture.addAlert(quietChannelId, { monitorId: quietMonitor.body.data.id, title: 'Blog is down' })
  await fixture.addAlert(emailChannelId, { title: 'Shop is down' })
  await vi.waitFor(() => {
    expect(fixture.listTitles()).toEqual(['Blog is down'])
    expect(mail.received.map(({ mail }) => mail.subject)).toEqual(['[🔴 Down] Shop'])
  }, MAX_DELAY_MS)
  expect(performance.now() - addedAt).toBeLessThan(MAX_DELAY_MS)
  expect(openRequests.size).toBeGreaterThanOrEqual(maxConcurrent / 2)
}, 30_000)
