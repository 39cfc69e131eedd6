import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { monitorsPath, postMonitor, shareMonitorFixture } from '../../support/monitors.ts'
import type { TestServer, TestUser } from '../../support/server.ts'

let server: TestServer
let owner: TestUser
let keyClient: Client

beforeAll(async () => {
  ;({ server, owner, keyClient } = await shareMonitorFixture())
})
afterAll(() => server.close())

const send = (idempotencyKey: string, body: object, client = keyClient) =>
  client.post(monitorsPath, body, { headers: { 'idempotency-key': idempotencyKey } })

const monitor = { friendly_name: 'Shop', url: 'https://example.com/' }
const countMonitors = async () => (await keyClient.get(monitorsPath)).body.meta.total

describe('an Idempotency-Key', () => {
  it('makes creating a monitor safe to repeat, as JSON or form', async () => {
    const countBefore = await countMonitors()
    const firstResponse = await send('import-1', { ...monitor, interval: 60 })
    server.clock.advance({ hours: 23 })
    const secondResponse = await keyClient.call('POST', monitorsPath, {
      form: { interval: '60', url: monitor.url, friendly_name: monitor.friendly_name },
      headers: { 'idempotency-key': 'import-1' },
    })
    expect([firstResponse.status, secondResponse.status]).toEqual([201, 201])
    expect([firstResponse, secondResponse].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
      null,
      'true',
    ])
    expect(secondResponse.headers.get('location')).toBe(firstResponse.headers.get('location'))
    expect(secondResponse.text).toBe(firstResponse.text)
    expect(await countMonitors()).toBe(countBefore + 1)
  })

  it('is rejected with a different body, even if only a secret header differs', async () => {
    const withHeader = (value: string) => ({ ...monitor, http: { headers: { 'X-Token': value } } })
    const countBefore = await countMonitors()
    expect((await send('import-2', withHeader('first-secret'))).status).toBe(201)
    const differentResponse = await send('import-2', withHeader('other-secret'))
    expect(differentResponse.status).toBe(422)
    expect(differentResponse.body.errors).toEqual({
      'Idempotency-Key': ['This `Idempotency-Key` was used for a different request.'],
    })
    expect(await countMonitors()).toBe(countBefore + 1)
  })

  it('can be used again after a validation error', async () => {
    expect((await send('import-3', { ...monitor, interval: 1 })).status).toBe(422)
    expect((await send('import-3', monitor)).status).toBe(201)
  })

  it('is separate for each user, and expires after a day', async () => {
    const firstResponse = await send('import-4', monitor)
    const stranger = await server.createUser('stranger')
    const strangersResponse = await send('import-4', monitor, stranger.session)
    expect(strangersResponse.headers.get('idempotent-replayed')).toBe(null)
    expect(strangersResponse.body.data.id).not.toBe(firstResponse.body.data.id)
    expect((await send('import-4', monitor, owner.session)).body).toEqual(firstResponse.body)
    server.clock.advance({ hours: 24 })
    expect((await send('import-4', monitor)).body.data.id).not.toBe(firstResponse.body.data.id)
  })

  it('creates one monitor from concurrent requests', async () => {
    const countBefore = await countMonitors()
    const responses = await Promise.all(Array.from({ length: 8 }, () => send('import-5', monitor)))
    const createdResponses = responses.filter(({ status }) => status === 201)
    expect(new Set(createdResponses.map(({ body }) => body.data.id)).size).toBe(1)
    expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true)
    expect(await countMonitors()).toBe(countBefore + 1)
  })

  it('is not required to create two identical monitors', async () => {
    const [firstResponse, secondResponse] = [await postMonitor(keyClient), await postMonitor(keyClient)]
    expect(firstResponse.body.data.id).not.toBe(secondResponse.body.data.id)
  })
})
