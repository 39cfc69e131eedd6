/** A delivery error says whether a retry can help, and whether the message may have arrived. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChannelMessage } from '../../src/channels/common/channel.ts'
import { MessageSender } from '../../src/channels/message-sender.ts'
import { readConfig } from '../../src/config/config.ts'
import { DeliveryError } from '../../src/outbox/delivery-error.ts'
import { channelSamples, type SampleKind } from '../support/channels.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../support/smtp-receiver.ts'

let receiver: HttpReceiver
let mail: SmtpReceiver
let rejection: { command: 'MAIL FROM' | 'RCPT TO'; code: number; reason: string }
let sender: MessageSender

function rejectCommand(command: string): Error | undefined {
  const { code, reason } = rejection
  return command === rejection.command ? Object.assign(new Error(reason), { responseCode: code }) : undefined
}

beforeAll(async () => {
  receiver = await startHttpReceiver()
  mail = await startSmtpReceiver({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onMailFrom: (_address, _session, done) => done(rejectCommand('MAIL FROM')),
    onRcptTo: (_address, _session, done) => done(rejectCommand('RCPT TO')),
  })
  sender = new MessageSender(
    readConfig({
      BELFRY_PRIVATE_TARGETS: '127.0.0.1',
      BELFRY_TELEGRAM_API: receiver.address,
      BELFRY_SMS_URL: receiver.address,
      BELFRY_SMS_ACCOUNT: 'account',
      BELFRY_SMS_TOKEN: 'token',
      BELFRY_SMS_FROM: '+15005550006',
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      BELFRY_MAIL_FROM: 'belfry@example.org',
    }),
  )
})
afterAll(async () => {
  await sender.stop()
  await receiver.close()
  await mail.close()
})

const message: ChannelMessage = {
  id: '8c0c1f6e-0000-4000-8000-000000000000',
  kind: 'down',
  title: 'Down: Shop',
  text: 'since 10:00',
}

/** Sends a message that must not be delivered, and returns the error. */
async function failDelivery(type: SampleKind, webhook_url = receiver.address): Promise<DeliveryError> {
  const settings = { ...channelSamples[type], ...(type === 'slack' && { webhook_url }) }
  const error = await sender.deliver({ type, settings }, message).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(DeliveryError)
  return error
}

describe('the rejection of a message', () => {
  it.each<[SampleKind, number, boolean]>([
    ['slack', 400, true],
    ['slack', 403, true],
    ['slack', 404, true],
    ['slack', 410, true],
    ['slack', 302, true],
    ['slack', 408, false],
    ['slack', 429, false],
    ['slack', 500, false],
    ['slack', 503, false],
    ['telegram', 400, true],
    ['telegram', 401, true],
    ['telegram', 403, true],
    ['telegram', 429, false],
    ['telegram', 502, false],
    ['telegram', 200, false],
    ['sms', 400, true],
    // With 401, 403 and 404, the SMS service rejects the operator's account. The operator can fix that, so a retry can help.
    ['sms', 401, false],
    ['sms', 403, false],
    ['sms', 404, false],
    ['sms', 429, false],
    ['sms', 500, false],
  ])('by %s with %i is permanent: %s', async (type, status, permanent) => {
    receiver.respondWith(status, 'no')
    expect(await failDelivery(type)).toMatchObject({ permanent, uncertain: false })
  })

  it.each([
    [550, '5.1.1 no such user', true],
    [553, 'no such mailbox', true],
    [450, '4.2.0 mailbox busy', false],
    [421, 'too many connections', false],
    // With 530 and 554, the mail server rejects Belfry, not the recipient. The operator can fix that, so a retry can help.
    [530, '5.7.0 authentication required', false],
    [554, '5.7.1 relay access denied', false],
  ])('by the mail server with %i %s is permanent: %s', async (code, reason, permanent) => {
    rejection = { command: 'RCPT TO', code, reason }
    expect(await failDelivery('email')).toMatchObject({ permanent, uncertain: false, response: `${code} ${reason}` })
  })

  it('by the mail server because of the sender is not permanent', async () => {
    rejection = { command: 'MAIL FROM', code: 550, reason: 'sender not allowed' }
    expect(await failDelivery('email')).toMatchObject({ permanent: false, uncertain: false })
  })

  it('by the rules for private targets is permanent', async () => {
    expect(await failDelivery('slack', 'http://10.1.2.3/hook')).toMatchObject({ permanent: true, uncertain: false })
  })
})

