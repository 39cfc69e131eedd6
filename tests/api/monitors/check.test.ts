/** Checks by hand: of a monitor, and of what may become one. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts'
import { type Monitoring, makeMonitor, path, rowsOf, showMonitor, startMonitoring } from '../../support/monitors.ts'

let monitoring: Monitoring
let target: HttpReceiver

beforeAll(async () => {
  target = await startHttpReceiver()
  monitoring = await startMonitoring({ env: { BELFRY_PRIVATE_TARGETS: 'allow' } })
})
afterAll(async () => {
  await monitoring.server.close()
  await target.close()
})
beforeEach(() => target.respondWith(200, 'Welcome'))

const make = (fields: object = {}) => makeMonitor(monitoring.key, { url: target.address, ...fields })
const check = (id: number) => monitoring.key.post(`${path}/${id}/check`)
const tryOut = (fields: object) => monitoring.key.post(`${path}/try`, { url: target.address, ...fields })

const nothing = { dns_ms: null, tls_ms: null, packet_loss: null, tls_expires_at: null }

describe('a check by hand', () => {
  it('answers with what it found, and counts', async () => {
    const { id } = await make()
    const { status, body } = await check(id)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      monitor_id: id,
      status: 'up',
      ok: true,
      checked_at: monitoring.server.clock.now().toISOString(),
      response_ms: expect.any(Number),
      connect_ms: expect.any(Number),
      first_byte_ms: expect.any(Number),
      http_status: 200,
      cause: null,
      detail: null,
      ...nothing,
    })
    expect(await showMonitor(monitoring.key, id)).toMatchObject({
      status: 'up',
      last_response_ms: body.data.response_ms,
      last_checked_at: body.data.checked_at,
    })
    expect(await rowsOf(monitoring.server, 'checks', id)).toHaveLength(1)
  })

  it('that fails is one of those that confirm an outage', async () => {
    target.respondWith(503, 'no')
    const { id } = await make({ retries: 1 })
    expect((await check(id)).body.data).toMatchObject({
      status: 'pending',
      ok: false,
      cause: 'http_status',
      http_status: 503,
      detail: 'Status 503, expected 200–399',
    })
    // Not by asking twice at once.
    expect((await check(id)).body.data).toMatchObject({ status: 'pending', ok: false })
    monitoring.server.clock.advance({ seconds: 5 })
    expect((await check(id)).body.data).toMatchObject({ status: 'down', ok: false })
    expect((await monitoring.key.get(`${path}/${id}/incidents`)).body.data).toHaveLength(1)
    target.respondWith(200, 'ok')
    expect((await check(id)).body.data).toMatchObject({ status: 'up', ok: true })
  })

  it('of a paused monitor tells, and changes nothing', async () => {
    const before = await make({ is_active: false })
    expect((await check(before.id)).body.data).toMatchObject({ status: 'paused', ok: true })
    expect(await showMonitor(monitoring.key, before.id)).toEqual(before)
    expect(await rowsOf(monitoring.server, 'checks', before.id)).toEqual([])
  })

  it('sends the headers that are kept secret', async () => {
    const { id } = await make({ http: { headers: { 'X-Secret': 'a long secret' } } })
    await check(id)
    expect(target.received.at(-1)?.headers['x-secret']).toBe('a long secret')
  })

  it.each([{ is_active: true }, { url: 'x' }])('takes no fields: %j', async (json) => {
    const { id } = await make()
    expect((await monitoring.key.post(`${path}/${id}/check`, json)).status).toBe(422)
  })
})

describe('a target that is not saved', () => {
  it('is checked as a monitor would be, and nothing is kept', async () => {
    const total = async () => (await monitoring.key.get(path)).body.meta.total
    const before = await total()
    const { status, body } = await tryOut({ http: { keyword: 'Welcome' } })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ ok: true, http_status: 200 })
    expect(body.data).not.toHaveProperty('monitor_id')
    expect(await total()).toBe(before)
  })

  it('says what is wrong with it', async () => {
    const { body } = await tryOut({ http: { keyword: 'Goodbye' } })
    expect(body.data).toMatchObject({ ok: false, cause: 'keyword', detail: expect.stringContaining('"Goodbye"') })
  })

  it('may be sent with everything that a new monitor has', async () => {
    const all = { friendly_name: 'Shop', interval: 30, retries: 1, remind_every: 5, timeout: 5, is_active: true }
    expect((await tryOut(all)).body.data.ok).toBe(true)
  })

  it.each([
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ timeout: 61 }, 'timeout'],
    [{ http: { expected_status: 'fine' } }, 'http.expected_status'],
    [{ nothing: 1 }, 'nothing'],
  ])('is refused where a monitor would be: %j', async (fields, field) => {
    const { status, body } = await tryOut(fields)
    expect(status).toBe(422)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('too many checks by hand', () => {
  it('are 429 for the user, and others go on', async () => {
    const busy = await (await monitoring.server.person('busy')).withKey('monitors:write')
    const statuses = []
    for (let n = 0; n < 61; n++) statuses.push((await busy.post(`${path}/try`, { url: target.address })).status)
    expect(new Set(statuses.slice(0, 60))).toEqual(new Set([200]))
    const refused = await busy.post(`${path}/try`, { url: target.address })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await tryOut({})).status).toBe(200)
  })
})

describe('a target on a private address', () => {
  it('is refused, and the refusal names the setting that opens it', async () => {
    const closed = await startMonitoring()
    const { id } = await makeMonitor(closed.key, { url: target.address, retries: 0 })
    const before = target.received.length
    const { body } = await closed.key.post(`${path}/${id}/check`)
    expect(body.data).toMatchObject({
      status: 'down',
      ok: false,
      cause: 'blocked',
      detail: expect.stringContaining('BELFRY_PRIVATE_TARGETS'),
    })
    expect(target.received).toHaveLength(before)
    await closed.server.close()
  })
})
