/** An alert links to the page of its monitor if BELFRY_URL is set. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/config/config.ts'
import { type AlertFixture, startAlertFixture } from '../support/alerts.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'

const BASE_URL = 'https://stats.example.org/belfry'

let fixture: AlertFixture
afterEach(() => fixture.close())

const start = (env: Environment) =>
  startAlertFixture(({ address }) => ({
    BELFRY_TELEGRAM_API: address,
    BELFRY_SMS_URL: `${address}/sms`,
    BELFRY_SMS_ACCOUNT: 'AC1',
    BELFRY_SMS_TOKEN: 'a token',
    BELFRY_SMS_FROM: '+15005550006',
    ...env,
  }))

/** The fixture creates a Slack provider by default. */
const slack = {}
const telegram = { provider_type: 'telegram', webhook_url: undefined, chat_id: '1', token: '123456:ABC-DEF1234' }
const sms = { provider_type: 'sms', webhook_url: undefined, phone_number: '+4915112345678' }

/** Sends an alert through a new provider and returns the text that the receiver gets. */
async function sendThrough(provider: object, title = 'Shop is down'): Promise<string> {
  const { outbox } = await fixture.startNode()
  fixture.receiver.respondWith(200, { ok: true })
  await fixture.addAlert(await fixture.createProvider(provider), { title })
  await outbox.runOnce()
  const body = fixture.receiver.received.at(-1)?.body ?? ''
  return new URLSearchParams(body).get('Body') ?? JSON.parse(body).text
}

describe('with BELFRY_URL a message', () => {
  const getMonitorUrl = () => `${BASE_URL}/monitors/${fixture.monitorId}`

  it.each([
    ['Slack', slack],
    ['Telegram', telegram],
    ['SMS', sms],
  ])('by %s ends with a link', async (_kind, provider) => {
    fixture = await start({ BELFRY_URL: `${BASE_URL}/` })
    expect(await sendThrough(provider)).toBe(`Shop is down\nhttps://example.com/\nDetails: ${getMonitorUrl()}`)
  })

  it('by email ends with a link', async () => {
    const mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    fixture = await start({
      BELFRY_URL: BASE_URL,
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      BELFRY_MAIL_FROM: 'belfry@example.org',
    })
    const email = { provider_type: 'email', webhook_url: undefined, recipient_email: 'ops@example.com' }
    await fixture.addAlert(await fixture.createProvider(email))
    await (await fixture.startNode()).outbox.runOnce()
    expect(mail.received[0]?.mail.text).toBe(`Shop is down\n\nhttps://example.com/\n\nDetails: ${getMonitorUrl()}\n`)
    await mail.close()
  })

  it('by SMS has no link if that would need a second segment', async () => {
    fixture = await start({ BELFRY_URL: BASE_URL })
    const title = `${'A long name '.repeat(8)} is down`
    expect(await sendThrough(sms, title)).toBe(`${title}\nhttps://example.com/`)
    expect(await sendThrough(slack, title)).toContain(getMonitorUrl())
  })
})

describe('without BELFRY_URL a message', () => {
  it('has no link', async () => {
    fixture = await start({})
    for (const provider of [slack, telegram, sms]) {
      expect(await sendThrough(provider)).toBe('Shop is down\nhttps://example.com/')
    }
  })
})
