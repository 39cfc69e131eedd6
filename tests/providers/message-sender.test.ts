/** What the alerts of later need to know of a failure: whether to try again, and whether it may have arrived. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { MessageSender } from '../../src/providers/message-sender.ts'
import { DeliveryError } from '../../src/outbox/delivery-error.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { type SampleKind, providerSamples } from '../support/providers.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../support/smtp-receiver.ts'

let receiver: HttpReceiver
let mail: SmtpReceiver
let refusal: { at: 'MAIL FROM' | 'RCPT TO'; code: number; words: string }
let courier: MessageSender

function refusalAt(place: string): Error | undefined {
  const { at, code, words } = refusal
  return at === place ? Object.assign(new Error(words), { responseCode: code }) : undefined
}

beforeAll(async () => {
  receiver = await startHttpReceiver()
  mail = await startSmtpReceiver({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onMailFrom: (_address, _session, done) => done(refusalAt('MAIL FROM')),
    onRcptTo: (_address, _session, done) => done(refusalAt('RCPT TO')),
  })
  courier = new MessageSender(
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
  await courier.stop()
  await receiver.close()
  await mail.close()
})

const message = { id: '8c0c1f6e-0000-4000-8000-000000000000', title: 'Shop is down', text: 'since 10:00' }

async function failureOf(type: SampleKind, webhook_url = receiver.address): Promise<DeliveryError> {
  const settings = { ...providerSamples[type], ...(type === 'slack' && { webhook_url }) }
  const error = await courier.deliver({ type, settings }, message).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(DeliveryError)
  return error
}

describe('a message that is refused', () => {
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
    // The operator's account, which the operator will mend.
    ['sms', 401, false],
    ['sms', 403, false],
    ['sms', 404, false],
    ['sms', 429, false],
    ['sms', 500, false],
  ])('by %s with %i is refused for good: %s', async (type, status, permanent) => {
    receiver.respondWith(status, 'no')
    expect(await failureOf(type)).toMatchObject({ permanent, uncertain: false })
  })

  it.each([
    [550, '5.1.1 no such user', true],
    [553, 'no such mailbox', true],
    [450, '4.2.0 mailbox busy', false],
    [421, 'too many connections', false],
    // These are about us.
    [530, '5.7.0 authentication required', false],
    [554, '5.7.1 relay access denied', false],
  ])('by the mail server with %i %s is refused for good: %s', async (code, words, permanent) => {
    refusal = { at: 'RCPT TO', code, words }
    expect(await failureOf('email')).toMatchObject({ permanent, uncertain: false, said: `${code} ${words}` })
  })

  it('by the mail server because of its sender is not refused for good', async () => {
    refusal = { at: 'MAIL FROM', code: 550, words: 'sender not allowed' }
    expect(await failureOf('email')).toMatchObject({ permanent: false, uncertain: false })
  })

  it('by our own rules is refused for good', async () => {
    expect(await failureOf('slack', 'http://10.1.2.3/hook')).toMatchObject({ permanent: true, uncertain: false })
  })
})

describe('a service that wants to be left alone', () => {
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
  ])('%s says how long with %o and %o', async (type, headers, body, retryAfterSeconds) => {
    receiver.respondWith(429, body, headers)
    expect((await failureOf(type)).retryAfterSeconds).toBe(retryAfterSeconds)
  })
})

describe('a message that does not get through', () => {
  it('surely did not arrive where nobody listened', async () => {
    const gone = await startHttpReceiver()
    await gone.close()
    expect(await failureOf('slack', gone.address)).toMatchObject({ permanent: false, uncertain: false })
  })

  it.each<SampleKind>(['slack', 'telegram', 'sms'])('may have arrived by %s where the connection broke', async (type) => {
    receiver.handleWith((response) => response.socket?.destroy())
    expect(await failureOf(type)).toMatchObject({ permanent: false, uncertain: true })
  })

  it('may be tried again where a kind is not set up yet', async () => {
    const bare = new MessageSender(readConfig({}))
    for (const type of ['email', 'sms'] as const) {
      const error = await bare.deliver({ type, settings: providerSamples[type] }, message).catch((thrown) => thrown)
      expect(error).toMatchObject({ permanent: false, uncertain: false })
    }
    await bare.stop()
  })
})

describe('a message whose status has arrived', () => {
  const broken = (status: number) =>
    receiver.handleWith((response) => {
      response.writeHead(status, { 'content-length': 1_000 })
      response.write('{"half')
      setImmediate(() => response.socket?.destroy())
    })

  it.each<SampleKind>(['slack', 'telegram', 'sms'])('is taken by %s, whatever becomes of the words', async (type) => {
    broken(200)
    const settings = { ...providerSamples[type], ...(type === 'slack' && { webhook_url: receiver.address }) }
    expect(await courier.deliver({ type, settings }, message)).toBeTypeOf('string')
  })

  it('is refused for good, whatever becomes of the words', async () => {
    broken(404)
    expect(await failureOf('slack')).toMatchObject({ permanent: true, uncertain: false })
  })

  it('is taken by Telegram, which repeats all of it in other letters', async () => {
    receiver.respondWith(200, `{"ok":true,"result":{"text":"${'\\u0416'.repeat(4_000)}"}}`)
    expect(await courier.deliver({ type: 'telegram', settings: providerSamples.telegram }, message)).toBe('ok')
  })
})

describe('a long message', () => {
  it('keeps its last character whole', async () => {
    receiver.received.length = 0
    receiver.respondWith(200, { ok: true })
    const long = { ...message, title: 'T', text: '🔔'.repeat(5_000) }
    await courier.deliver({ type: 'telegram', settings: providerSamples.telegram }, long)
    expect(JSON.parse(receiver.received[0]?.body ?? '').text.isWellFormed()).toBe(true)
  })

  it('is cut to what the service takes', async () => {
    const long = { ...message, text: 'x'.repeat(10_000) }
    receiver.received.length = 0
    receiver.respondWith(200, { ok: true })
    await courier.deliver({ type: 'telegram', settings: providerSamples.telegram }, long)
    await courier.deliver({ type: 'sms', settings: providerSamples.sms }, long)
    const [telegram, sms] = receiver.received
    expect(JSON.parse(telegram?.body ?? '').text).toHaveLength(4_096)
    expect(new URLSearchParams(sms?.body).get('Body')).toHaveLength(1_600)
  })
})
