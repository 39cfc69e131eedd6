import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import {
  defaultHttpSettings,
  defaultMonitor,
  monitorsPath,
  postMonitor,
  shareMonitorFixture,
} from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let keyClient: Client

beforeAll(async () => {
  ;({ server, keyClient } = await shareMonitorFixture())
})
afterAll(() => server.close())

const countMonitors = async () => (await keyClient.get(monitorsPath)).body.meta.total

describe('POST /api/monitors', () => {
  it.each(['form', 'json'])('requires only a name and a URL, as %s', async (encoding) => {
    const fields = { friendly_name: 'Shop', url: 'https://example.com/' }
    const response = await keyClient.call('POST', monitorsPath, { [encoding]: fields })
    expect(response.status).toBe(201)
    const { id, ...defaultFields } = response.body.data
    expect(defaultFields).toEqual(defaultMonitor)
    expect(response.headers.get('location')).toBe(`${server.address}${monitorsPath}/${id}`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await keyClient.get(`${monitorsPath}/${id}`)).body).toEqual(response.body)
    expect((await keyClient.get(monitorsPath)).body.data[0]).toEqual(response.body.data)
  })

  it('accepts every field', async () => {
    const http = {
      method: 'POST',
      headers: { Authorization: 'Bearer abcdef' },
      body: '{"ping": true}',
      expected_status: '200-299,301',
      keyword: 'Welcome',
      follow_redirects: false,
      verify_tls: false,
    }
    const fields = {
      friendly_name: 'Till',
      url: 'http://till.example.com:8080/health?deep=1',
      type: 'http',
      interval: 300,
      is_active: false,
      timeout: 20,
      retries: 4,
      retry_interval: 30,
      remind_every: 60,
    }
    const response = await keyClient.post(monitorsPath, { ...fields, http })
    expect(response.status).toBe(201)
    expect(response.body.data).toEqual({
      ...defaultMonitor,
      ...fields,
      id: response.body.data.id,
      status: 'paused',
      http: { ...defaultHttpSettings, ...http, headers: { Authorization: 'cdef' } },
    })
    expect((await keyClient.get(`${monitorsPath}/${response.body.data.id}`)).body).toEqual(response.body)
  })

  it('stores no http settings for type ping', async () => {
    const response = await postMonitor(keyClient, { type: 'ping', url: 'example.com' })
    expect(response.body.data).toEqual({
      ...defaultMonitor,
      id: response.body.data.id,
      type: 'ping',
      url: 'example.com',
      http: null,
    })
  })

  describe.each(['form', 'json'])('as %s', (encoding) => {
    const create = (fields: Record<string, string>) =>
      keyClient.call('POST', monitorsPath, {
        [encoding]: { friendly_name: 'Shop', url: 'https://example.com/', ...fields },
      })

    it.each([
      ['friendly_name', 'S', 'S'],
      ['friendly_name', 'n'.repeat(100), 'n'.repeat(100)],
      ['friendly_name', '🔔'.repeat(100), '🔔'.repeat(100)],
      ['friendly_name', '  Web shop ', 'Web shop'],
      ['url', `https://example.com/${'a'.repeat(2_028)}`, `https://example.com/${'a'.repeat(2_028)}`],
      ['type', 'http', 'http'],
      ['type', 'ping', 'ping'],
      ['interval', '5', 5],
      ['interval', '86400', 86_400],
      ['timeout', '1', 1],
      ['timeout', '60', 60],
      ['retries', '0', 0],
      ['retries', '10', 10],
      ['retry_interval', '1', 1],
      ['retry_interval', '3600', 3_600],
      ['remind_every', '0', 0],
      ['remind_every', '1440', 1_440],
      ['is_active', 'true', true],
      ['is_active', '1', true],
      ['is_active', 'false', false],
      ['is_active', '0', false],
    ])('accepts %s %j', async (field, sentValue, storedValue) => {
      const response = await create({ [field]: sentValue })
      expect(response.status).toBe(201)
      expect(response.body.data[field]).toBe(storedValue)
      expect(response.body.data.status).toBe(response.body.data.is_active ? 'pending' : 'paused')
    })

    it.each([
      ['friendly_name', '', 'must not be empty'],
      ['friendly_name', '  \t ', 'must not be empty'],
      ['friendly_name', 'n'.repeat(101), 'must have at most 100 characters'],
      ['friendly_name', '🔔'.repeat(101), 'must have at most 100 characters'],
      ['friendly_name', 'a\0b', 'must not contain a null character'],
      ['url', '', 'must not be empty'],
      ['url', `https://example.com/${'a'.repeat(2_029)}`, 'must have at most 2048 characters'],
      ['type', 'gopher', 'must be one of http, ping, tcp, dns, tls, domain or heartbeat'],
      ['type', 'HTTP', 'must be one of http, ping, tcp, dns, tls, domain or heartbeat'],
      ['type', '', 'must be one of http, ping, tcp, dns, tls, domain or heartbeat'],
      ['interval', '4', 'must be between 5 and 86400'],
      ['interval', '-60', 'must be between 5 and 86400'],
      ['interval', '86401', 'must be between 5 and 86400'],
      ['interval', '', 'must be a whole number'],
      ['interval', '60s', 'must be a whole number'],
      ['interval', '60.5', 'must be a whole number'],
      ['timeout', '0', 'must be between 1 and 60'],
      ['timeout', '61', 'must be between 1 and 60'],
      ['timeout', 'soon', 'must be a whole number or null'],
      ['retries', '-1', 'must be between 0 and 10'],
      ['retries', '11', 'must be between 0 and 10'],
      ['retry_interval', '0', 'must be between 1 and 3600'],
      ['retry_interval', '3601', 'must be between 1 and 3600'],
      ['remind_every', '-1', 'must be between 0 and 1440'],
      ['remind_every', '1441', 'must be between 0 and 1440'],
      ['is_active', 'yes', 'must be true or false'],
      ['is_active', '', 'must be true or false'],
      ['http', 'GET', 'must be an object or null'],
      ['id', '7', 'is not a known field'],
      ['user_id', '7', 'is not a known field'],
      ['status', 'up', 'is not a known field'],
      ['last_error', 'none', 'is not a known field'],
      ['http_headers', 'x', 'is not a known field'],
      ['constructor', 'x', 'is not a known field'],
    ])('rejects %s %j', async (field, sentValue, fault) => {
      const countBefore = await countMonitors()
      const response = await create({ [field]: sentValue })
      expect(response.status).toBe(422)
      expect(response.body.code).toBe('validation_failed')
      expect(response.body.errors).toEqual({ [field]: [`\`${field}\` ${fault}.`] })
      expect(await countMonitors()).toBe(countBefore)
    })

    it.each([
      ['interval 5', { interval: '5' }, 5],
      ['interval 9', { interval: '9' }, 9],
      ['interval 10', { interval: '10' }, 10],
      ['interval 86400', { interval: '86400' }, 10],
      ['timeout 5 and interval 5', { interval: '5', timeout: '5' }, 5],
      ['timeout 60 and interval 61', { interval: '61', timeout: '60' }, 60],
    ])('with %s uses the given timeout, or the smaller of 10 and the interval', async (_case, fields, timeout) => {
      expect((await create(fields)).body.data.timeout).toBe(timeout)
    })

    it('rejects a timeout greater than the interval', async () => {
      const response = await create({ interval: '30', timeout: '31' })
      expect(response.status).toBe(422)
      expect(response.body.errors).toEqual({ timeout: ['`timeout` must not be greater than `interval` (30).'] })
    })
  })

  it('accepts numbers and booleans, and null for the default timeout and http settings', async () => {
    const fields = { interval: 7, timeout: null, retries: 0, is_active: 0, http: null }
    const response = await postMonitor(keyClient, fields)
    expect(response.body.data).toMatchObject({ ...fields, timeout: 7, is_active: false, http: defaultHttpSettings })
  })

  it.each([
    ['friendly_name', 7],
    ['friendly_name', null],
    ['url', null],
    ['url', ['https://example.com/']],
    ['type', null],
    ['interval', 60.5],
    ['interval', null],
    ['interval', true],
    ['timeout', 1.5],
    ['timeout', false],
    ['retries', null],
    ['retry_interval', [5]],
    ['remind_every', '1e2'],
    ['is_active', 2],
    ['is_active', null],
    ['http', []],
    ['http', 7],
  ])('rejects %s %j', async (field, value) => {
    const response = await postMonitor(keyClient, { [field]: value })
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual([field])
  })

  it('reports all missing and invalid fields in one response', async () => {
    const missingFieldsResponse = await keyClient.post(monitorsPath, {})
    expect(missingFieldsResponse.body.errors).toEqual({
      friendly_name: ['`friendly_name` is required.'],
      url: ['`url` is required.'],
    })
    const http = { headers: { 'a b': 'x' }, expected_status: '2xx', keyword: 'a', keyword_absent: 'b' }
    const invalidFieldsResponse = await keyClient.post(monitorsPath, {
      friendly_name: ' ',
      url: 'ftp://x',
      interval: 5,
      timeout: 6,
      http,
    })
    expect(Object.keys(invalidFieldsResponse.body.errors).sort()).toEqual([
      'friendly_name',
      'http.expected_status',
      'http.headers',
      'http.keyword_absent',
      'timeout',
      'url',
    ])
  })

  it('rejects a field that is sent twice', async () => {
    const response = await keyClient.call('POST', monitorsPath, {
      form: { friendly_name: ['a', 'b'], url: 'https://example.com/' },
    })
    expect(response.body.errors).toEqual({ friendly_name: ['`friendly_name` must be a string.'] })
  })

  it('lists what the schema rejects and what other rules reject in one response', async () => {
    const response = await keyClient.post(monitorsPath, {
      friendly_name: 'Shop',
      url: 'not a url',
      interval: 2,
      http: { expected_status: '99' },
    })
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors).sort()).toEqual(['http.expected_status', 'interval', 'url'])
    const wrongType = await keyClient.post(monitorsPath, {
      friendly_name: 'Router',
      url: 'router.example.com',
      type: 'pong',
    })
    expect(Object.keys(wrongType.body.errors)).toEqual(['type'])
  })
})
