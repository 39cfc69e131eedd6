/** POST /api/providers/test, and secrets that stay with the address they were saved for. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectMissingScope } from '../../support/access.ts'
import { type ChannelFixture, channelsPath, getSample, startChannelFixture } from '../../support/channels.ts'
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts'

let fixture: ChannelFixture
/** The server of an attacker who wants stored secrets. */
let otherReceiver: HttpReceiver

const testPath = `${channelsPath}/test`

beforeAll(async () => {
  fixture = await startChannelFixture((receiver) => ({
    BELFRY_SMS_URL: receiver.address,
    BELFRY_SMS_ACCOUNT: 'account',
    BELFRY_SMS_TOKEN: 'operator-token',
    BELFRY_SMS_FROM: '+15005550006',
    BELFRY_SMS_DAILY: '1',
  }))
  otherReceiver = await startHttpReceiver()
})
afterAll(async () => {
  await fixture.close()
  await otherReceiver.close()
})
beforeEach(() => {
  // The limits are per minute, so the messages of earlier tests no longer count.
  fixture.server.clock.advance({ minutes: 1 })
  for (const { received } of [fixture.receiver, otherReceiver]) received.length = 0
  fixture.receiver.respondWith(200, 'ok')
})

const listChannels = async () => (await fixture.client.get(channelsPath)).body
const create = async (input: object): Promise<number> => (await fixture.client.post(channelsPath, input)).body.data.id
const hook = () => ({ provider_type: 'webhook', url: `${fixture.receiver.address}/hook` })

describe('POST /api/providers/test', () => {
  it('sends a test and stores nothing', async () => {
    const channelsBefore = await listChannels()
    const response = await fixture.client.post(testPath, { ...hook(), name: 'Ops', assign_by_default: true })
    expect([response.status, response.body.data]).toEqual([
      200,
      { success: true, provider_id: null, message: 'The webhook accepted the message: ok' },
    ])
    expect(fixture.receiver.received).toMatchObject([{ method: 'POST', path: '/hook' }])
    expect(JSON.parse(fixture.receiver.received[0]?.body ?? '').text).toBe(
      'Test notification\nThis is a test from Belfry, sent through Webhook (Ops). No action needed.',
    )
    expect(await listChannels()).toEqual(channelsBefore)
  })

  it('reports what the service responds, without secrets', async () => {
    fixture.receiver.handleWith((response, { headers }) =>
      response.writeHead(403).end(`bad key ${headers['x-api-key']}`),
    )
    const response = await fixture.client.post(testPath, { ...hook(), headers: { 'X-Api-Key': 's3cr3t-value-1234' } })
    expect([response.status, response.body.code, response.body.detail]).toEqual([
      502,
      'provider_delivery_failed',
      'The webhook responded with 403: bad key ….',
    ])
  })

  it.each([
    [{}, 'provider_type'],
    [{ provider_type: 'pager' }, 'provider_type'],
    [{ provider_type: 'webhook' }, 'url'],
    [{ provider_type: 'webhook', url: 'ftp://example.com' }, 'url'],
    [{ ...getSample('ntfy'), routing_key: 'x' }, 'routing_key'],
    [{ ...getSample('ntfy'), color: 'red' }, 'color'],
    [{ ...getSample('ntfy'), provider_id: 999_999 }, 'provider_id'],
  ])('rejects %j because of %s', async (input, field) => {
    const { status, body } = await fixture.client.post(testPath, input)
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]])
  })

  it('needs providers:write, and finds only channels of the caller', async () => {
    const stranger = await fixture.server.createUser('stranger')
    expectMissingScope(await (await stranger.withKey('providers:read')).post(testPath, hook()), 'providers:write')
    const id = await create(hook())
    const { status, body } = await stranger.session.post(testPath, { provider_id: id })
    expect([status, body.errors]).toEqual([422, { provider_id: ['`provider_id` is not one of your providers.'] }])
    expect(fixture.receiver.received).toEqual([])
  })

  it('has the same limits as a test of a saved channel', async () => {
    const id = await create(hook())
    const send = async (count: number, path: string, body: object) => {
      const statuses = new Set<number>()
      for (let n = 0; n < count; n++) statuses.add((await fixture.client.post(path, body)).status)
      return [...statuses]
    }
    expect(await send(5, testPath, { provider_id: id })).toEqual([200])
    expect(await send(1, `${channelsPath}/${id}/test`, {})).toEqual([429])
    expect(await send(15, testPath, hook())).toEqual([200])
    expect(await send(1, testPath, hook())).toEqual([429])
    expect(fixture.receiver.received).toHaveLength(20)
  })

  it('counts text messages towards the daily limit', async () => {
    fixture.receiver.respondWith(201, { status: 'queued' })
    const statuses: number[] = []
    for (let n = 0; n < 2; n++) statuses.push((await fixture.client.post(testPath, getSample('sms'))).status)
    expect(statuses).toEqual([200, 429])
  })
})

