/** What each kind of provider sends, and what it makes of responses. */
import { createHmac } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { DeliveryError } from '../../src/outbox/delivery-error.ts'
import { MessageSender } from '../../src/providers/message-sender.ts'
import type { ProviderMessage } from '../../src/providers/provider.ts'
import { TestClock } from '../support/clock.ts'
import { type HttpReceiver, type ReceivedRequest, startHttpReceiver } from '../support/http-receiver.ts'
import { providerSamples } from '../support/providers.ts'
import { createSampleMessages } from '../support/sample-messages.ts'
import { vendorSchemas } from '../support/vendor-schemas.ts'

let receiver: HttpReceiver
let sender: MessageSender

beforeAll(async () => {
  receiver = await startHttpReceiver()
  const config = readConfig({
    BELFRY_PRIVATE_TARGETS: '127.0.0.1',
    BELFRY_PUSHOVER_API: `${receiver.address}/pushover`,
    BELFRY_PAGERDUTY_API: `${receiver.address}/pagerduty`,
  })
  sender = new MessageSender(config, new TestClock())
})
afterAll(async () => {
  await sender.stop()
  await receiver.close()
})
beforeEach(() => {
  receiver.received.length = 0
  receiver.respondWith(200, 'ok')
})

const kinds = [
  'webhook',
  'discord',
  'teams',
  'googlechat',
  'ntfy',
  'pushover',
  'gotify',
  'matrix',
  'pagerduty',
] as const
type Kind = (typeof kinds)[number]
const servicesOfUsers = kinds.filter((kind) => kind !== 'pushover' && kind !== 'pagerduty')

/** The fields with the address of the service, by kind. Pushover and PagerDuty have none. */
const addressFields: Partial<Record<Kind, string>> = {
  webhook: 'url',
  discord: 'webhook_url',
  teams: 'webhook_url',
  googlechat: 'webhook_url',
  ntfy: 'server',
  gotify: 'server',
  matrix: 'homeserver',
}

const deliver = (kind: Kind, message: ProviderMessage, address = `${receiver.address}/base`, fields: object = {}) => {
  const addressField = addressFields[kind]
  const settings = {
    ...providerSamples[kind],
    ...(addressField !== undefined && { [addressField]: address }),
    ...fields,
  }
  return sender.deliver({ type: kind, settings }, message)
}

/** Sends a message and returns the requests, the last one first. */
async function send(kind: Kind, message: ProviderMessage, fields?: object) {
  receiver.received.length = 0
  const response = await deliver(kind, message, undefined, fields)
  const requests = receiver.received.toReversed()
  return { response, requests, json: JSON.parse(requests[0]?.body ?? '') }
}

const messages = createSampleMessages()
const messageId = messages.down.id
const hostileName = `</p><b>@everyone @room <users/all> <!channel> **x** [a](https://evil.example) "'& \u202e\u200b\n# h1`
const hostileMessages = createSampleMessages({
  friendlyName: hostileName,
  url: 'https://example.com/?a=1&b=<b>"|c)',
  detail: `The body lacks "<a href='https://evil.example'>" & *this*`,
})
const longText = '<&*🎈'.repeat(4_000)
const longMessage: ProviderMessage = {
  ...messages.down,
  title: longText,
  text: longText,
  facts: Array.from({ length: 30 }, (_, n) => ({ label: 'Long', value: longText, isLong: n % 2 === 0 })),
}

/** What the services accept. An event of Matrix also contains what the server adds. */
const maxBytes: Partial<Record<Kind, number>> = { teams: 28_000, googlechat: 32_000, matrix: 60_000 }

const ajv = new Ajv2020({ allErrors: true, strict: false })
addFormats.default(ajv)

describe.each(Object.keys(vendorSchemas) as (keyof typeof vendorSchemas)[])('messages of %s', (kind) => {
  it('have the documented form, whatever they say', async () => {
    const validate = ajv.compile(vendorSchemas[kind])
    const samples = [messages, hostileMessages, createSampleMessages({ baseUrl: undefined }), { longMessage }]
    for (const message of samples.flatMap((sample) => Object.values<ProviderMessage>(sample))) {
      const { requests, json } = await send(kind, message)
      expect([message.title.slice(0, 80), validate(json) ? [] : validate.errors]).toEqual([
        message.title.slice(0, 80),
        [],
      ])
      expect(requests[0]?.headers['content-type']).toMatch(/^application\/json/)
      expect(requests[0]?.headers['x-belfry-message-id']).toBe(messageId)
      expect(Buffer.byteLength(requests[0]?.body ?? '')).toBeLessThan(maxBytes[kind] ?? 100_000)
      expect(requests[0]?.body).not.toMatch(/\\ud[89a-f]|[\u202e\u200b]/i)
    }
  })
})

