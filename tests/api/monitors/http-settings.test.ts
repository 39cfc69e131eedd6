import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import {
  createMonitor,
  defaultHttpSettings,
  getMonitor,
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

/** The requests that can contain settings: one creates a monitor, the other changes one. */
const requests: [string, (http: unknown) => ReturnType<typeof postMonitor>][] = [
  ['POST', (http) => postMonitor(keyClient, { http })],
  [
    'PATCH',
    async (http) =>
      keyClient.call('PATCH', `${monitorsPath}/${(await createMonitor(keyClient)).id}`, { json: { http } }),
  ],
]

describe.each(requests)('http settings in a %s request', (_method, send) => {
  it.each([
    ['method', 'HEAD', 'HEAD'],
    ['method', 'POST', 'POST'],
    ['method', 'PUT', 'PUT'],
    ['method', 'PATCH', 'PATCH'],
    ['method', 'DELETE', 'DELETE'],
    ['method', 'OPTIONS', 'OPTIONS'],
    ['body', '', ''],
    ['body', 'ü\r\n'.repeat(10), 'ü\r\n'.repeat(10)],
    ['body', 'b'.repeat(65_536), 'b'.repeat(65_536)],
    ['body', null, null],
    ['expected_status', '200', '200'],
    ['expected_status', ' 200 - 299 , 301', '200-299,301'],
    ['expected_status', `${'200,'.repeat(49)}599`, `${'200,'.repeat(49)}599`],
    ['keyword', 'W', 'W'],
    ['keyword', '🔔'.repeat(1_000), '🔔'.repeat(1_000)],
    ['keyword', null, null],
    ['keyword_absent', 'Fatal "error" \\ \'', 'Fatal "error" \\ \''],
    ['keyword_absent', 'k'.repeat(1_000), 'k'.repeat(1_000)],
    ['follow_redirects', false, false],
    ['follow_redirects', '0', false],
    ['verify_tls', 'false', false],
    ['verify_tls', 1, true],
    ['headers', null, {}],
    ['headers', {}, {}],
  ])('can have %s %j', async (field, sentValue, storedValue) => {
    const { body } = await send({ [field]: sentValue })
    expect(body.data.http).toEqual({ ...defaultHttpSettings, [field]: storedValue })
    expect(await getMonitor(keyClient, body.data.id)).toEqual(body.data)
  })

  it.each([
    ['method', 'TRACE', 'must be one of GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS'],
    ['method', 'get', 'must be one of GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS'],
    ['body', 'b'.repeat(65_537), 'must have at most 65536 characters'],
    ['body', { a: 1 }, 'must be a string or null'],
    ['body', 'a\0b', 'must not contain a null character'],
    ['expected_status', '', 'must not be empty'],
    ['expected_status', '2xx', 'must be status codes from 100 to 599, such as 200-299,301'],
    ['expected_status', '200-600', 'must be status codes from 100 to 599, such as 200-299,301'],
    ['expected_status', `${'200,'.repeat(50)}599`, 'must have at most 200 characters'],
    ['expected_status', 200, 'must be a string'],
    ['keyword', '', 'must not be empty'],
    ['keyword', 'k'.repeat(1_001), 'must have at most 1000 characters'],
    ['keyword_absent', '', 'must not be empty'],
    ['keyword_absent', 'k'.repeat(1_001), 'must have at most 1000 characters'],
    ['follow_redirects', 'yes', 'must be true or false'],
    ['verify_tls', null, 'must be true or false'],
    ['proxy', 'x', 'is not a known field'],
  ])('cannot have %s %j', async (field, sentValue, fault) => {
    const response = await send({ [field]: sentValue })
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual({ [`http.${field}`]: [`\`http.${field}\` ${fault}.`] })
  })

  it('cannot have both keyword and keyword_absent', async () => {
    const response = await send({ keyword: 'Welcome', keyword_absent: 'Error' })
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual(['http.keyword_absent'])
    expect((await send({ keyword: 'Welcome', keyword_absent: null })).body.data.http.keyword).toBe('Welcome')
  })

  it.each(['keyword', 'keyword_absent'])('cannot have %s with the method HEAD', async (field) => {
    const response = await send({ method: 'HEAD', [field]: 'Welcome' })
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual(['http.method'])
    expect((await send({ method: 'HEAD', [field]: null })).status).toBeLessThan(300)
  })

  it('are the defaults if they are empty or null', async () => {
    expect((await send({})).body.data.http).toEqual(defaultHttpSettings)
    expect((await send(null)).body.data.http).toEqual(defaultHttpSettings)
  })
})

describe('existing http settings', () => {
  const settings = {
    ...defaultHttpSettings,
    method: 'POST',
    body: 'x',
    expected_status: '204',
    keyword: 'ok',
    verify_tls: false,
  }
  const createWithSettings = async () => (await createMonitor(keyClient, { http: settings })).id
  const update = async (id: number, fields: object) => keyClient.put(`${monitorsPath}/${id}`, fields)

  it('keep fields that are not sent', async () => {
    const id = await createWithSettings()
    expect((await update(id, { http: { expected_status: '200' } })).body.data.http).toEqual({
      ...settings,
      expected_status: '200',
    })
    expect((await update(id, { http: { keyword: null, keyword_absent: 'bad' } })).body.data.http).toEqual({
      ...settings,
      expected_status: '200',
      keyword: null,
      keyword_absent: 'bad',
    })
    expect((await update(id, { http: {} })).body.data.http.keyword_absent).toBe('bad')
    expect((await update(id, { retries: 1 })).body.data.http.keyword_absent).toBe('bad')
  })

  it('are reset to the defaults by null', async () => {
    expect((await update(await createWithSettings(), { http: null })).body.data.http).toEqual(defaultHttpSettings)
  })

  it.each([
    ['keyword_absent', { keyword_absent: 'bad' }],
    ['method', { method: 'HEAD' }],
  ])('are validated together with a new %s', async (field, http) => {
    const id = await createWithSettings()
    const response = await update(id, { friendly_name: 'Changed', http })
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual([`http.${field}`])
    expect(await getMonitor(keyClient, id)).toMatchObject({ friendly_name: 'Shop', http: settings })
  })
})

describe('a monitor of type ping', () => {
  const pingMonitor = { type: 'ping', url: 'example.com' }

  it('cannot have http settings, not even empty ones', async () => {
    const { id } = await createMonitor(keyClient, pingMonitor)
    for (const http of [{}, { method: 'GET' }]) {
      for (const response of [
        await postMonitor(keyClient, { ...pingMonitor, http }),
        await keyClient.put(`${monitorsPath}/${id}`, { http }),
      ]) {
        expect(response.status).toBe(422)
        expect(response.body.errors).toEqual({ http: ['`http` is only allowed for type http.'] })
      }
    }
  })

  it('can have null as http settings', async () => {
    const { id, http } = await createMonitor(keyClient, { ...pingMonitor, http: null })
    expect(http).toBe(null)
    expect((await keyClient.put(`${monitorsPath}/${id}`, { http: null })).body.data.http).toBe(null)
  })
})
