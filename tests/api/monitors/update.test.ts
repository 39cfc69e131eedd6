import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import type { Client } from '../../support/client.ts'
import { createMonitor, getMonitor, monitorsPath, shareMonitorFixture } from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let keyClient: Client
let originalMonitor: MonitorRecord
let monitorPath: string

beforeAll(async () => {
  ;({ server, keyClient } = await shareMonitorFixture())
})
afterAll(() => server.close())
beforeEach(async () => {
  originalMonitor = await createMonitor(keyClient, { http: { headers: { 'X-Token': 'abcdefgh' }, keyword: 'ok' } })
  monitorPath = `${monitorsPath}/${originalMonitor.id}`
})

const readMonitor = () => getMonitor(keyClient, originalMonitor.id)

describe.each(['PUT', 'PATCH'])('%s /api/monitors/{id}', (method) => {
  describe.each(['form', 'json'])('as %s', (encoding) => {
    const update = (fields: Record<string, string>) => keyClient.call(method, monitorPath, { [encoding]: fields })

    it.each([
      ['friendly_name', ' Web shop ', 'Web shop'],
      ['friendly_name', 'n'.repeat(100), 'n'.repeat(100)],
      ['url', 'https://example.com:443/x?y=1', 'https://example.com:443/x?y=1'],
      ['type', 'http', 'http'],
      ['interval', '86400', 86_400],
      ['interval', '10', 10],
      ['timeout', '60', 60],
      ['retries', '10', 10],
      ['retry_interval', '3600', 3_600],
      ['remind_every', '1440', 1_440],
      ['is_active', 'true', true],
      ['is_active', '1', true],
    ])('changes only %s, to %j', async (field, sentValue, storedValue) => {
      server.clock.advance({ seconds: 5 })
      const response = await update({ [field]: sentValue })
      expect(response.status).toBe(200)
      expect(response.body.data).toEqual({
        ...originalMonitor,
        [field]: storedValue,
        updated_at: server.clock.now().toISOString(),
      })
      expect(await readMonitor()).toEqual(response.body.data)
    })

    it.each([
      ['friendly_name', '', 'must not be empty'],
      ['friendly_name', ' ', 'must not be empty'],
      ['friendly_name', 'n'.repeat(101), 'must have at most 100 characters'],
      ['url', `https://example.com/${'a'.repeat(2_029)}`, 'must have at most 2048 characters'],
      ['type', 'gopher', 'must be one of http, ping, tcp, dns, tls, domain, heartbeat or traffic'],
      ['interval', '4', 'must be between 5 and 86400'],
      ['interval', '86401', 'must be between 5 and 86400'],
      ['timeout', '0', 'must be between 1 and 60'],
      ['timeout', '61', 'must be between 1 and 60'],
      ['retries', '11', 'must be between 0 and 10'],
      ['retry_interval', '0', 'must be between 1 and 3600'],
      ['remind_every', '1441', 'must be between 0 and 1440'],
      ['is_active', 'no', 'must be true or false'],
      ['status', 'up', 'is not a known field'],
      ['id', '1', 'is not a known field'],
      ['created_at', '2020-01-01T00:00:00Z', 'is not a known field'],
    ])('rejects %s %j and changes nothing', async (field, sentValue, fault) => {
      server.clock.advance({ seconds: 5 })
      const response = await update({ remind_every: '7', [field]: sentValue })
      expect(response.status).toBe(422)
      expect(response.body.errors).toEqual({ [field]: [`\`${field}\` ${fault}.`] })
      expect(await readMonitor()).toEqual(originalMonitor)
    })
  })

  it('changes all fields in one request', async () => {
    const fields = {
      friendly_name: 'Till',
      url: 'till.example.com',
      type: 'ping',
      interval: 30,
      is_active: false,
      timeout: 30,
      retries: 0,
      retry_interval: 1,
      remind_every: 15,
    }
    server.clock.advance({ seconds: 5 })
    const now = server.clock.now().toISOString()
    expect((await keyClient.call(method, monitorPath, { json: fields })).body.data).toEqual({
      ...originalMonitor,
      ...fields,
      http: null,
      status: 'paused',
      status_changed_at: now,
      updated_at: now,
    })
  })

  it('changes nothing if no field is sent, not even updated_at', async () => {
    server.clock.advance({ seconds: 5 })
    expect((await keyClient.call(method, monitorPath, { json: {} })).body.data).toEqual(originalMonitor)
    expect((await keyClient.call(method, monitorPath, { form: {} })).body.data).toEqual(originalMonitor)
    expect((await keyClient.call(method, monitorPath)).body.data).toEqual(originalMonitor)
    expect(await readMonitor()).toEqual(originalMonitor)
  })

  it.each(['friendly_name', 'url', 'type', 'interval', 'retries', 'is_active'])(
    'rejects null for %s',
    async (field) => {
      const response = await keyClient.call(method, monitorPath, { json: { [field]: null } })
      expect(response.status).toBe(422)
      expect(Object.keys(response.body.errors)).toEqual([field])
    },
  )
})

describe('the timeout', () => {
  const update = (fields: object) => keyClient.put(monitorPath, fields)
  const getTimeoutAfterUpdate = async (fields: object) => (await update(fields)).body.data.timeout

  it('depends on the interval until it is set, and again after it is set to null', async () => {
    expect(await getTimeoutAfterUpdate({ interval: 7 })).toBe(7)
    expect(await getTimeoutAfterUpdate({ interval: 600 })).toBe(10)
    expect(await getTimeoutAfterUpdate({ timeout: 45 })).toBe(45)
    expect(await getTimeoutAfterUpdate({ interval: 45 })).toBe(45)
    expect(await getTimeoutAfterUpdate({ timeout: null })).toBe(10)
    expect(await getTimeoutAfterUpdate({ interval: 5 })).toBe(5)
  })

  it.each([
    ['a lowered interval', { interval: 20 }, 20],
    ['a raised timeout', { timeout: 60 }, 50],
    ['both', { interval: 8, timeout: 9 }, 8],
  ])('cannot be greater than the interval: %s', async (_case, fields, interval) => {
    await update({ interval: 50, timeout: 30 })
    const response = await update(fields)
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual({
      timeout: [`\`timeout\` must not be greater than \`interval\` (${interval}).`],
    })
    expect(await readMonitor()).toMatchObject({ interval: 50, timeout: 30 })
  })

  it('can decrease together with the interval', async () => {
    await update({ interval: 50, timeout: 30 })
    expect((await update({ interval: 20, timeout: 20 })).body.data).toMatchObject({ interval: 20, timeout: 20 })
    expect((await update({ interval: 6, timeout: null })).body.data).toMatchObject({ interval: 6, timeout: 6 })
  })
})

describe('concurrent changes of different fields', () => {
  it('are all applied', async () => {
    for (let round = 1; round <= 10; round++) {
      const changes = [
        { friendly_name: `Round ${round}` },
        { interval: 60 + round },
        { retries: round },
        { http: { expected_status: String(200 + round) } },
        { http: { headers: { 'X-Round': `round number ${round}` } } },
      ]
      const responses = await Promise.all(changes.map((fields) => keyClient.put(monitorPath, fields)))
      expect(responses.map(({ status }) => status)).toEqual(changes.map(() => 200))
      expect(await readMonitor()).toMatchObject({
        friendly_name: `Round ${round}`,
        interval: 60 + round,
        retries: round,
        http: { expected_status: String(200 + round), headers: { 'X-Round': `round number ${round}`.slice(-4) } },
      })
    }
  })
})