describe('a webhook', () => {
  const secret = providerSamples.webhook.secret

  it('gets the message as JSON, signed, with the custom headers', async () => {
    const { response, requests, json } = await send('webhook', messages.recovered)
    expect(response).toBe('ok')
    expect(json).toEqual({
      id: messageId,
      event: 'recovered',
      monitor: {
        id: 3,
        friendly_name: 'Online shop',
        url: 'https://shop.example.com/checkout?lang=de',
        type: 'http',
        tags: ['shop'],
      },
      incident: {
        id: 5,
        cause: 'http_status',
        detail: 'Status 503, expected 200–399',
        started_at: '2026-01-05T10:00:00.000Z',
        resolved_at: '2026-01-05T10:05:12.600Z',
        duration_seconds: 312,
      },
      text: expect.stringMatching(/^🟢 Recovered after 5 min 12 s: Online shop\nURL: https:\/\/shop/),
      sent_at: '2026-01-05T10:00:00.000Z',
    })
    const { method, path, headers, body } = requests[0] as ReceivedRequest
    expect([method, path]).toEqual(['POST', '/base'])
    expect(headers).toMatchObject({
      'user-agent': 'Belfry',
      'x-team': 'operations',
      authorization: providerSamples.webhook.headers.Authorization,
    })
    const unixTime = Date.parse('2026-01-05T10:00:00Z') / 1000
    const signature = createHmac('sha256', secret).update(`${unixTime}.${body}`).digest('hex')
    expect(headers['x-belfry-signature']).toBe(`t=${unixTime},v1=${signature}`)
  })

  it('gets no signature without a secret, and its own user agent', async () => {
    const { requests } = await send('webhook', messages.down, { secret: null, headers: { 'User-Agent': 'Mine' } })
    expect(requests[0]?.headers['x-belfry-signature']).toBeUndefined()
    expect(requests[0]?.headers['user-agent']).toBe('Mine')
  })

  it('learns when a certificate expires, and that a test is about no monitor', async () => {
    expect((await send('webhook', messages.certificate)).json).toMatchObject({
      event: 'certificate',
      incident: null,
      expires_at: '2026-01-19T09:00:00.000Z',
    })
    expect((await send('webhook', messages.test)).json).toMatchObject({ event: 'test', monitor: null, incident: null })
  })
})

