import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import type { Client } from '../../support/client.ts'
import { makeMonitor, path, showMonitor, startMonitoring } from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let key: Client
let before: MonitorRecord
let where: string

beforeAll(async () => {
  ;({ server, key } = await startMonitoring())
})
afterAll(() => server.close())
beforeEach(async () => {
  before = await makeMonitor(key, { http: { headers: { 'X-Token': 'abcdefgh' }, keyword: 'ok' } })
  where = `${path}/${before.id}`
})

const show = () => showMonitor(key, before.id)

describe.each(['PUT', 'PATCH'])('%s /api/monitors/{id}', (method) => {
  describe.each(['form', 'json'])('as %s', (encoding) => {
    const update = (fields: Record<string, string>) => key.call(method, where, { [encoding]: fields })

    it.each([
      ['friendly_name', ' Web shop ', 'Web shop'],
      ['friendly_name', 'n'.repeat(100), 'n'.repeat(100)],
      ['url', 'http://other.example.com:8080/x', 'http://other.example.com:8080/x'],
      ['type', 'http', 'http'],
      ['interval', '86400', 86_400],
      ['interval', '10', 10],
      ['timeout', '60', 60],
      ['retries', '10', 10],
      ['retry_interval', '3600', 3_600],
      ['remind_every', '1440', 1_440],
      ['is_active', 'true', true],
      ['is_active', '1', true],
    ])('changes %s to %j, and nothing else', async (field, sent, kept) => {
      server.clock.advance({ seconds: 5 })
      const answer = await update({ [field]: sent })
      expect(answer.status).toBe(200)
      expect(answer.body.data).toEqual({ ...before, [field]: kept, updated_at: server.clock.now().toISOString() })
      expect(await show()).toEqual(answer.body.data)
    })

    it.each([
      ['friendly_name', '', 'must not be empty'],
      ['friendly_name', ' ', 'must not be empty'],
      ['friendly_name', 'n'.repeat(101), 'must have at most 100 characters'],
      ['url', `https://example.com/${'a'.repeat(2_029)}`, 'must have at most 2048 characters'],
      ['type', 'tcp', 'must be http or ping'],
      ['interval', '4', 'must be between 5 and 86400'],
      ['interval', '86401', 'must be between 5 and 86400'],
      ['timeout', '0', 'must be between 1 and 60'],
      ['timeout', '61', 'must be between 1 and 60'],
      ['retries', '11', 'must be between 0 and 10'],
      ['retry_interval', '0', 'must be between 1 and 3600'],
      ['remind_every', '1441', 'must be between 0 and 1440'],
      ['is_active', 'no', 'must be true or false'],
      ['status', 'up', 'is not a field of this request'],
      ['id', '1', 'is not a field of this request'],
      ['created_at', '2020-01-01T00:00:00Z', 'is not a field of this request'],
    ])('refuses %s %j and changes nothing', async (field, sent, fault) => {
      server.clock.advance({ seconds: 5 })
      const answer = await update({ remind_every: '7', [field]: sent })
      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual({ [field]: [`\`${field}\` ${fault}.`] })
      expect(await show()).toEqual(before)
    })
  })

  it('changes all fields at once', async () => {
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
    expect((await key.call(method, where, { json: fields })).body.data).toEqual({
      ...before,
      ...fields,
      http: null,
      status: 'paused',
      status_changed_at: now,
      updated_at: now,
    })
  })

  it('changes nothing when nothing is sent, not even the time of the last change', async () => {
    server.clock.advance({ seconds: 5 })
    expect((await key.call(method, where, { json: {} })).body.data).toEqual(before)
    expect((await key.call(method, where, { form: {} })).body.data).toEqual(before)
    expect((await key.call(method, where)).body.data).toEqual(before)
    expect(await show()).toEqual(before)
  })

  it.each(['friendly_name', 'url', 'type', 'interval', 'retries', 'is_active'])(
    'does not take null for %s',
    async (f) => {
      const answer = await key.call(method, where, { json: { [f]: null } })
      expect(answer.status).toBe(422)
      expect(Object.keys(answer.body.errors)).toEqual([f])
    },
  )
})

describe('the timeout', () => {
  const update = (fields: object) => key.put(where, fields)
  const timeoutAfter = async (fields: object) => (await update(fields)).body.data.timeout

  it('follows the interval until it is set, and again when it is unset', async () => {
    expect(await timeoutAfter({ interval: 7 })).toBe(7)
    expect(await timeoutAfter({ interval: 600 })).toBe(10)
    expect(await timeoutAfter({ timeout: 45 })).toBe(45)
    expect(await timeoutAfter({ interval: 45 })).toBe(45)
    expect(await timeoutAfter({ timeout: null })).toBe(10)
    expect(await timeoutAfter({ interval: 5 })).toBe(5)
  })

  it.each([
    ['a lowered interval', { interval: 20 }, 20],
    ['a raised timeout', { timeout: 60 }, 50],
    ['both', { interval: 8, timeout: 9 }, 8],
  ])('is not above the interval after %s', async (_what, fields, interval) => {
    await update({ interval: 50, timeout: 30 })
    const answer = await update(fields)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toEqual({ timeout: [`\`timeout\` must not be above the interval (${interval}).`] })
    expect(await show()).toMatchObject({ interval: 50, timeout: 30 })
  })

  it('may fall with the interval', async () => {
    await update({ interval: 50, timeout: 30 })
    expect((await update({ interval: 20, timeout: 20 })).body.data).toMatchObject({ interval: 20, timeout: 20 })
    expect((await update({ interval: 6, timeout: null })).body.data).toMatchObject({ interval: 6, timeout: 6 })
  })
})

describe('two changes at the same moment', () => {
  it('both survive', async () => {
    for (let round = 1; round <= 10; round++) {
      const changes = [
        { friendly_name: `Round ${round}` },
        { interval: 60 + round },
        { retries: round },
        { http: { expected_status: String(200 + round) } },
        { http: { headers: { 'X-Round': `round number ${round}` } } },
      ]
      const answers = await Promise.all(changes.map((fields) => key.put(where, fields)))
      expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200))
      expect(await show()).toMatchObject({
        friendly_name: `Round ${round}`,
        interval: 60 + round,
        retries: round,
        http: { expected_status: String(200 + round), headers: { 'X-Round': `round number ${round}`.slice(-4) } },
      })
    }
  })
})
