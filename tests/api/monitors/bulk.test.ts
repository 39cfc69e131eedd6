import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { createMonitor, getMonitor, path, readRows, setVerdict, startMonitoring } from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let key: Client
let stranger: Client
/** Ids of monitors. */
let up: number
let down: number
let paused: number
let foreign: number
const unknown = 999_999

beforeAll(async () => {
  ;({ server, key } = await startMonitoring())
  stranger = (await server.person('stranger')).session
})
afterAll(() => server.close())
beforeEach(async () => {
  up = (await createMonitor(key)).id
  down = (await createMonitor(key)).id
  paused = (await createMonitor(key, { is_active: false })).id
  foreign = (await createMonitor(stranger)).id
  await setVerdict(server, up, 'up')
  await setVerdict(server, down, 'down')
  await setVerdict(server, foreign, 'down')
  server.clock.advance({ minutes: 5 })
})

const send = (action: string, ids: unknown) => key.post(`${path}/bulk`, { action, ids })
const show = (id: number) => getMonitor(key, id)
const countAll = async () => (await key.get(path)).body.meta.total

describe('POST /api/monitors/bulk', () => {
  it('pauses monitors, and closes their incidents and watches', async () => {
    const before = await show(paused)
    const response = await send('pause', [down, up, paused])
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ data: { action: 'pause', ids: [down, up, paused], not_found: [] } })
    const now = server.clock.now()
    for (const id of [up, down]) {
      const changed = { status_changed_at: now.toISOString(), updated_at: now.toISOString() }
      expect(await show(id)).toMatchObject({ is_active: false, status: 'paused', ...changed })
      expect(await readRows(server, 'watches', id)).toMatchObject([{ ended_at: now }])
    }
    expect(await readRows(server, 'incidents', down)).toMatchObject([{ resolved_at: now, resolution: 'paused' }])
    expect(await show(paused)).toEqual(before)
  })

  it('resumes paused monitors, and does not change active ones', async () => {
    const [runs, fails] = [await show(up), await show(down)]
    const response = await send('resume', [up, down, paused])
    expect(response.body.data).toEqual({ action: 'resume', ids: [up, down, paused], not_found: [] })
    const now = server.clock.now().toISOString()
    const resumed = { is_active: true, status: 'pending', status_changed_at: now, updated_at: now }
    expect(await show(paused)).toMatchObject(resumed)
    expect([await show(up), await show(down)]).toEqual([runs, fails])
    expect(await readRows(server, 'incidents', down)).toMatchObject([{ resolved_at: null }])
    expect(await readRows(server, 'watches', up)).toMatchObject([{ ended_at: null }])
  })

  it('deletes monitors with their data', async () => {
    const before = await countAll()
    const response = await send('delete', [up, down])
    expect(response.body.data).toEqual({ action: 'delete', ids: [up, down], not_found: [] })
    expect(await countAll()).toBe(before - 2)
    for (const table of ['incidents', 'watches', 'monitor_states']) {
      expect(await readRows(server, table, down)).toEqual([])
    }
    expect((await send('delete', [up, down])).body.data).toEqual({ action: 'delete', ids: [], not_found: [up, down] })
    expect(await countAll()).toBe(before - 2)
  })

  it.each(['pause', 'resume', 'delete'])(
    'lists ids that are not found and does not change those monitors: %s',
    async (action) => {
      const before = await getMonitor(stranger, foreign)
      const response = await send(action, [unknown, up, foreign, Number.MAX_SAFE_INTEGER])
      expect(response.status).toBe(200)
      const data = { action, ids: [up], not_found: [unknown, foreign, Number.MAX_SAFE_INTEGER] }
      expect(response.body.data).toEqual(data)
      expect(await getMonitor(stranger, foreign)).toEqual(before)
      expect(await readRows(server, 'incidents', foreign)).toMatchObject([{ resolved_at: null }])
      expect(await readRows(server, 'watches', foreign)).toMatchObject([{ ended_at: null }])
    },
  )

  it('does not change other monitors', async () => {
    const before = await show(down)
    await send('pause', [up])
    expect(await show(down)).toEqual(before)
    expect(await readRows(server, 'incidents', down)).toMatchObject([{ resolved_at: null }])
  })

  it('ignores repeated ids', async () => {
    const response = await send('pause', [up, unknown, up, unknown, `${up}`])
    expect(response.body.data).toEqual({ action: 'pause', ids: [up], not_found: [unknown] })
  })

  it.each([
    ['one id', { ids: '{up}', action: 'pause' }, ['{up}']],
    ['several ids', { ids: ['{up}', '{down}'], action: 'pause' }, ['{up}', '{down}']],
  ])('accepts a form with %s', async (_case, form, expected) => {
    const fill = (text: string) => text.replace('{up}', String(up)).replace('{down}', String(down))
    const ids = [form.ids].flat().map(fill)
    const response = await key.call('POST', `${path}/bulk`, { form: { ids, action: form.action } })
    expect(response.body.data.ids).toEqual(expected.map(fill).map(Number))
  })

  it('accepts 1,000 ids', async () => {
    const ids = [up, ...Array.from({ length: 999 }, (_, n) => unknown + n)]
    const data = { action: 'pause', ids: [up], not_found: ids.slice(1) }
    expect((await send('pause', ids)).body.data).toEqual(data)
    const form = { ids: ids.map(String), action: 'pause' }
    expect((await key.call('POST', `${path}/bulk`, { form })).body.data).toEqual(data)
    form.ids.push('7')
    expect((await key.call('POST', `${path}/bulk`, { form })).body.errors).toHaveProperty('ids')
  })

  it.each([
    ['no ids', 'pause', [], 'ids', 'must not be empty'],
    ['1,001 ids', 'pause', Array.from({ length: 1_001 }, (_, n) => n + 1), 'ids', 'must have at most 1000 entries'],
    ['null', 'pause', null, 'ids', 'must be a list'],
    ['a single id instead of a list', 'pause', 5, 'ids', 'must be a list'],
    ['the id 0', 'pause', [0], 'ids.0', 'must be at least 1'],
    ['the id -1', 'pause', [7, -1], 'ids.1', 'must be at least 1'],
    ['an id that is not a number', 'pause', ['x'], 'ids.0', 'must be a whole number'],
    ['an id with decimals', 'pause', [1.5], 'ids.0', 'must be a whole number'],
    ['an id that is too large', 'pause', [2 ** 53], 'ids.0', 'must be at most 9007199254740991'],
    ['another action', 'stop', [1], 'action', 'must be pause, resume or delete'],
    ['no action', '', [1], 'action', 'must be pause, resume or delete'],
  ])('rejects %s', async (_case, action, ids, field, fault) => {
    const response = await send(action, ids)
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual({ [field]: [`\`${field}\` ${fault}.`] })
  })

  it('rejects missing and unknown fields', async () => {
    const response = await key.post(`${path}/bulk`, { all: true })
    expect(Object.keys(response.body.errors).sort()).toEqual(['action', 'all', 'ids'])
  })

  it('handles concurrent requests for the same monitors in different orders', async () => {
    const ids = [up, down, paused]
    for (let round = 0; round < 5; round++) {
      const requests = ['pause', 'resume', 'pause', 'resume'].map((action, n) =>
        send(action, n % 2 ? ids : ids.toReversed()),
      )
      expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    }
    await Promise.all([send('delete', ids), send('pause', ids.toReversed()), send('delete', ids.toReversed())])
    expect((await send('resume', ids)).body.data.not_found).toEqual(ids)
  })
})
