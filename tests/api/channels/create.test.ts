import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  channelSamples,
  channelsPath,
  expectedChannelFields,
  getSample,
  sampleKinds,
  sampleToken,
  sampleWebhook,
} from '../../support/channels.ts'
import type { Client } from '../../support/client.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'

let server: TestServer
let keyClient: Client

beforeAll(async () => {
  server = await shareTestServer()
  keyClient = await (await server.createUser('ada')).withKey('providers:read', 'providers:write')
})
afterAll(() => server.close())

/** Reads the database, because the list of all channels is long. */
const countChannels = async () =>
  (await server.services.db.query<{ count: number }>('select count(*)::int from providers'))[0]?.count

const expectRejected = async (input: object, field: string) => {
  const countBefore = await countChannels()
  const response = await keyClient.post(channelsPath, input)
  expect(response.status).toBe(422)
  expect(Object.keys(response.body.errors)).toEqual([field])
  expect(await countChannels()).toBe(countBefore)
  return response.body.errors[field][0] as string
}

describe('POST /api/providers', () => {
  it.each(sampleKinds)('creates a channel of type %s', async (kind) => {
    const response = await keyClient.post(channelsPath, { ...getSample(kind), name: ' Ops ', assign_by_default: true })
    expect(response.status).toBe(201)
    const { id, ...record } = response.body.data
    expect(record).toEqual({
      provider_type: kind,
      name: 'Ops',
      assign_by_default: true,
      ...expectedChannelFields[kind],
      failure: null,
      failed_at: null,
      created_at: '2026-01-05T10:00:00.000Z',
      updated_at: '2026-01-05T10:00:00.000Z',
    })
    expect(response.headers.get('location')).toBe(`${server.address}${channelsPath}/${id}`)
    expect((await keyClient.get(`${channelsPath}/${id}`)).body).toEqual(response.body)
  })

  it('accepts a form, a missing name, and a numeric chat id', async () => {
    const form = { provider_type: 'slack', webhook_url: sampleWebhook, assign_by_default: '1' }
    const { body } = await keyClient.call('POST', channelsPath, { form })
    expect(body.data).toMatchObject({ name: null, channel: null, username: null, assign_by_default: true })
    const telegramResponse = await keyClient.post(channelsPath, {
      provider_type: 'telegram',
      chat_id: -1001234567890,
      token: sampleToken,
    })
    expect(telegramResponse.body.data.chat_id).toBe('-1001234567890')
  })

  it('adds the channel to the list of its user, newest first', async () => {
    const stranger = await (await server.createUser('stranger')).withKey('providers:read', 'providers:write')
    const ids: number[] = []
    for (const kind of sampleKinds) ids.unshift((await stranger.post(channelsPath, getSample(kind))).body.data.id)
    const { data, meta } = (await stranger.get(channelsPath)).body
    expect(data.map(({ id }: { id: number }) => id)).toEqual(ids)
    expect(meta).toEqual({ total: sampleKinds.length })
  })

  it('never shows secrets', async () => {
    await keyClient.post(channelsPath, getSample('slack'), { headers: { 'idempotency-key': 'hush' } })
    for (const kind of sampleKinds) await keyClient.post(channelsPath, getSample(kind))
    await keyClient.post(channelsPath, { ...getSample('slack'), channel: '' })
    const responses = [
      await keyClient.get(channelsPath),
      await keyClient.post(channelsPath, { provider_type: 'email', webhook_url: sampleWebhook }),
    ]
    const rows = await server.services.db.query('select settings::text, secrets from providers')
    const replays = await server.services.db.query('select answer::text from idempotency_keys')
    const texts = [
      ...responses.map(({ text }) => text),
      ...server.logLines,
      ...rows.map((row) => `${row['settings']} ${row['secrets']?.toString('latin1')}`),
      ...replays.map((row) => row['answer']),
    ]
    for (const text of texts) expect(text).not.toMatch(/s3cr3tWebhook|zyx57W2v1u123/)
    const sealedSecrets = rows.flatMap((row) => row['secrets'] ?? [])
    expect(new Set(sealedSecrets.map((secret) => secret.toString('hex'))).size).toBe(sealedSecrets.length)
  })

  it('shows no hint of a short secret', async () => {
    const { body } = await keyClient.post(channelsPath, { ...getSample('telegram'), token: '1:23456' })
    expect(body.data.token_hint).toBe('')
  })

  it.each([
    ['email', 'recipient_email'],
    ['slack', 'webhook_url'],
    ['telegram', 'chat_id'],
    ['telegram', 'token'],
    ['sms', 'phone_number'],
    ['webhook', 'url'],
    ['discord', 'webhook_url'],
    ['teams', 'webhook_url'],
    ['googlechat', 'webhook_url'],
    ['ntfy', 'server'],
    ['ntfy', 'topic'],
    ['pushover', 'user_key'],
    ['pushover', 'token'],
    ['gotify', 'server'],
    ['gotify', 'token'],
    ['matrix', 'homeserver'],
    ['matrix', 'room_id'],
    ['matrix', 'token'],
    ['pagerduty', 'routing_key'],
  ] as const)('for type %s needs %s', async (kind, field) => {
    const { [field]: _, ...inputWithoutField } = getSample(kind) as Record<string, unknown>
    expect(await expectRejected(inputWithoutField, field)).toBe(
      `\`${field}\` is required for this type of notification channel.`,
    )
    await expectRejected({ ...inputWithoutField, [field]: null }, field)
    await expectRejected({ ...inputWithoutField, [field]: '' }, field)
  })

  it.each(sampleKinds)('for type %s rejects fields of other types', async (kind) => {
    const ownFields = Object.keys(channelSamples[kind])
    const otherFields = Object.entries(Object.assign({}, ...Object.values(channelSamples))).filter(
      ([field]) => !ownFields.includes(field),
    )
    const input = { ...getSample(kind), ...Object.fromEntries(otherFields) }
    const { status, body } = await keyClient.post(channelsPath, input)
    expect(status).toBe(422)
    expect(body.errors).toEqual(
      Object.fromEntries(
        otherFields.map(([field]) => [
          field,
          [`\`${field}\` is not a setting of notification channels of type ${kind}.`],
        ]),
      ),
    )
  })

  it('rejects unknown fields and types', async () => {
    await expectRejected({ ...getSample('sms'), webhook_url_hint: 'abcd' }, 'webhook_url_hint')
    await expectRejected({ ...getSample('sms'), provider_type: 'pager' }, 'provider_type')
    await expectRejected({ ...channelSamples.sms }, 'provider_type')
  })

  const padText = (length: number, start: string, fill = 'x') => start + fill.repeat(length - start.length)

  it.each([
    ['sms', 'name', ['x', 'x'.repeat(100), 'é'.repeat(100)], ['', '  ', 'x'.repeat(101), 'a\r\nBcc: b@example.com']],
    ['sms', 'assign_by_default', [true, 'false', 0], ['yes', 2]],
    [
      'email',
      'recipient_email',
      ['a@b.example', `${'a'.repeat(64)}@${'b.'.repeat(92)}com`],
      [
        'ops',
        'ops@',
        'a@b.example, c@d.example',
        'Ops <a@b.example>',
        'a@b.example\r\nBcc: c@d.example',
        `${'a'.repeat(64)}@${'b.'.repeat(94)}com`,
      ],
    ],
    [
      'slack',
      'webhook_url',
      ['https://a', padText(2_048, 'https://hooks.example.com/')],
      [
        'http://hooks.example.com/',
        'hooks.example.com',
        'https://',
        'https://ada:hush@hooks.example.com/',
        'https://hooks.example.com/a b',
        'javascript:alert(1)',
        padText(2_049, 'https://hooks.example.com/'),
      ],
    ],
    ['slack', 'channel', ['#', 'x'.repeat(80), null], ['', 'x'.repeat(81), 5]],
    ['slack', 'username', ['x', 'x'.repeat(80), null], ['', 'x'.repeat(81)]],
    [
      'telegram',
      'chat_id',
      ['1', '-1', '@belfry_news', 42, 2 ** 53 - 1],
      ['', 'belfry', '@', '1.5', 1.5, true, '9'.repeat(21), 2 ** 53],
    ],
    ['telegram', 'token', ['1:x', 'x'.repeat(255)], ['', 'x'.repeat(256), '1:x/../y', '1:x?y', 'a b']],
    [
      'sms',
      'phone_number',
      ['+1234567', '+123456789012345'],
      ['+123456', '+1234567890123456', '015112345678', '+0151123456', '+49 151 123456', 'call me'],
    ],
    [
      'webhook',
      'url',
      ['https://example.com/a?b=c#d'],
      ['http://example.com/', 'https://ada:hush@example.com/', 'example.com', 'file:///etc/passwd'],
    ],
    ['webhook', 'secret', ['x', 'x'.repeat(255), null], ['', 'x'.repeat(256), 'a b', 'häh']],
    [
      'webhook',
      'headers',
      [null, {}, { 'X-A': '' }, Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`X-${n}`, 'v']))],
      [
        [],
        'X-A: b',
        { 'X A': 'b' },
        { 'X-A': 'b\r\nX-B: c' },
        { 'X-A': 'b', 'x-a': 'c' },
        { 'Content-Length': '5' },
        { 'Transfer-Encoding': 'chunked' },
        { 'Content-Type': 'text/plain' },
        { 'X-Belfry-Signature': 't=1,v1=00' },
        Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, 'v'])),
      ],
    ],
    [
      'ntfy',
      'server',
      ['https://ntfy.sh', 'https://example.com/ntfy/'],
      ['http://ntfy.sh', 'ntfy.sh', 'https://ntfy.sh/?a=b', 'https://ntfy.sh/#a', 'https://ada:hush@ntfy.sh'],
    ],
    ['ntfy', 'topic', ['a', 'A_b-9', 'x'.repeat(64)], ['', 'x'.repeat(65), 'a/b', 'a b', '../x']],
    ['ntfy', 'token', ['tk_1', null], ['', 'a b', 'a\r\nb']],
    ['pushover', 'user_key', ['a'.repeat(30)], ['a'.repeat(29), 'a'.repeat(31), '-'.repeat(30)]],
    ['gotify', 'token', ['A.b-c_d'], ['', 'a b']],
    ['matrix', 'room_id', ['!abc:example.com', '!v12room'], ['', '#ops:example.com', 'ops', '! x', '!a b']],
    ['pagerduty', 'routing_key', ['a'.repeat(32)], ['a'.repeat(31), 'a'.repeat(33), '/'.repeat(32)]],
  ] as const)('for type %s validates %s', async (kind, field, validValues, invalidValues) => {
    for (const value of validValues) {
      const { status, body } = await keyClient.post(channelsPath, { ...getSample(kind), [field]: value })
      expect([value, status, body.detail]).toEqual([value, 201, undefined])
    }
    for (const value of invalidValues) await expectRejected({ ...getSample(kind), [field]: value }, field)
  })

  it('reports all errors together', async () => {
    const { body } = await keyClient.post(channelsPath, {
      provider_type: 'telegram',
      chat_id: 'x',
      phone_number: '+1234567',
    })
    expect(Object.keys(body.errors).sort()).toEqual(['chat_id', 'phone_number', 'token'])
  })

  it('can be repeated with an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const firstResponse = await keyClient.post(channelsPath, getSample('slack'), { headers })
    const secondResponse = await keyClient.post(channelsPath, getSample('slack'), { headers })
    expect(secondResponse.body).toEqual(firstResponse.body)
    expect(secondResponse.headers.get('idempotent-replayed')).toBe('true')
    const otherInput = { ...getSample('slack'), webhook_url: `${sampleWebhook}2` }
    expect((await keyClient.post(channelsPath, otherInput, { headers })).status).toBe(422)
  })

  it('has a limit of 1,000 channels per user', async () => {
    const owner = await server.createUser('many')
    await server.services.db.query(
      `insert into providers (user_id, provider_type, assign_by_default, settings, created_at, updated_at)
       select $1, 'sms', false, '{"phone_number": "+1234567"}', now(), now() from generate_series(1, 999)`,
      [owner.id],
    )
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => owner.session.post(channelsPath, getSample('sms'))),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
    expect(responses.find(({ status }) => status === 422)?.body.errors).toEqual({
      provider_type: ['You already have 1,000 notification channels, which is the limit. Delete one first.'],
    })
    expect((await owner.session.get(channelsPath)).body.data).toHaveLength(1_000)
  })
})

describe('a server that allows private targets', () => {
  it.each(['allow', '10.0.0.0/8'])('accepts http webhooks (%s)', async (setting) => {
    const permissiveServer = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: setting } })
    const client = (await permissiveServer.createUser('ada')).session
    const response = await client.post(channelsPath, {
      ...getSample('slack'),
      webhook_url: 'http://chat.internal/hooks/1',
    })
    expect(response.status).toBe(201)
    await permissiveServer.close()
  })
})