describe('the delay that a service asks for', () => {
  const date = 'Mon, 05 Jan 2026 10:00:00 GMT'
  it.each<[SampleKind, Record<string, string>, object, number | undefined]>([
    ['slack', { 'retry-after': '30' }, {}, 30],
    ['slack', { 'retry-after': 'Mon, 05 Jan 2026 10:01:30 GMT', date }, {}, 90],
    ['slack', { 'retry-after': 'Mon, 05 Jan 2026 09:00:00 GMT', date }, {}, undefined],
    ['slack', { 'retry-after': 'soon' }, {}, undefined],
    ['slack', {}, {}, undefined],
    ['sms', { 'retry-after': '7' }, {}, 7],
    ['telegram', {}, { parameters: { retry_after: 35 } }, 35],
    ['telegram', { 'retry-after': '5' }, { parameters: null }, 5],
  ])(
    'is read from a response of %s with the headers %o and the body %o',
    async (type, headers, body, retryAfterSeconds) => {
      receiver.respondWith(429, body, headers)
      expect((await failDelivery(type)).retryAfterSeconds).toBe(retryAfterSeconds)
    },
  )
})

describe('a message that gets no response', () => {
  it('is certain not to have arrived if the connection was refused', async () => {
    const closedReceiver = await startHttpReceiver()
    await closedReceiver.close()
    expect(await failDelivery('slack', closedReceiver.address)).toMatchObject({ permanent: false, uncertain: false })
  })

  it.each<SampleKind>(['slack', 'telegram', 'sms'])('may have arrived by %s if the connection broke', async (type) => {
    receiver.handleWith((response) => response.socket?.destroy())
    expect(await failDelivery(type)).toMatchObject({ permanent: false, uncertain: true })
  })

  it('can be retried if its kind is not configured yet', async () => {
    const unconfiguredSender = new MessageSender(readConfig({}))
    for (const type of ['email', 'sms'] as const) {
      const error = await unconfiguredSender
        .deliver({ type, settings: channelSamples[type] }, message)
        .catch((thrown) => thrown)
      expect(error).toMatchObject({ permanent: false, uncertain: false })
    }
    await unconfiguredSender.stop()
  })
})

describe("a response whose body can't be read completely", () => {
  const respondWithTruncatedBody = (status: number) =>
    receiver.handleWith((response) => {
      response.writeHead(status, { 'content-length': 1_000 })
      response.write('{"half')
      setImmediate(() => response.socket?.destroy())
    })

  it.each<SampleKind>(['slack', 'telegram', 'sms'])('still means that %s accepted the message', async (type) => {
    respondWithTruncatedBody(200)
    const settings = { ...channelSamples[type], ...(type === 'slack' && { webhook_url: receiver.address }) }
    expect(await sender.deliver({ type, settings }, message)).toBeTypeOf('string')
  })

  it('still means a permanent rejection', async () => {
    respondWithTruncatedBody(404)
    expect(await failDelivery('slack')).toMatchObject({ permanent: true, uncertain: false })
  })

  it('is enough from Telegram, whose body repeats the whole message in escaped form', async () => {
    receiver.respondWith(200, `{"ok":true,"result":{"text":"${'\\u0416'.repeat(4_000)}"}}`)
    expect(await sender.deliver({ type: 'telegram', settings: channelSamples.telegram }, message)).toBe('ok')
  })
})

describe('a long message', () => {
  it('is truncated between characters', async () => {
    receiver.received.length = 0
    receiver.respondWith(200, { ok: true })
    const longMessage = { ...message, title: 'T', text: '🔔'.repeat(5_000) }
    await sender.deliver({ type: 'telegram', settings: channelSamples.telegram }, longMessage)
    expect(JSON.parse(receiver.received[0]?.body ?? '').text.isWellFormed()).toBe(true)
  })

  it("is truncated to the service's limit", async () => {
    const longMessage = { ...message, text: 'x'.repeat(10_000) }
    receiver.received.length = 0
    receiver.respondWith(200, { ok: true })
    await sender.deliver({ type: 'telegram', settings: channelSamples.telegram }, longMessage)
    await sender.deliver({ type: 'sms', settings: channelSamples.sms }, longMessage)
    const [telegram, sms] = receiver.received
    expect(JSON.parse(telegram?.body ?? '').text.replace(/<.*?>/g, '')).toHaveLength(4_096)
    expect(new URLSearchParams(sms?.body).get('Body')).toHaveLength(1_600)
  })
})
