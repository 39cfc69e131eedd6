/** POST /api/monitors/try: a new target, or a change of a monitor, before it is saved. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findPingCommand } from '../../../src/checker/probes/ping/commands.ts'
import { expectMissingScope } from '../../support/access.ts'
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts'
import { type Monitoring, makeMonitor, path, rowsOf, showMonitor, startMonitoring } from '../../support/monitors.ts'

let monitoring: Monitoring
let target: HttpReceiver

beforeAll(async () => {
  target = await startHttpReceiver()
  // Not ::1, nor the rest of this machine.
  monitoring = await startMonitoring({ env: { BELFRY_PRIVATE_TARGETS: '127.0.0.1' } })
})
afterAll(async () => {
  await monitoring.server.close()
  await target.close()
})
beforeEach(() => {
  target.received.length = 0
  target.respondWith(200, 'Welcome')
})

const tryOut = (fields: object) => monitoring.key.post(`${path}/try`, fields)
const asked = () => target.received.at(-1)

const secrets = { Authorization: 'Bearer abcdef', 'X-Pin': '1234' }
const makeSecret = (fields: object = {}) =>
  makeMonitor(monitoring.key, { url: `${target.address}/kept`, http: { headers: secrets }, ...fields })

describe('a target that is not saved', () => {
  it('is asked as its http options say', async () => {
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
    const { body } = await tryOut({ url: `${target.address}/new`, timeout: 5, http })
    expect(body.data).toMatchObject({ ok: true, http_status: 302 })
    expect(target.received).toMatchObject([
      { method: 'POST', path: '/new', body: '{"ping": true}', headers: { 'x-token': 'abc' } },
    ])
  })

  it('needs a url', async () => {
    const { status, body } = await tryOut({ http: { keyword: 'Welcome' } })
    expect([status, body.errors]).toEqual([422, { url: ['`url` is required.'] }])
  })
})

describe('a change that is not saved', () => {
  it('is tried with the kept values of headers that come back by their ends', async () => {
    const monitor = await makeSecret()
    const headers = { ...monitor.http?.headers, 'X-New': 'brand new one' }
    const { status, body } = await tryOut({ monitor_id: monitor.id, http: { headers } })
    expect([status, body.data.ok]).toEqual([200, true])
    expect(asked()?.headers).toMatchObject({
      authorization: 'Bearer abcdef',
      'x-pin': '1234',
      'x-new': 'brand new one',
    })
  })

  it('leaves out headers that are left out, and takes new values', async () => {
    const { id } = await makeSecret()
    await tryOut({ monitor_id: id, http: { headers: { Authorization: 'Bearer other' } } })
    expect(asked()?.headers.authorization).toBe('Bearer other')
    expect(asked()?.headers).not.toHaveProperty('x-pin')
  })

  it('has what is not sent as the monitor has it', async () => {
    const { id } = await makeSecret({ http: { method: 'PUT', body: 'kept', headers: secrets, keyword: 'Welcome' } })
    const { body } = await tryOut({ monitor_id: id, url: `${target.address}/other`, http: { keyword: 'Goodbye' } })
    expect(body.data).toMatchObject({ ok: false, cause: 'keyword' })
    expect(asked()).toMatchObject({
      method: 'PUT',
      path: '/other',
      body: 'kept',
      headers: { authorization: 'Bearer abcdef' },
    })
  })

  it('keeps nothing, and shows no secret', async () => {
    const before = await makeSecret()
    target.handleWith((response, { headers }) => response.writeHead(503).end(headers.authorization))
    const { text } = await tryOut({ monitor_id: before.id, friendly_name: 'Other', http: { expected_status: '200' } })
    expect(text).not.toContain('abcdef')
    expect(await showMonitor(monitoring.key, before.id)).toEqual(before)
    expect(await rowsOf(monitoring.server, 'checks', before.id)).toEqual([])
  })

  it('needs nothing but the monitor, also where that is paused', async () => {
    const { id } = await makeSecret({ is_active: false })
    expect((await tryOut({ monitor_id: id })).body.data.ok).toBe(true)
    expect(asked()?.path).toBe('/kept')
  })

  it.each([
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ type: 'ping', http: { keyword: 'x' } }, 'http'],
    [{ timeout: 31 }, 'timeout'],
    [{ http: { headers: { 'X-Pin': null } } }, 'http.headers.X-Pin'],
    [{ http: { method: 'HEAD' } }, 'http.method'],
  ])('is refused where the change would be: %j', async (fields, field) => {
    const { id } = await makeSecret({ interval: 30, http: { keyword: 'Welcome' } })
    const tried = await tryOut({ monitor_id: id, ...fields })
    expect([tried.status, Object.keys(tried.body.errors)]).toEqual([422, [field]])
    const changed = await monitoring.key.put(`${path}/${id}`, fields)
    expect(changed.body.errors).toEqual(tried.body.errors)
  })

  it('of somebody else’s monitor is refused like that of none', async () => {
    const stranger = await monitoring.server.person('stranger')
    const { id } = await makeMonitor(stranger.session, { url: `${target.address}/theirs`, http: { headers: secrets } })
    const sentence = '`monitor_id` is not one of your monitors.'
    for (const monitor_id of [id, 999_999]) {
      const { status, body } = await tryOut({ monitor_id, url: `${target.address}/` })
      expect([status, body.errors]).toEqual([422, { monitor_id: [sentence] }])
    }
    expect(target.received).toEqual([])
  })

  it('needs monitors:write', async () => {
    const { id } = await makeSecret()
    const reader = await monitoring.owner.withKey('monitors:read', 'providers:write')
    expectMissingScope(await reader.post(`${path}/try`, { monitor_id: id }), 'monitors:write')
  })
})

describe('a private address', () => {
  const refusal = (fact: string) => `${fact}. Belfry connects to it only if BELFRY_PRIVATE_TARGETS allows it`

  async function expectRefused(fields: object, detail: string): Promise<void> {
    const tried = await tryOut(fields)
    expect(tried.body.data).toMatchObject({ ok: false, cause: 'blocked', detail })
    const { id } = await makeMonitor(monitoring.key, { retries: 0, ...fields })
    const checked = await monitoring.key.post(`${path}/${id}/check`)
    expect(checked.body.data).toMatchObject({ ok: false, cause: 'blocked', detail, status: 'down' })
    expect((await showMonitor(monitoring.key, id)).last_error).toBe(detail)
  }

  it('is refused in words that name the setting, tried and checked', async () => {
    await expectRefused({ url: 'http://127.0.0.2:1/' }, refusal('127.0.0.2 is a loopback address'))
    await expectRefused({ url: 'http://10.1.2.3/' }, refusal('10.1.2.3 is a private address'))
    await expectRefused({ url: 'http://[::1]:1/' }, refusal('::1 is a loopback address'))
  })

  it('is refused for ping in the same words', async ({ skip }) => {
    if ('missing' in (await findPingCommand())) skip('this machine cannot ping')
    await expectRefused({ url: '10.1.2.3', type: 'ping' }, refusal('10.1.2.3 is a private address'))
  })

  it('is refused where a redirect resolves to it', async () => {
    target.respondWith(302, '', { location: 'http://192.168.7.7/' })
    await expectRefused({ url: target.address }, refusal('192.168.7.7 is a private address'))
  })
})
