import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import {
  createMonitor,
  getMonitor,
  monitorsPath,
  readRows,
  setFirstStatus,
  shareMonitorFixture,
} from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let keyClient: Client
let stranger: Client
let upId: number
let downId: number
let pausedId: number
let strangersMonitorId: number
const unknownId = 999_999

beforeAll(async () => {
  ;({ server, keyClient } = await shareMonitorFixture())
  stranger = (await server.createUser('stranger')).session
})
afterAll(() => server.close())
beforeEach(async () => {
  upId = (await createMonitor(keyClient)).id
  downId = (await createMonitor(keyClient)).id
  pausedId = (await createMonitor(keyClient, { is_active: false })).id
  strangersMonitorId = (await createMonitor(stranger)).id
  await setFirstStatus(server, upId, 'up')
  await setFirstStatus(server, downId, 'down')
  await setFirstStatus(server, strangersMonitorId, 'down')
  server.clock.advance({ minutes: 5 })
})

const applyAction = (action: string, ids: unknown) => keyClient.post(`${monitorsPath}/bulk`, { action, ids })
const readMonitor = (id: number) => getMonitor(keyClient, id)
const countMonitors = async () => (await keyClient.get(monitorsPath)).body.meta.total

describe('POST /api/monitors/bulk', () => {
  it('pauses monitors, and closes their incidents and monitored periods', async () => {
    const pausedMonitorBefore = await readMonitor(pausedId)
    const response = await applyAction('pause', [downId, upId, pausedId])
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ data: { action: 'pause', ids: [downId, upId, pausedId], not_found: [] } })
    const now = server.clock.now()
    for (const id of [upId, downId]) {
      const changedFields = { status_changed_at: now.toISOString(), updated_at: now.toISOString() }
      expect(await readMonitor(id)).toMatchObject({ is_active: false, status: 'paused', ...changedFields })
      expect(await readRows(server, 'watches', id)).toMatchObject([{ ended_at: now }])
    }
    expect(await readRows(server, 'incidents', downId)).toMatchObject([{ resolved_at: now, resolution: 'paused' }])
    expect(await readMonitor(pausedId)).toEqual(pausedMonitorBefore)
  })

  it('resumes paused monitors, and does not change active ones', async () => {
    const [upMonitor, downMonitor] = [await readMonitor(upId), await readMonitor(downId)]
    const response = await applyAction('resume', [upId, downId, pausedId])
    expect(response.body.data).toEqual({ action: 'resume', ids: [upId, downId, pausedId], not_found: [] })
    const now = server.clock.now().toISOString()
    const resumedFields = { is_active: true, status: 'pending', status_changed_at: now, updated_at: now }
    expect(await readMonitor(pausedId)).toMatchObject(resumedFields)
    expect([await readMonitor(upId), await readMonitor(downId)]).toEqual([upMonitor, downMonitor])
    expect(await readRows(server, 'incidents', downId)).toMatchObject([{ resolved_at: null }])
    expect(await readRows(server, 'watches', upId)).toMatchObject([{ ended_at: null }])
  })

  it('deletes monitors with their data', async () => {
    const countBefore = await countMonitors()
    const response = await applyAction('delete', [upId, downId])
    expect(response.body.data).toEqual({ action: 'delete', ids: [upId, downId], not_found: [] })
    expect(await countMonitors()).toBe(countBefore - 2)
    for (const table of ['incidents', 'watches', 'monitor_states']) {
      expect(await readRows(server, table, downId)).toEqual([])
    }
    expect((await applyAction('delete', [upId, downId])).body.data).toEqual({
      action: 'delete',
      ids: [],
      not_found: [upId, downId],
    })
    expect(await countMonitors()).toBe(countBefore - 2)
  })

  it.each(['pause', 'resume', 'delete'])(
    'lists ids that are not found and does not change those monitors: %s',
    async (action) => {
      const monitorBefore = await getMonitor(stranger, strangersMonitorId)
      const response = await applyAction(action, [unknownId, upId, strangersMonitorId, Number.MAX_SAFE_INTEGER])
      expect(response.status).toBe(200)
      const data = { action, ids: [upId], not_found: [unknownId, strangersMonitorId, Number.MAX_SAFE_INTEGER] }
      expect(response.body.data).toEqual(data)
      expect(await getMonitor(stranger, strangersMonitorId)).toEqual(monitorBefore)
      expect(await readRows(server, 'incidents', strangersMonitorId)).toMatchObject([{ resolved_at: null }])
      expect(await readRows(server, 'watches', strangersMonitorId)).toMatchObject([{ ended_at: null }])
    },
  )

  it('does not change other monitors', async () => {
    const monitorBefore = await readMonitor(downId)
    await applyAction('pause', [upId])
    expect(await readMonitor(downId)).toEqual(monitorBefore)
    expect(await readRows(server, 'incidents', downId)).toMatchObject([{ resolved_at: null }])
  })

  it('ignores repeated ids', async () => {
    const response = await applyAction('pause', [upId, unknownId, upId, unknownId, `${upId}`])
    expect(response.body.data).toEqual({ action: 'pause', ids: [upId], not_found: [unknownId] })
  })

  it.each([
    ['one id', { ids: '{up}', action: 'pause' }, ['{up}']],
    ['several ids', { ids: ['{up}', '{down}'], action: 'pause' }, ['{up}', '{down}']],
  ])('accepts a form with %s', async (_case, form, expected) => {
    const fillIn = (text: string) => text.replace('{up}', String(upId)).replace('{down}', String(downId))
    const ids = [form.ids].flat().map(fillIn)
    const response = await keyClient.call('POST', `${monitorsPath}/bulk`, { form: { ids, action: form.action } })
    expect(response.body.data.ids).toEqual(expected.map(fillIn).map(Number))
  })

  it('accepts 1,000 ids', async () => {
    const ids = [upId, ...Array.from({ length: 999 }, (_, n) => unknownId + n)]
    const data = { action: 'pause', ids: [upId], not_found: ids.slice(1) }
    expect((await applyAction('pause', ids)).body.data).toEqual(data)
    const form = { ids: ids.map(String), action: 'pause' }
    expect((await keyClient.call('POST', `${monitorsPath}/bulk`, { form })).body.data).toEqual(data)
    form.ids.push('7')
    expect((await keyClient.call('POST', `${monitorsPath}/bulk`, { form })).body.errors).toHaveProperty('ids')
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
    ['another action', 'stop', [1], 'action', 'must be one of pause, resume, delete, add_tags or remove_tags'],
    ['no action', '', [1], 'action', 'must be one of pause, resume, delete, add_tags or remove_tags'],
  ])('rejects %s', async (_case, action, ids, field, fault) => {
    const response = await applyAction(action, ids)
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual({ [field]: [`\`${field}\` ${fault}.`] })
  })

  it('rejects missing and unknown fields', async () => {
    const response = await keyClient.post(`${monitorsPath}/bulk`, { all: true })
    expect(Object.keys(response.body.errors).sort()).toEqual(['action', 'all', 'ids'])
  })

  it('handles concurrent requests for the same monitors in different orders', async () => {
    const ids = [upId, downId, pausedId]
    for (let round = 0; round < 5; round++) {
      const requests = ['pause', 'resume', 'pause', 'resume'].map((action, n) =>
        applyAction(action, n % 2 ? ids : ids.toReversed()),
      )
      expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    }
    await Promise.all([
      applyAction('delete', ids),
      applyAction('pause', ids.toReversed()),
      applyAction('delete', ids.toReversed()),
    ])
    expect((await applyAction('resume', ids)).body.data.not_found).toEqual(ids)
  })
})