describe('a summary of alerts', () => {
  const subjects = [messages.down, messages.recovered].flatMap(({ subject }) => subject ?? [])
  const summary: ProviderMessage = {
    id: messageId,
    kind: 'down',
    title: 'Down: 1 monitor, recovered: 1',
    text: 'Down\n<b>Shop</b>: Status 503\nRecovered\nBlog: Recovered after 5 min',
    summary: { sections: [], moreCount: 0, subjects },
  }

  it('lists monitors and incidents for a webhook', async () => {
    const { json } = await send('webhook', summary)
    expect(json).toMatchObject({
      id: messageId,
      event: 'summary',
      monitor: null,
      incident: null,
      alerts: [
        { event: 'down', monitor: { id: 3 }, incident: { id: 5, resolved_at: null, duration_seconds: 0 } },
        { event: 'recovered', monitor: { id: 3 }, incident: { id: 5, duration_seconds: 312 } },
      ],
    })
  })

  // PagerDuty gets an event for each incident instead.
  const kindsWithSummaries = kinds.filter((kind) => kind !== 'webhook' && kind !== 'pagerduty')

  it.each(kindsWithSummaries)('keeps its lines in %s', async (kind) => {
    const { requests, json } = await send(kind, summary)
    expect(ajv.compile(vendorSchemas[kind])(json)).toBe(true)
    const body = requests[0]?.body ?? ''
    for (const line of ['Shop', 'Status 503', 'Blog', 'after 5 min']) expect(body).toContain(line)
    expect(body).toMatch(/Status 503(\\n| {2}\\n|<br>|"\}\])/)
  })
})

describe('a Discord message', () => {
  it('is an embed that notifies nobody by name', async () => {
    receiver.respondWith(200, { id: '1234', content: 'repeated' })
    const { response, requests, json } = await send('discord', messages.down)
    expect([response, requests[0]?.path]).toEqual(['message 1234', '/base?wait=true'])
    expect(json).toEqual({
      embeds: [
        {
          title: '🔴 Down\\: Online shop',
          url: 'https://stats.example.org/monitors/3?incident=5',
          description:
            '[View incident](<https://stats.example.org/monitors/3?incident=5>) · [View monitor](<https://stats.example.org/monitors/3>)',
          color: 0xdf343a,
          fields: [
            { name: 'URL', value: '<https://shop.example.com/checkout?lang=de>', inline: false },
            { name: 'Cause', value: 'Status 503\\, expected 200–399', inline: false },
            {
              name: 'Down since',
              value: '5 Jan 2026\\, 11\\:00\\:00 \\(Europe\\/Berlin\\, UTC\\+1\\)',
              inline: true,
            },
            { name: 'Down for', value: '15 s', inline: true },
          ],
          footer: { text: 'Sent by Belfry' },
        },
      ],
      allowed_mentions: { parse: [] },
    })
  })

  it('keeps the thread of the webhook, and the limit of 6,000 characters', async () => {
    await deliver('discord', longMessage, `${receiver.address}/base?thread_id=7`)
    expect(receiver.received[0]?.path).toBe('/base?thread_id=7&wait=true')
    const [{ title, description, fields, footer }] = JSON.parse(receiver.received[0]?.body ?? '').embeds
    const texts = [title, description, footer.text, ...fields.flatMap(({ name, value }: never) => [name, value])]
    expect(texts.join('').length).toBeLessThanOrEqual(6_000)
  })

  it('escapes names', async () => {
    const [{ title, fields }] = (await send('discord', hostileMessages.down)).json.embeds
    expect(title).toBe(
      String.raw`🔴 Down\: \<\/p\>\<b\>\@everyone \@room \<users\/all\> \<\!channel\> \*\*x\*\* \[a\]\(https\:\/\/evil\.example\) \"\'\&  \# h1`.replace(
        '  \\#',
        ' \\#',
      ),
    )
    expect(fields[0].value).toBe('<https://example.com/?a=1&b=%3Cb%3E%22|c)>')
  })
})

describe('other chats', () => {
  it('Teams shows names in text runs, which interpret nothing', async () => {
    const { content } = (await send('teams', hostileMessages.down)).json.attachments[0]
    expect(content.body[0]).toMatchObject({ type: 'Container', style: 'attention' })
    expect(content.body[0].items[0].inlines[0].text).toContain('<users/all> <!channel> **x**')
    expect(content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'View incident', url: 'https://stats.example.org/monitors/3?incident=5' },
      { type: 'Action.OpenUrl', title: 'View monitor', url: 'https://stats.example.org/monitors/3' },
    ])
  })

  it('Google Chat shows a card, with escaped values and without mentions', async () => {
    receiver.respondWith(200, { name: 'spaces/A/messages/B' })
    const { response, json } = await send('googlechat', hostileMessages.down)
    expect(response).toBe('spaces/A/messages/B')
    const { card } = json.cardsV2[0]
    expect(card.header.title).toContain('‹users/all›')
    expect(json.fallbackText).not.toContain('<')
    const texts = card.sections[0].widgets.flatMap((widget: never) => widget['decoratedText']?.['text'] ?? [])
    expect(texts.slice(0, 2)).toEqual([
      '<a href="https://example.com/?a=1&amp;b=%3Cb%3E%22|c)">https://example.com/?a=1&amp;b=&lt;b&gt;&quot;|c)</a>',
      'The body lacks &quot;&lt;a href=&#39;https://evil.example&#39;&gt;&quot; &amp; *this*',
    ])
  })

  it('Matrix gets the message id as transaction id, escaped HTML, and no mentions', async () => {
    receiver.respondWith(200, { event_id: '$abc' })
    const { response, requests, json } = await send('matrix', hostileMessages.recovered)
    expect(response).toBe('event $abc')
    expect(requests[0]).toMatchObject({
      method: 'PUT',
      path: `/base/_matrix/client/v3/rooms/!belfry%3Aexample.com/send/m.room.message/${messageId}`,
      headers: { authorization: `Bearer ${providerSamples.matrix.token}` },
    })
    expect(json['m.mentions']).toEqual({})
    const tags = new Set(json.formatted_body.match(/<[^>]*>/g).map((tag: string) => tag.replace(/ href="[^"<>]*"/, '')))
    expect([...tags].sort()).toEqual(['</a>', '</b>', '</p>', '</strong>', '<a>', '<b>', '<br>', '<p>', '<strong>'])
    expect(json.body).toMatch(/^🟢 Recovered after 5 min 12 s: /)
  })
})

describe('a push notification', () => {
  it('by ntfy has a title, priority, tag and link', async () => {
    receiver.respondWith(200, { id: 'abc', event: 'message' })
    const { response, requests, json } = await send('ntfy', messages.down)
    expect(response).toBe('message abc')
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/base/' })
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${providerSamples.ntfy.token}`)
    expect(json).toEqual({
      topic: 'belfry-k3x8',
      title: 'Down: Online shop',
      message:
        'URL: https://shop.example.com/checkout?lang=de\nCause: Status 503, expected 200–399\nDown since: 5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)\nDown for: 15 s',
      priority: 5,
      tags: ['red_circle'],
      click: 'https://stats.example.org/monitors/3?incident=5',
    })
    expect((await send('ntfy', messages.down, { token: null })).requests[0]?.headers.authorization).toBeUndefined()
    expect(Buffer.byteLength((await send('ntfy', longMessage)).json.message)).toBeLessThanOrEqual(4_096)
  })

  it('by Pushover is plain text with a link', async () => {
    receiver.respondWith(200, { status: 1, request: 'r1' })
    const { response, requests, json } = await send('pushover', hostileMessages.down)
    expect([response, requests[0]?.path]).toEqual(['request r1', '/pushover/1/messages.json'])
    expect(json).toMatchObject({
      token: providerSamples.pushover.token,
      user: providerSamples.pushover.user_key,
      priority: 1,
      url: 'https://stats.example.org/monitors/3?incident=5',
      url_title: 'View incident',
    })
    expect(json.title).toContain('</p><b>@everyone')
    expect(json.html).toBeUndefined()
  })

  it('by Gotify is escaped Markdown', async () => {
    receiver.respondWith(200, { id: 25, appid: 1 })
    const { response, requests, json } = await send('gotify', hostileMessages.down)
    expect([response, requests[0]?.path]).toEqual(['message 25', '/base/message'])
    expect(requests[0]?.headers['x-gotify-key']).toBe(providerSamples.gotify.token)
    expect(json.priority).toBe(8)
    expect(json.message.split('  \n').slice(0, 2)).toEqual([
      '**URL:** <https://example.com/?a=1&b=%3Cb%3E%22|c)>',
      String.raw`**Cause:** The body lacks \"\<a href\=\'https\:\/\/evil\.example\'\>\" \& \*this\*`,
    ])
  })
})