describe('a test of a changed channel', () => {
  it('uses the stored secrets that the request does not send, and does not change the channel', async () => {
    const id = await create({ ...hook(), secret: 'signing-secret', headers: { 'X-Api-Key': 'api-key-1234' } })
    await fixture.server.services.db.query(
      `update providers set failure = 'Broken.', failed_at = now() where id = $1`,
      [id],
    )
    const { status, body } = await fixture.client.post(testPath, {
      provider_id: id,
      headers: { 'x-api-key': '1234', 'X-New': 'new' },
    })
    expect([status, body.data.provider_id]).toEqual([200, id])
    const headers = fixture.receiver.received[0]?.headers ?? {}
    expect(headers).toMatchObject({ 'x-api-key': 'api-key-1234', 'x-new': 'new' })
    expect(headers['x-belfry-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    expect((await fixture.client.get(`${channelsPath}/${id}`)).body.data).toMatchObject({
      headers: { 'X-Api-Key': '1234' },
      failure: 'Broken.',
    })
  })

  it("can't change the type", async () => {
    const id = await create(hook())
    const { status, body } = await fixture.client.post(testPath, { provider_id: id, provider_type: 'slack' })
    expect([status, Object.keys(body.errors)]).toEqual([422, ['provider_type']])
  })
})

describe('stored secrets', () => {
  const createSavedFields = {
    webhook: () => ({ ...hook(), secret: 'signing-secret', headers: { 'X-Api-Key': 'api-key-1234' } }),
    ntfy: () => ({ ...getSample('ntfy'), server: fixture.receiver.address }),
    gotify: () => ({ ...getSample('gotify'), server: fixture.receiver.address }),
    matrix: () => ({ ...getSample('matrix'), homeserver: fixture.receiver.address }),
  }
  const otherAddress = (kind: keyof typeof createSavedFields) => {
    const field = { webhook: 'url', ntfy: 'server', gotify: 'server', matrix: 'homeserver' }[kind]
    return { [field]: otherReceiver.address }
  }

  it.each([
    ['webhook', ['headers', 'secret']],
    ['ntfy', ['token']],
    ['gotify', ['token']],
    ['matrix', ['token']],
  ] as const)('of %s are never sent to another address', async (kind, secretFields) => {
    const id = await create(createSavedFields[kind]())
    const change = otherAddress(kind)
    for (const response of [
      await fixture.client.post(testPath, { provider_id: id, ...change }),
      await fixture.client.put(`${channelsPath}/${id}`, change),
    ]) {
      expect([response.status, Object.keys(response.body.errors).sort()]).toEqual([422, secretFields])
    }
    expect(otherReceiver.received).toEqual([])
    expect((await fixture.client.post(`${channelsPath}/${id}/test`)).status).toBe(200)
    expect(fixture.receiver.received).toHaveLength(1)
  })

  it.each([
    ['ntfy', '`token` must be sent again, or null to remove it, because `server` changes'],
    ['gotify', '`token` must be sent again because `server` changes'],
  ] as const)('of %s can be removed only if they are optional', async (kind, rule) => {
    const id = await create(createSavedFields[kind]())
    const { body } = await fixture.client.put(`${channelsPath}/${id}`, otherAddress(kind))
    expect(body.errors.token).toEqual([expect.stringContaining(rule)])
  })

  it('are not needed if they are sent again or removed', async () => {
    const id = await create(createSavedFields.webhook())
    const path = `${channelsPath}/${id}`
    const change = otherAddress('webhook')
    const hintedHeaders = { ...change, secret: null, headers: { 'X-Api-Key': '1234' } }
    expect((await fixture.client.put(path, hintedHeaders)).body.errors).toEqual({
      headers: [
        '`headers` must contain the full value of X-Api-Key, because `url` changes and stored values are not sent to another address.',
      ],
    })
    const fullHeaders = { ...change, secret: null, headers: { 'X-Api-Key': 'api-key-5678' } }
    expect((await fixture.client.put(path, fullHeaders)).body.data).toMatchObject({
      secret_hint: null,
      headers: { 'X-Api-Key': '5678' },
    })
    expect((await fixture.client.put(path, { ...hook(), headers: null })).body.data.headers).toEqual({})
  })

  it('stay if the same address is sent again', async () => {
    const id = await create(createSavedFields.ntfy())
    const { status } = await fixture.client.put(`${channelsPath}/${id}`, {
      server: `${fixture.receiver.address}/`,
      topic: 'other',
    })
    expect(status).toBe(200)
  })
})
