/** The messages that kinds of channels send: their documented forms, webhooks, summaries and PagerDuty. */
import { createHmac } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import type { ChannelMessage } from '../../src/channels/common/channel.ts'
import {
  createHostileMessages,
  createLongMessage,
  type JsonKind,
  jsonKinds,
  useChannelMessageFixture,
} from '../support/channel-messages.ts'
import { channelSamples } from '../support/channels.ts'
import type { ReceivedRequest } from '../support/http-receiver.ts'
import { createSampleMessages, sampleAcknowledgeUrl, sampleImpact } from '../support/sample-messages.ts'
import { vendorSchemas } from '../support/vendor-schemas.ts'

const fixture = useChannelMessageFixture()
const send = (kind: JsonKind, message: ChannelMessage, fields?: object) => fixture.send(kind, message, fields)

const messages = createSampleMessages()
const messageId = messages.down.id
const hostileMessages = createHostileMessages()
const longMessage = createLongMessage()

/**
 * The largest messages that the services accept, in bytes. Matrix accepts events of up to 65,536 bytes, which include
 * fields that its server adds.
 */
const maxBytes: Partial<Record<JsonKind, number>> = { teams: 28_000, googlechat: 32_000, matrix: 60_000 }

const ajv = new Ajv2020({ allErrors: true, strict: false })
addFormats.default(ajv)