describe('PagerDuty', () => {
  const listEvents = (requests: readonly ReceivedRequest[]) =>
    requests.map(({ body }) => JSON.parse(body)).map(({ event_action, dedup_key }) => [event_action, dedup_key])

  it('gets one incident for a down alert and its reminders, which recovery resolves', async () => {
    receiver.respondWith(202, { status: 'success', message: 'Event processed', dedup_key: 'x' })
    const { response, requests, json } = await send('pagerduty', messages.down)
    expect([response, requests[0]?.path]).toEqual(['Event processed', '/pagerduty/v2/enqueue'])
    expect(json).toEqual({
      routing_key: providerSamples.pagerduty.routing_key,
      event_action: 'trigger',
      dedup_key: 'belfry-incident-5',
      payload: {
        summary: 'Down: Online shop',
        source: 'https://shop.example.com/checkout?lang=de',
        severity: 'critical',
        timestamp: '2026-01-05T10:00:00.000Z',
        class: 'http_status',
        component: 'Online shop',
        custom_details: { text: expect.stringContaining('Cause: Status 503, expected 200–399') },
      },
      client: 'Belfry',
      client_url: 'https://stats.example.org/monitors/3?incident=5',
      links: [
        { href: 'https://stats.example.org/monitors/3?incident=5', text: 'View incident' },
        { href: 'https://stats.example.org/monitors/3', text: 'View monitor' },
      ],
    })
    expect(listEvents((await send('pagerduty', messages.reminder)).requests)).toEqual([
      ['trigger', 'belfry-incident-5'],
    ])
    expect((await send('pagerduty', messages.recovered)).json).toEqual({
      routing_key: providerSamples.pagerduty.routing_key,
      event_action: 'resolve',
      dedup_key: 'belfry-incident-5',
    })
  })

  it('gets a warning about a certificate as an incident of its own', async () => {
    const { json } = await send('pagerduty', messages.certificate)
    expect([json.dedup_key, json.payload.severity]).toEqual(['belfry-monitor-3-expiry-2026-01-19', 'warning'])
  })

  it('has no open incident after a test', async () => {
    const events = listEvents((await send('pagerduty', messages.test)).requests)
    expect(events).toEqual([
      ['resolve', `belfry-test-${messageId}`],
      ['trigger', `belfry-test-${messageId}`],
    ])
  })
})

