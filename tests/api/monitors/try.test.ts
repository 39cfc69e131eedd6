/** POST /api/monitors/try: checks a new target or a changed monitor before it is saved. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findPingCommand } from '../../../src/checker/probes/ping/commands.ts'
import { toSingleRange } from '../../../src/shared/refusal-text.ts'
import { expectMissingScope } from '../../support/access.ts'
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts'
import {
  createMonitor,
  getMonitor,
  type MonitorFixture,
  monitorsPath,
  readRows,
  startMonitorFixture,
} from '../../support/monitors.ts'

let monitoring: MonitorFixture
let target: HttpReceiver

beforeAll(async () => {
  target = await startHttpReceiver()
  // Other addresses of this machine, such as ::1, stay blocked.
  monitoring = await startMonitorFixture({ env: { BELFRY_PRIVATE_TARGETS: '127.0.0.1' } })
})
afterAll(async () => {
  await monitoring.server.close()
  await target.close()
})
beforeEach(() => {
  target.received.length = 0
  target.respondWith(200, 'Welcome')
})

const runTrial = (fields: object) => monitoring.keyClient.post(`${monitorsPath}/try`, fields)
const getLastRequest = () => target.received.at(-1)

const secrets = { Authorization: 'Bearer abcdef', 'X-Pin': '1234' }
const createWithSecrets = (fields: object = {}) =>
  createMonitor(monitoring.keyClient, { url: `${target.address}/kept`, http: { headers: secrets }, ...fields })

describe('a target that is not saved', () => {
  it('is requested with its http settings', async () => {
    target.respondWith(302, 'moved', { location: '/elsewhere' })
    const http = {
      method: 'POST',
      headers: { 'X-Token': 'abc' },
      body: '{"ping": true}',
      expected_status: '302',
      keyword_absent: 'Fatal',
      follow_redirects: false,
      verify_tls: false,
    }
    const { body } = await runTrial({ url: `${target.address}/new`, timeout: 5, http })
    expect(body.data).toMatchObject({ ok: true, http_status: 302 })
    expect(target.received).toMatchObject([
      { method: 'POST', path: '/new', body: '{"ping": true}', headers: { 'x-token': 'abc' } },
    ])
  })

  it('is tested with its JSON assertions', async () => {
    target.respondWith(200, { status: 'degraded' })
    const json = [{ path: '$.status', op: 'equals', value: 'ok' }]
    const { body } = await runTrial({ url: target.address, http: { json } })
    const detail = '$.status is "degraded", expected "ok"'
    expect(body.data).toMatchObject({ ok: false, cause: 'json', detail, http_status: 200 })
    const invalidPathResponse = await runTrial({ url: target.address, http: { json: [{ path: '$.', op: 'exists' }] } })
    expect([invalidPathResponse.status, invalidPathResponse.body.errors]).toEqual([
      422,
      { 'http.json.0.path': ['`http.json.0.path` must be a complete JSONPath: it ends too early.'] },
    ])
  })

  it('fails if the response takes longer than its limit, which must not exceed the timeout', async () => {
    target.handleWith((response) => setTimeout(() => response.end('Welcome'), 20))
    const { body } = await runTrial({ url: target.address, http: { max_response_ms: 5 } })
    const detail = expect.stringMatching(/^Response took \d+ ms, expected at most 5 ms$/)
    expect(body.data).toMatchObject({ ok: false, cause: 'slow', detail, http_status: 200 })
    const limitAboveTimeout = await runTrial({ url: target.address, timeout: 5, http: { max_response_ms: 5_001 } })
    expect([limitAboveTimeout.status, limitAboveTimeout.body.errors]).toEqual([
      422,
      { 'http.max_response_ms': ['`http.max_response_ms` must not be greater than `timeout` (5000 ms).'] },
    ])
  })

  it('requires a URL', async () => {
    const { status, body } = await runTrial({ http: { keyword: 'Welcome' } })
    expect([status, body.errors]).toEqual([422, { url: ['`url` is required.'] }])
  })
})

describe('a change that is not saved', () => {
  it('uses the stored values of headers if only the last characters of the values are sent', async () => {
    const monitor = await createWithSecrets()
    const headers = { ...monitor.http?.headers, 'X-New': 'brand new one' }
    const { status, body } = await runTrial({ monitor_id: monitor.id, http: { headers } })
    expect([status, body.data.ok]).toEqual([200, true])
    expect(getLastRequest()?.headers).toMatchObject({
      authorization: 'Bearer abcdef',
      'x-pin': '1234',
      'x-new': 'brand new one',
    })
  })

  it('does not send removed headers, and sends new values', async () => {
    const { id } = await createWithSecrets()
    await runTrial({ monitor_id: id, http: { headers: { Authorization: 'Bearer other' } } })
    expect(getLastRequest()?.headers.authorization).toBe('Bearer other')
    expect(getLastRequest()?.headers).not.toHaveProperty('x-pin')
  })

  it('uses the monitor’s settings for fields that are not sent', async () => {
    const { id } = await createWithSecrets({
      http: { method: 'PUT', body: 'kept', headers: secrets, keyword: 'Welcome' },
    })
    const { body } = await runTrial({ monitor_id: id, url: `${target.address}/other`, http: { keyword: 'Goodbye' } })
    expect(body.data).toMatchObject({ ok: false, cause: 'keyword' })
    expect(getLastRequest()).toMatchObject({
      method: 'PUT',
      path: '/other',
      body: 'kept',
      headers: { authorization: 'Bearer abcdef' },
    })
  })

  it('stores nothing and reveals no secret', async () => {
    const monitorBefore = await createWithSecrets()
    target.handleWith((response, { headers }) => response.writeHead(503).end(headers.authorization))
    const { text } = await runTrial({
      monitor_id: monitorBefore.id,
      friendly_name: 'Other',
      http: { expected_status: '200' },
    })
    expect(text).not.toContain('abcdef')
    expect(await getMonitor(monitoring.keyClient, monitorBefore.id)).toEqual(monitorBefore)
    expect(await readRows(monitoring.server, 'checks', monitorBefore.id)).toEqual([])
  })

  it('requires only the id of the monitor, even if it is paused', async () => {
    const { id } = await createWithSecrets({ is_active: false })
    expect((await runTrial({ monitor_id: id })).body.data.ok).toBe(true)
    expect(getLastRequest()?.path).toBe('/kept')
  })

  it.each([
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ type: 'ping', http: { keyword: 'x' } }, 'http'],
    [{ timeout: 31 }, 'timeout'],
    [{ http: { headers: { 'X-Pin': null } } }, 'http.headers.X-Pin'],
    [{ http: { method: 'HEAD' } }, 'http.method'],
  ])('has the same validation as a saved change: %j', async (fields, field) => {
    const { id } = await createWithSecrets({ interval: 30, http: { keyword: 'Welcome' } })
    const trialResponse = await runTrial({ monitor_id: id, ...fields })
    expect([trialResponse.status, Object.keys(trialResponse.body.errors)]).toEqual([422, [field]])
    const changeResponse = await monitoring.keyClient.put(`${monitorsPath}/${id}`, fields)
    expect(changeResponse.body.errors).toEqual(trialResponse.body.errors)
  })

  it('of another user’s monitor is rejected like a change of an unknown monitor', async () => {
    const stranger = await monitoring.server.createUser('stranger')
    const { id } = await createMonitor(stranger.session, {
      url: `${target.address}/theirs`,
      http: { headers: secrets },
    })
    const sentence = '`monitor_id` is not one of your monitors.'
    for (const monitor_id of [id, 999_999]) {
      const { status, body } = await runTrial({ monitor_id, url: `${target.address}/` })
      expect([status, body.errors]).toEqual([422, { monitor_id: [sentence] }])
    }
    expect(target.received).toEqual([])
  })

  it('requires monitors:write', async () => {
    const { id } = await createWithSecrets()
    const keyClientWithoutScope = await monitoring.owner.withKey('monitors:read', 'providers:write')
    expectMissingScope(await keyClientWithoutScope.post(`${monitorsPath}/try`, { monitor_id: id }), 'monitors:write')
  })
})

describe('a private address', () => {
  const createBlockedDetail = (address: string, kind: string) =>
    `${address} is ${kind}. Belfry connects to it only if BELFRY_PRIVATE_TARGETS contains ${toSingleRange(address)}`

  async function expectBlocked(fields: object, detail: string): Promise<void> {
    const trialResponse = await runTrial(fields)
    expect(trialResponse.body.data).toMatchObject({ ok: false, cause: 'blocked', detail })
    const { id } = await createMonitor(monitoring.keyClient, { retries: 0, ...fields })
    const checkResponse = await monitoring.keyClient.post(`${monitorsPath}/${id}/check`)
    expect(checkResponse.body.data).toMatchObject({ ok: false, cause: 'blocked', detail, status: 'down' })
    expect((await getMonitor(monitoring.keyClient, id)).last_error).toBe(detail)
  }

  it('is blocked in trials and checks, and the detail names the setting that allows it', async () => {
    await expectBlocked({ url: 'http://127.0.0.2:1/' }, createBlockedDetail('127.0.0.2', 'a loopback address'))
    await expectBlocked({ url: 'http://10.1.2.3/' }, createBlockedDetail('10.1.2.3', 'a private address'))
    await expectBlocked({ url: 'http://[::1]:1/' }, createBlockedDetail('::1', 'a loopback address'))
  })

  it('is blocked for pings with the same detail', async ({ skip }) => {
    if ('unavailable' in (await findPingCommand())) skip('this machine cannot ping')
    await expectBlocked({ url: '10.1.2.3', type: 'ping' }, createBlockedDetail('10.1.2.3', 'a private address'))
  })

  it('is blocked if a redirect leads to it', async () => {
    target.respondWith(302, '', { location: 'http://192.168.7.7/' })
    await expectBlocked({ url: target.address }, createBlockedDetail('192.168.7.7', 'a private address'))
  })
})
