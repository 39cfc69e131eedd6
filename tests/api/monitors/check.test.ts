/** Manual checks of monitors, and trial checks of targets that are not saved. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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
  monitoring = await startMonitorFixture({ env: { BELFRY_PRIVATE_TARGETS: 'allow' } })
})
afterAll(async () => {
  await monitoring.server.close()
  await target.close()
})
beforeEach(() => target.respondWith(200, 'Welcome'))

const createTestMonitor = (fields: object = {}) =>
  createMonitor(monitoring.keyClient, { url: target.address, ...fields })
const check = (id: number) => monitoring.keyClient.post(`${monitorsPath}/${id}/check`)
const runTrial = (fields: object) =>
  monitoring.keyClient.post(`${monitorsPath}/try`, { url: target.address, ...fields })

const unmeasuredFields = {
  dns_ms: null,
  tls_ms: null,
  packet_loss: null,
  tls_expires_at: null,
  domain_expires_at: null,
}

describe('a manual check', () => {
  it('returns its result, and counts like a scheduled check', async () => {
    const { id } = await createTestMonitor()
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
      ...unmeasuredFields,
    })
    expect(await getMonitor(monitoring.keyClient, id)).toMatchObject({
      status: 'up',
      last_response_ms: body.data.response_ms,
      last_checked_at: body.data.checked_at,
    })
    expect(await readRows(monitoring.server, 'checks', id)).toHaveLength(1)
  })

  it('of a long response succeeds, and says which part it searched for a forbidden text', async () => {
    target.respondWith(200, 'x'.repeat(1_100_000))
    const { id } = await createTestMonitor({ http: { keyword_absent: 'Fatal' } })
    const detail = 'Only the first MiB of the response was searched for "Fatal"'
    expect((await check(id)).body.data).toMatchObject({ ok: true, status: 'up', cause: null, detail })
    expect((await check(id)).body.data).toMatchObject({ ok: true, status: 'up', cause: null, detail })
    expect(await getMonitor(monitoring.keyClient, id)).toMatchObject({ status: 'up', last_error: null })
    const { body } = await monitoring.keyClient.get(`${monitorsPath}/${id}/checks`)
    expect(body.meta.recent).toMatchObject([
      { ok: true, detail },
      { ok: true, detail },
    ])
  })

  it('requested with a revoked key abandons no claims of other checks', async () => {
    const { server, owner } = monitoring
    const { id } = await createTestMonitor()
    await check(id)
    const revokedKey = await owner.withKey('monitors:write')
    await revokedKey.get('/api/keys')
    await server.services.db.query('delete from api_keys where id = $1', [revokedKey.keyId])
    const listNodeIds = () => server.services.db.query('select id from nodes order by id')
    const nodeIds = await listNodeIds()
    expect((await revokedKey.post(`${monitorsPath}/${id}/check`)).status).toBe(401)
    expect(await listNodeIds()).toEqual(nodeIds)
  })

  it('that fails can confirm an outage', async () => {
    target.respondWith(503, 'no')
    const { id } = await createTestMonitor({ retries: 1 })
    expect((await check(id)).body.data).toMatchObject({
      status: 'pending',
      ok: false,
      cause: 'http_status',
      http_status: 503,
      detail: 'Status 503, expected 200–399',
    })
    // An immediate second check does not confirm the outage.
    expect((await check(id)).body.data).toMatchObject({ status: 'pending', ok: false })
    monitoring.server.clock.advance({ seconds: 5 })
    expect((await check(id)).body.data).toMatchObject({ status: 'down', ok: false })
    expect((await monitoring.keyClient.get(`${monitorsPath}/${id}/incidents`)).body.data).toHaveLength(1)
    target.respondWith(200, 'ok')
    expect((await check(id)).body.data).toMatchObject({ status: 'up', ok: true })
  })

  it('of a paused monitor returns its result and changes nothing', async () => {
    const pausedMonitor = await createTestMonitor({ is_active: false })
    expect((await check(pausedMonitor.id)).body.data).toMatchObject({ status: 'paused', ok: true })
    expect(await getMonitor(monitoring.keyClient, pausedMonitor.id)).toEqual(pausedMonitor)
    expect(await readRows(monitoring.server, 'checks', pausedMonitor.id)).toEqual([])
  })

  it('sends secret headers', async () => {
    const { id } = await createTestMonitor({ http: { headers: { 'X-Secret': 'a long secret' } } })
    await check(id)
    expect(target.received.at(-1)?.headers['x-secret']).toBe('a long secret')
  })

  it.each([{ is_active: true }, { url: 'x' }])('rejects any field: %j', async (json) => {
    const { id } = await createTestMonitor()
    expect((await monitoring.keyClient.post(`${monitorsPath}/${id}/check`, json)).status).toBe(422)
  })
})

describe('a target that is not saved', () => {
  it('is checked like a monitor, and nothing is stored', async () => {
    const countMonitors = async () => (await monitoring.keyClient.get(monitorsPath)).body.meta.total
    const countBefore = await countMonitors()
    const { status, body } = await runTrial({ http: { keyword: 'Welcome' } })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ ok: true, http_status: 200 })
    expect(body.data).not.toHaveProperty('monitor_id')
    expect(await countMonitors()).toBe(countBefore)
  })

  it('reports why the check failed', async () => {
    const { body } = await runTrial({ http: { keyword: 'Goodbye' } })
    expect(body.data).toMatchObject({ ok: false, cause: 'keyword', detail: expect.stringContaining('"Goodbye"') })
  })

  it('accepts all fields of a new monitor', async () => {
    const allFields = { friendly_name: 'Shop', interval: 30, retries: 1, remind_every: 5, timeout: 5, is_active: true }
    expect((await runTrial(allFields)).body.data.ok).toBe(true)
  })

  it.each([
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ timeout: 61 }, 'timeout'],
    [{ http: { expected_status: 'fine' } }, 'http.expected_status'],
    [{ nothing: 1 }, 'nothing'],
  ])('has the same validation as a monitor: %j', async (fields, field) => {
    const { status, body } = await runTrial(fields)
    expect(status).toBe(422)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('too many manual checks', () => {
  it('get status 429, without affecting other users', async () => {
    const busyKeyClient = await (await monitoring.server.createUser('busy')).withKey('monitors:write')
    const statuses = []
    for (let n = 0; n < 61; n++)
      statuses.push((await busyKeyClient.post(`${monitorsPath}/try`, { url: target.address })).status)
    expect(new Set(statuses.slice(0, 60))).toEqual(new Set([200]))
    const rejectedResponse = await busyKeyClient.post(`${monitorsPath}/try`, { url: target.address })
    expect(rejectedResponse.status).toBe(429)
    expect(Number(rejectedResponse.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await runTrial({})).status).toBe(200)
  })
})

describe('a target on a private address', () => {
  it('is blocked, and the detail names the setting that allows it', async () => {
    const strictFixture = await startMonitorFixture()
    const { id } = await createMonitor(strictFixture.keyClient, { url: target.address, retries: 0 })
    const requestCountBefore = target.received.length
    const { body } = await strictFixture.keyClient.post(`${monitorsPath}/${id}/check`)
    expect(body.data).toMatchObject({
      status: 'down',
      ok: false,
      cause: 'blocked',
      detail: expect.stringContaining('BELFRY_PRIVATE_TARGETS'),
    })
    expect(target.received).toHaveLength(requestCountBefore)
    await strictFixture.server.close()
  })
})