describe('a message that is rejected', () => {
  async function failDelivery(kind: Kind, address?: string): Promise<DeliveryError> {
    const error = await deliver(kind, messages.down, address).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(DeliveryError)
    return error
  }

  it.each(kinds)('by %s is retried only if the status code is temporary', async (kind) => {
    for (const [status, permanent] of [
      [400, true],
      [401, true],
      [404, true],
      [408, false],
      [429, false],
      [500, false],
      [503, false],
    ] as const) {
      receiver.respondWith(status, 'no', { 'retry-after': '30' })
      const error = await failDelivery(kind)
      expect([status, error.permanent, error.uncertain, error.retryAfterSeconds]).toEqual([
        status,
        permanent,
        false,
        30,
      ])
    }
  })

  it.each(kinds)('by %s is not redirected', async (kind) => {
    receiver.handleWith((response, { path }) =>
      path.includes('elsewhere') ? response.end('ok') : response.writeHead(307, { location: '/elsewhere' }).end(),
    )
    const error = await failDelivery(kind)
    // The operator can fix the address of a service, so a later attempt can succeed. A user's address stays wrong.
    expect([error.message, error.permanent]).toEqual([
      expect.stringMatching(/ responded with 307$/),
      servicesOfUsers.includes(kind as never),
    ])
    expect(receiver.received).toHaveLength(1)
  })

  it.each(servicesOfUsers)('by %s because of its address is never sent', async (kind) => {
    const error = await failDelivery(kind, 'http://10.1.2.3/x')
    expect(error).toMatchObject({ permanent: true, uncertain: false })
    expect(error.message).toContain('BELFRY_PRIVATE_TARGETS')
  })

  it.each([
    ['discord', { retry_after: 1.2 }, 2],
    ['matrix', { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 4_200 }, 5],
  ] as const)('by %s is retried when its body says: %j', async (kind, body, seconds) => {
    receiver.respondWith(429, body)
    expect((await failDelivery(kind)).retryAfterSeconds).toBe(seconds)
  })

  it.each([
    ['discord', { message: 'Unknown Webhook', code: 10015 }, 'Unknown Webhook'],
    ['googlechat', { error: { code: 400, message: 'Invalid JSON' } }, 'Invalid JSON'],
    ['ntfy', { code: 40301, error: 'forbidden' }, 'forbidden'],
    ['pushover', { status: 0, errors: ['user key is invalid'] }, 'user key is invalid'],
    ['gotify', { error: 'Unauthorized', errorDescription: 'you need a token' }, 'you need a token'],
    ['matrix', { errcode: 'M_FORBIDDEN', error: 'not in room' }, 'M_FORBIDDEN not in room'],
    ['pagerduty', { message: 'Event object is invalid', errors: ['bad key'] }, 'Event object is invalid: bad key'],
  ] as const)('by %s has the reason from the response', async (kind, body, reason) => {
    receiver.respondWith(400, body)
    expect((await failDelivery(kind)).response).toBe(reason)
  })

  it.each(['ntfy', 'gotify', 'matrix'] as const)(
    'by a website at the address of %s has a clear reason',
    async (kind) => {
      receiver.respondWith(200, '<!DOCTYPE html><title>Welcome</title>')
      expect((await failDelivery(kind)).message).toMatch(/^The address does not belong to a.* server: it responded/)
    },
  )

  it.each(kinds)('by %s does not reveal secrets', async (kind) => {
    receiver.handleWith((response, { headers, path, body }) =>
      response.writeHead(400).end(`${path} ${JSON.stringify(headers).slice(0, 3_000)} ${body.slice(0, 100)}`),
    )
    const { response } = await failDelivery(kind, `${receiver.address}/s3cr3tWebhook`)
    expect(response).not.toMatch(/s3cr3tWebhook/)
  })
})
