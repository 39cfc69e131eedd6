import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { path, plainHttp, plainMonitor, postMonitor, startMonitoring } from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let key: Client

beforeAll(async () => {
  ;({ server, key } = await startMonitoring())
})
afterAll(() => server.close())

const countAll = async () => (await key.get(path)).body.meta.total

describe('POST /api/monitors', () => {
  it.each(['form', 'json'])('needs a name and a URL only, as %s; everything else has a default', async (encoding) => {
    const sent = { friendly_name: 'Shop', url: 'https://example.com/' }
    const answer = await key.call('POST', path, { [encoding]: sent })
    expect(answer.status).toBe(201)
    const { id, ...rest } = answer.body.data
    expect(rest).toEqual(plainMonitor)
    expect(answer.headers.get('location')).toBe(`${server.address}${path}/${id}`)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect((await key.get(`${path}/${id}`)).body).toEqual(answer.body)
    expect((await key.get(path)).body.data[0]).toEqual(answer.body.data)
  })

  it('takes every field', async () => {
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
    const answer = await key.post(path, { ...fields, http })
    expect(answer.status).toBe(201)
    expect(answer.body.data).toEqual({
      ...plainMonitor,
      ...fields,
      id: answer.body.data.id,
      status: 'paused',
      http: { ...plainHttp, ...http, headers: { Authorization: 'cdef' } },
    })
    expect((await key.get(`${path}/${answer.body.data.id}`)).body).toEqual(answer.body)
  })

  it('has no http settings for type ping', async () => {
    const answer = await postMonitor(key, { type: 'ping', url: 'example.com' })
    expect(answer.body.data).toEqual({
      ...plainMonitor,
      id: answer.body.data.id,
      type: 'ping',
      url: 'example.com',
      http: null,
    })
  })

  describe.each(['form', 'json'])('as %s', (encoding) => {
    const create = (fields: Record<string, string>) =>
      key.call('POST', path, { [encoding]: { friendly_name: 'Shop', url: 'https://example.com/', ...fields } })

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
    ])('takes %s %j', async (field, sent, kept) => {
      const answer = await create({ [field]: sent })
      expect(answer.status).toBe(201)
      expect(answer.body.data[field]).toBe(kept)
      expect(answer.body.data.status).toBe(answer.body.data.is_active ? 'pending' : 'paused')
    })

    it.each([
      ['friendly_name', '', 'must not be empty'],
      ['friendly_name', '  \t ', 'must not be empty'],
      ['friendly_name', 'n'.repeat(101), 'must have at most 100 characters'],
      ['friendly_name', '🔔'.repeat(101), 'must have at most 100 characters'],
      ['friendly_name', 'a\0b', 'must not contain a null character'],
      ['url', '', 'must not be empty'],
      ['url', `https://example.com/${'a'.repeat(2_029)}`, 'must have at most 2048 characters'],
      ['type', 'tcp', 'must be http or ping'],
      ['type', 'HTTP', 'must be http or ping'],
      ['type', '', 'must be http or ping'],
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
      ['id', '7', 'is not a field of this request'],
      ['user_id', '7', 'is not a field of this request'],
      ['status', 'up', 'is not a field of this request'],
      ['last_error', 'none', 'is not a field of this request'],
      ['http_headers', 'x', 'is not a field of this request'],
      ['constructor', 'x', 'is not a field of this request'],
    ])('refuses %s %j', async (field, sent, fault) => {
      const before = await countAll()
      const answer = await create({ [field]: sent })
      expect(answer.status).toBe(422)
      expect(answer.body.code).toBe('validation_failed')
      expect(answer.body.errors).toEqual({ [field]: [`\`${field}\` ${fault}.`] })
      expect(await countAll()).toBe(before)
    })

    it.each([
      ['interval 5', { interval: '5' }, 5],
      ['interval 9', { interval: '9' }, 9],
      ['interval 10', { interval: '10' }, 10],
      ['interval 86400', { interval: '86400' }, 10],
      ['timeout 5 and interval 5', { interval: '5', timeout: '5' }, 5],
      ['timeout 60 and interval 61', { interval: '61', timeout: '60' }, 60],
    ])('with %s has a timeout of its own or the shorter of 10 and the interval', async (_what, sent, timeout) => {
      expect((await create(sent)).body.data.timeout).toBe(timeout)
    })

    it('refuses a timeout above the interval', async () => {
      const answer = await create({ interval: '30', timeout: '31' })
      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual({ timeout: ['`timeout` must not be above the interval (30).'] })
    })
  })

  it('takes real numbers, booleans, and null for an unset timeout and plain http', async () => {
    const sent = { interval: 7, timeout: null, retries: 0, is_active: 0, http: null }
    const answer = await postMonitor(key, sent)
    expect(answer.body.data).toMatchObject({ ...sent, timeout: 7, is_active: false, http: plainHttp })
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
  ])('refuses %s %j', async (field, value) => {
    const answer = await postMonitor(key, { [field]: value })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([field])
  })

  it('names everything that is missing or wrong at once', async () => {
    const missing = await key.post(path, {})
    expect(missing.body.errors).toEqual({
      friendly_name: ['`friendly_name` is required.'],
      url: ['`url` is required.'],
    })
    const http = { headers: { 'a b': 'x' }, expected_status: '2xx', keyword: 'a', keyword_absent: 'b' }
    const wrong = await key.post(path, { friendly_name: ' ', url: 'ftp://x', interval: 5, timeout: 6, http })
    expect(Object.keys(wrong.body.errors).sort()).toEqual([
      'friendly_name',
      'http.expected_status',
      'http.headers',
      'http.keyword_absent',
      'timeout',
      'url',
    ])
  })

  it('refuses a field that is sent twice', async () => {
    const answer = await key.call('POST', path, { form: { friendly_name: ['a', 'b'], url: 'https://example.com/' } })
    expect(answer.body.errors).toEqual({ friendly_name: ['`friendly_name` must be a string.'] })
  })
})