describe.each(Object.keys(vendorSchemas) as (keyof typeof vendorSchemas)[])('messages of %s', (kind) => {
  it('have the documented form, whatever their content is', async () => {
    const validate = ajv.compile(vendorSchemas[kind])
    const samples = [messages, hostileMessages, createSampleMessages({ baseUrl: undefined }), { longMessage }]
    for (const message of samples.flatMap((sample) => Object.values<ChannelMessage>(sample))) {
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
  const secret = channelSamples.webhook.secret

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
        impact: null,
        visitors: null,
        diagnosis: null,
      },
      text: expect.stringMatching(/^🟢 Recovered after 5 min 12 s: Online shop\nURL: https:\/\/shop/),
      links: [
        { label: 'View incident', url: 'https://stats.example.org/incidents/5' },
        { label: 'View monitor', url: 'https://stats.example.org/monitors/3' },
      ],
      sent_at: '2026-01-05T10:00:00.000Z',
    })
    const { method, path, headers, body } = requests[0] as ReceivedRequest
    expect([method, path]).toEqual(['POST', '/base'])
    expect(headers).toMatchObject({
      'user-agent': 'Belfry',
      'x-team': 'operations',
      authorization: channelSamples.webhook.headers.Authorization,
    })
    const unixTime = Date.parse('2026-01-05T10:00:00Z') / 1000
    const signature = createHmac('sha256', secret).update(`${unixTime}.${body}`).digest('hex')
    expect(headers['x-belfry-signature']).toBe(`t=${unixTime},v1=${signature}`)
  })

  it('gets the link that acknowledges the incident, only while it can be acknowledged', async () => {
    expect((await send('webhook', messages.down)).json.acknowledge_url).toBe(sampleAcknowledgeUrl)
    const { down } = createSampleMessages({ acknowledgedBy: 'ada@example.com' })
    expect((await send('webhook', down)).json).not.toHaveProperty('acknowledge_url')
  })

  it('gets no signature without a secret, and its own user agent', async () => {
    const { requests } = await send('webhook', messages.down, { secret: null, headers: { 'User-Agent': 'Mine' } })
    expect(requests[0]?.headers['x-belfry-signature']).toBeUndefined()
    expect(requests[0]?.headers['user-agent']).toBe('Mine')
  })

  it('learns what an outage has cost, whether visitors confirm it, and why no visits arrive', async () => {
    const samples = createSampleMessages({ impact: sampleImpact, visitors: 'gone', diagnosis: 'site_silent' })
    for (const message of [samples.down, samples.recovered]) {
      const { json } = await send('webhook', message)
      expect(json).toMatchObject({ incident: { impact: sampleImpact, visitors: 'gone', diagnosis: 'site_silent' } })
      expect(json).not.toHaveProperty('details')
    }
  })

  it('learns the figures of a traffic spike', async () => {
    expect((await send('webhook', messages.spike)).json).toMatchObject({
      event: 'spike',
      monitor: { id: 3, type: 'traffic' },
      incident: null,
      details: {
        visits: 312,
        expected: 40.2,
        factor: 7.8,
        source: 'news.ycombinator.com',
        source_visits: 250,
        since: '2026-01-05T09:00:00.000Z',
      },
    })
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
  const summary: ChannelMessage = {
    id: messageId,
    kind: 'down',
    title: 'Down: 1 monitor, recovered: 1',
    text: 'Down\n<b>Shop</b>: Status 503\nRecovered\nBlog: Recovered after 5 min',
    summary: {
      sections: [
        { state: 'down', entries: [{ name: '<b>Shop</b>', detail: 'Status 503', url: undefined }] },
        { state: 'recovered', entries: [{ name: 'Blog', detail: 'Recovered after 5 min', url: undefined }] },
      ],
      moreCount: 0,
      subjects,
    },
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

  // PagerDuty gets an event for each incident instead of a summary. The test above covers webhooks.
  const kindsWithSummaries = jsonKinds.filter((kind) => kind !== 'webhook' && kind !== 'pagerduty')

  it.each(kindsWithSummaries)('has a line break after each monitor in %s', async (kind) => {
    const { requests, json } = await send(kind, summary)
    expect(ajv.compile(vendorSchemas[kind])(json)).toBe(true)
    const body = requests[0]?.body ?? ''
    for (const line of ['Shop', 'Status 503', 'Blog', 'after 5 min']) expect(body).toContain(line)
    expect(body).toMatch(/Status 503(\\n| {2}\\n|<br>|"\}\])/)
  })
})

describe('PagerDuty', () => {
  const listEvents = (requests: readonly ReceivedRequest[]) =>
    requests.map(({ body }) => JSON.parse(body)).map(({ event_action, dedup_key }) => [event_action, dedup_key])

  it('gets one incident for a down alert and its reminders, which recovery resolves', async () => {
    fixture.receiver.respondWith(202, { status: 'success', message: 'Event processed', dedup_key: 'x' })
    const { response, requests, json } = await send('pagerduty', messages.down)
    expect([response, requests[0]?.path]).toEqual(['Event processed', '/pagerduty/v2/enqueue'])
    expect(json).toEqual({
      routing_key: channelSamples.pagerduty.routing_key,
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
      client_url: 'https://stats.example.org/incidents/5',
      links: [
        { href: 'https://stats.example.org/incidents/5', text: 'View incident' },
        { href: sampleAcknowledgeUrl, text: 'Acknowledge' },
        { href: 'https://stats.example.org/monitors/3', text: 'View monitor' },
      ],
    })
    expect(listEvents((await send('pagerduty', messages.reminder)).requests)).toEqual([
      ['trigger', 'belfry-incident-5'],
    ])
    expect((await send('pagerduty', messages.recovered)).json).toEqual({
      routing_key: channelSamples.pagerduty.routing_key,
      event_action: 'resolve',
      dedup_key: 'belfry-incident-5',
    })
  })

  it('gets a warning about a certificate as an incident of its own', async () => {
    const { json } = await send('pagerduty', messages.certificate)
    expect([json.dedup_key, json.payload.severity]).toEqual(['belfry-monitor-3-expiry-2026-01-19', 'warning'])
  })

  it('has no ongoing incident after a test', async () => {
    const events = listEvents((await send('pagerduty', messages.test)).requests)
    expect(events).toEqual([
      ['resolve', `belfry-test-${messageId}`],
      ['trigger', `belfry-test-${messageId}`],
    ])
  })
})
