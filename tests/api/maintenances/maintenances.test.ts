import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createJob } from '../../../src/app/jobs.ts'
import type { MaintenanceRecord } from '../../../src/maintenances/schema.ts'
import type { Client } from '../../support/client.ts'
import { createMonitor, getMonitor, startMonitorFixture } from '../../support/monitors.ts'
import type { TestServer, TestUser } from '../../support/server.ts'

const path = '/api/maintenances'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let client: Client
let monitorId: number
let foreignMonitorId: number

beforeAll(async () => {
  ;({ server, owner, key: client } = await startMonitorFixture())
  stranger = await server.createUser('stranger')
  monitorId = (await createMonitor(client)).id
  foreignMonitorId = (await createMonitor(stranger.session)).id
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.services.db.query('delete from maintenances')
  await server.services.db.query('update monitors set maintenance_until = null')
  server.clock.reset()
})

const deployment = { title: 'Deployment', duration_seconds: 1_800, all_monitors: true }
const post = (fields: object = {}) => client.post(path, { ...deployment, ...fields })

async function create(fields: object = {}): Promise<MaintenanceRecord> {
  const { status, body, text } = await post(fields)
  if (status !== 201) throw new Error(`maintenance not created: ${status} ${text}`)
  return body.data
}

const read = async (id: number) => (await client.get(`${path}/${id}`)).body.data
const handleDueWindows = () => createJob('begin and end maintenances', server.services).run()
const isInMaintenance = async (id = monitorId) => (await getMonitor(client, id)).in_maintenance

describe('POST /api/maintenances', () => {
  it('starts a maintenance now without starts_at, before the response is sent', async () => {
    const { status, headers, body } = await client.post(path, {
      title: ' Deployment ',
      note: 'Orders are\nread-only. ',
      duration_seconds: 1_800,
      monitor_ids: [monitorId, monitorId],
      tags: ['Shop'],
    })
    expect(status).toBe(201)
    expect(headers.get('location')).toMatch(`${path}/${body.data.id}`)
    expect(body.data).toEqual({
      id: expect.any(Number),
      title: 'Deployment',
      note: 'Orders are\nread-only.',
      starts_at: '2026-01-05T10:00:00.000Z',
      ends_at: '2026-01-05T10:30:00.000Z',
      recurrence: null,
      all_monitors: false,
      monitor_ids: [monitorId],
      tags: ['Shop'],
      state: 'active',
      created_at: '2026-01-05T10:00:00.000Z',
      updated_at: '2026-01-05T10:00:00.000Z',
    })
    expect(await read(body.data.id)).toEqual(body.data)
    expect(await isInMaintenance()).toBe(true)
  })

  it('plans a maintenance whose times have an offset from UTC', async () => {
    const { starts_at, ends_at, state } = await create({
      starts_at: '2026-01-06T02:00:00+02:00',
      ends_at: '2026-01-06T03:00:00+02:00',
      duration_seconds: undefined,
    })
    expect({ starts_at, ends_at, state }).toEqual({
      starts_at: '2026-01-06T00:00:00.000Z',
      ends_at: '2026-01-06T01:00:00.000Z',
      state: 'scheduled',
    })
    expect(await isInMaintenance()).toBe(false)
  })

  it('plans a recurring maintenance in a time zone', async () => {
    const recurrence = { cron: '30  2 * * 0', time_zone: 'europe/berlin', duration_seconds: 7_200 }
    expect(await create({ duration_seconds: undefined, recurrence })).toMatchObject({
      starts_at: '2026-01-11T01:30:00.000Z',
      ends_at: '2026-01-11T03:30:00.000Z',
      recurrence: { cron: '30 2 * * 0', time_zone: 'Europe/Berlin', duration_seconds: 7_200, until: null },
      state: 'scheduled',
    })
    expect(
      await create({
        duration_seconds: undefined,
        starts_at: '2026-02-01T00:00:00Z',
        recurrence: { cron: '0 0 * * *', duration_seconds: 60, until: '2026-02-01T00:00:00Z' },
      }),
    ).toMatchObject({
      starts_at: '2026-02-01T00:00:00.000Z',
      recurrence: { time_zone: 'UTC', until: '2026-02-01T00:00:00.000Z' },
    })
  })

  it.each<[fields: object, errors: Record<string, string>]>([
    [{ title: '' }, { title: '`title` must not be empty.' }],
    [{ title: 'x'.repeat(101) }, { title: '`title` must have at most 100 characters.' }],
    [{ note: 'x'.repeat(1_001) }, { note: '`note` must have at most 1000 characters.' }],
    [
      { all_monitors: false },
      { monitor_ids: '`monitor_ids` must not be empty unless `tags` or `all_monitors` is set.' },
    ],
    [
      { duration_seconds: undefined },
      { ends_at: '`ends_at` is required, unless `duration_seconds` or `recurrence` is set.' },
    ],
    [{ ends_at: '2026-01-05T11:00:00Z' }, { duration_seconds: "`duration_seconds` can't be combined with `ends_at`." }],
    [
      { duration_seconds: undefined, ends_at: '2026-01-05T10:00:00Z' },
      { ends_at: '`ends_at` must be after `starts_at`.' },
    ],
    [
      { starts_at: '2026-01-05T09:00:00Z', ends_at: '2026-01-05T09:30:00Z', duration_seconds: undefined },
      { ends_at: '`ends_at` must be in the future.' },
    ],
    [
      { ends_at: '2027-01-07T10:00:00Z', duration_seconds: undefined },
      { ends_at: '`ends_at` must be at most a year after `starts_at`.' },
    ],
    [{ starts_at: '2046-01-07T10:00:00Z' }, { starts_at: '`starts_at` must be within the next 10 years.' }],
    [{ starts_at: 'tomorrow' }, { starts_at: '`starts_at` must be a time such as 2026-01-05T10:00:00.000Z.' }],
    [
      { starts_at: '2026-12-31T23:59:60Z' },
      { starts_at: '`starts_at` must be a time such as 2026-01-05T10:00:00.000Z.' },
    ],
    [{ tags: ['a', 'A'] }, { tags: '`tags` must not contain the same tag twice: A.' }],
    [{ state: 'past' }, { state: '`state` is not a known field.' }],
    [
      { recurrence: { cron: '0 2 * * *', duration_seconds: 3_600 } },
      {
        duration_seconds: "`duration_seconds` can't be combined with `recurrence`: use `recurrence.duration_seconds`.",
      },
    ],
    [
      { duration_seconds: undefined, recurrence: { cron: '0 2 * *', duration_seconds: 3_600 } },
      { 'recurrence.cron': '`recurrence.cron` must be a cron expression with five fields, such as 30 2 * * *.' },
    ],
    [
      { duration_seconds: undefined, recurrence: { cron: '0 2 * * *', time_zone: 'Mars/Base', duration_seconds: 60 } },
      { 'recurrence.time_zone': '`recurrence.time_zone` must be a time zone such as Europe/Berlin.' },
    ],
    [
      { duration_seconds: undefined, recurrence: { cron: '0 2 * * *', duration_seconds: 59 } },
      { 'recurrence.duration_seconds': '`recurrence.duration_seconds` must be between 60 and 31622400.' },
    ],
    [
      { duration_seconds: undefined, recurrence: { cron: '0 * * * *', duration_seconds: 3_600 } },
      {
        'recurrence.duration_seconds':
          '`recurrence.duration_seconds` must be less than 3600, the shortest time between two windows in seconds.',
      },
    ],
    [
      {
        duration_seconds: undefined,
        recurrence: { cron: '0 2 * * *', duration_seconds: 60, until: '2026-01-05T23:00:00Z' },
      },
      { 'recurrence.until': '`recurrence.until` must not be before the first window.' },
    ],
  ])('rejects %j', async (fields, errors) => {
    const { status, body } = await post(fields)
    expect(status).toBe(422)
    expect(body.errors).toEqual(Object.fromEntries(Object.entries(errors).map(([field, text]) => [field, [text]])))
    expect((await client.get(path)).body.meta.total).toBe(0)
  })

  it('rejects monitors that do not exist or belong to another user in the same way', async () => {
    const { status, body } = await post({ monitor_ids: [monitorId, foreignMonitorId, 900_000_000] })
    expect(status).toBe(422)
    expect(body.errors).toEqual({
      monitor_ids: [`\`monitor_ids\` contains ids that are not among your monitors: ${foreignMonitorId}, 900000000.`],
    })
    expect((await client.get(path)).body.meta.total).toBe(0)
  })

  it('is safe to repeat with an Idempotency-Key', async () => {
    const send = () => client.post(path, deployment, { headers: { 'idempotency-key': 'deployment-1' } })
    const [first, second] = [await send(), await send()]
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.text).toBe(first.text)
    expect((await client.get(path)).body.meta.total).toBe(1)
  })

  it('rejects more than 1,000 maintenances that have not ended', async () => {
    await server.services.db.query(
      `with added as (
         insert into maintenances (user_id, title, all_monitors, tags, tag_keys, created_at, updated_at)
         select $1, 'x', true, '{}', '{}', now(), now() from generate_series(1, 1000)
         returning user_id, id
       )
       insert into maintenance_windows select user_id, id, '2030-01-01', '2030-01-02', 'scheduled' from added`,
      [owner.id],
    )
    const { status, body } = await post()
    expect(status).toBe(422)
    expect(body.detail).toBe(
      'You already have 1,000 maintenances that have not ended, which is the limit. Delete one first.',
    )
  })
})

describe('GET /api/maintenances', () => {
  it('lists maintenances newest first, by state and by page', async () => {
    const past = await create({ title: 'past', duration_seconds: 60 })
    const scheduled = await create({ title: 'scheduled', starts_at: '2026-01-06T00:00:00Z' })
    const active = await create({ title: 'active' })
    await stranger.session.post(path, deployment)
    server.clock.advance({ minutes: 1 })
    const list = async (query: string) => {
      const { data, meta } = (await client.get(`${path}${query}`)).body
      return [data.map(({ title, state }: MaintenanceRecord) => `${title} ${state}`), meta.total]
    }
    expect(await list('')).toEqual([['active active', 'scheduled scheduled', 'past past'], 3])
    expect(await list('?state=active')).toEqual([['active active'], 1])
    expect(await list('?state=scheduled')).toEqual([['scheduled scheduled'], 1])
    expect(await list('?state=past')).toEqual([['past past'], 1])
    expect(await list('?pageSize=1&page=2')).toEqual([['scheduled scheduled'], 3])
    expect(await list('?pageSize=1&page=9')).toEqual([[], 3])
    expect((await client.get(`${path}?state=over`)).status).toBe(422)
    expect([past, scheduled, active].map(({ id }) => id)).toEqual([past.id, past.id + 1, past.id + 2])
  })
})

describe('PUT and PATCH /api/maintenances/:id', () => {
  const patch = (id: number, fields: object) => client.call('PATCH', `${path}/${id}`, { json: fields })

  it('keep the fields that are not sent', async () => {
    const { updated_at: _, ...maintenance } = await create({ tags: ['shop'], note: 'A note' })
    server.clock.advance({ minutes: 1 })
    expect((await patch(maintenance.id, { title: 'Upgrade' })).body.data).toEqual({
      ...maintenance,
      title: 'Upgrade',
      updated_at: '2026-01-05T10:01:00.000Z',
    })
    expect((await patch(maintenance.id, {})).body.data.title).toBe('Upgrade')
    expect((await client.put(`${path}/${maintenance.id}`, { note: null })).body.data).toMatchObject({
      note: null,
      tags: ['shop'],
    })
  })

  it('accept what was read', async () => {
    const recurrence = { cron: '0 2 * * *', duration_seconds: 3_600 }
    for (const fields of [{}, { duration_seconds: undefined, recurrence }]) {
      const maintenance = await create(fields)
      const { id, state: _, created_at: __, updated_at: ___, ...sent } = maintenance
      expect((await client.put(`${path}/${id}`, sent)).body.data).toEqual(maintenance)
    }
  })

  it('move a planned maintenance, also so that it begins now', async () => {
    const { id } = await create({ starts_at: '2026-01-06T00:00:00Z' })
    expect((await patch(id, { starts_at: '2026-01-05T12:00:00Z', duration_seconds: 60 })).body.data).toMatchObject({
      starts_at: '2026-01-05T12:00:00.000Z',
      ends_at: '2026-01-05T12:01:00.000Z',
      state: 'scheduled',
    })
    expect((await patch(id, { starts_at: '2026-01-05T10:00:00Z' })).body.data).toMatchObject({ state: 'active' })
    expect(await isInMaintenance()).toBe(true)
  })

  it('extend or shorten the one in progress, but do not move its start', async () => {
    const { id } = await create()
    expect((await patch(id, { duration_seconds: 3_600 })).body.data.ends_at).toBe('2026-01-05T11:00:00.000Z')
    server.clock.advance({ minutes: 45 })
    await handleDueWindows()
    expect(await isInMaintenance()).toBe(true)
    for (const [fields, errors] of [
      [
        { starts_at: '2026-01-05T10:15:00Z' },
        { starts_at: ["`starts_at` can't change while the maintenance is in progress."] },
      ],
      [{ ends_at: '2026-01-05T10:45:00Z' }, { ends_at: ['`ends_at` must be in the future.'] }],
    ] as const)
      expect((await patch(id, fields)).body.errors).toEqual(errors)
    expect((await patch(id, { ends_at: '2026-01-05T10:46:00Z' })).status).toBe(200)
    server.clock.advance({ minutes: 1 })
    await handleDueWindows()
    expect(await isInMaintenance()).toBe(false)
  })

  it('do not change the times of one that has ended', async () => {
    const { id } = await create()
    server.clock.advance({ minutes: 30 })
    expect((await patch(id, { ends_at: '2026-01-05T12:00:00Z' })).body.errors).toEqual({
      ends_at: ["`ends_at` can't change, because the maintenance has ended: create another one."],
    })
    expect((await patch(id, { title: 'Done' })).body.data).toMatchObject({ title: 'Done', state: 'past' })
  })

  it('change the monitors of the one in progress at once', async () => {
    const tagged = await createMonitor(client, { tags: ['Eu'] })
    const { id } = await create({ all_monitors: false, tags: ['EU'] })
    expect([await isInMaintenance(), await isInMaintenance(tagged.id)]).toEqual([false, true])
    await patch(id, { tags: [], monitor_ids: [monitorId] })
    expect([await isInMaintenance(), await isInMaintenance(tagged.id)]).toEqual([true, false])
    expect((await patch(id, { monitor_ids: [foreignMonitorId] })).status).toBe(422)
    expect(await read(id)).toMatchObject({ monitor_ids: [monitorId] })
  })

  it('can change a maintenance whose last monitor was deleted', async () => {
    const { id: deletedId } = await createMonitor(client)
    const { id } = await create({ all_monitors: false, monitor_ids: [deletedId] })
    await client.delete(`/api/monitors/${deletedId}`)
    expect((await patch(id, { title: 'Empty' })).body.data).toMatchObject({ title: 'Empty', monitor_ids: [] })
    expect((await patch(id, { all_monitors: false })).body.errors).toHaveProperty('monitor_ids')
    expect((await patch(id, { tags: ['shop'] })).status).toBe(200)
  })

  it('change a recurrence from the next window on, and end it', async () => {
    const { id } = await create({
      duration_seconds: undefined,
      recurrence: { cron: '0 * * * *', duration_seconds: 600 },
    })
    server.clock.advance({ minutes: 60 })
    await handleDueWindows()
    expect(await read(id)).toMatchObject({ state: 'active', ends_at: '2026-01-05T11:10:00.000Z' })
    const recurrence = { cron: '30 * * * *', duration_seconds: 60 }
    expect((await patch(id, { recurrence })).body.data.ends_at).toBe('2026-01-05T11:10:00.000Z')
    server.clock.advance({ minutes: 10 })
    await handleDueWindows()
    expect(await read(id)).toMatchObject({ state: 'scheduled', starts_at: '2026-01-05T11:30:00.000Z' })
    expect((await patch(id, { recurrence: null })).body.data).toMatchObject({
      starts_at: '2026-01-05T11:30:00.000Z',
      ends_at: '2026-01-05T11:31:00.000Z',
      recurrence: null,
    })
    server.clock.advance({ minutes: 21 })
    await handleDueWindows()
    expect(await read(id)).toMatchObject({ state: 'past' })
  })
})

describe('POST /api/maintenances/:id/end', () => {
  const end = (id: number) => client.post(`${path}/${id}/end`, {})

  it('ends the one in progress, and does nothing if it has ended', async () => {
    const { id } = await create()
    server.clock.advance({ minutes: 10 })
    const { status, body } = await end(id)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ state: 'past', ends_at: '2026-01-05T10:10:00.000Z' })
    expect(await isInMaintenance()).toBe(false)
    server.clock.advance({ minutes: 1 })
    expect((await end(id)).body.data).toEqual(body.data)
  })

  it('continues a recurring one with its next window', async () => {
    const { id } = await create({
      duration_seconds: undefined,
      recurrence: { cron: '0 * * * *', duration_seconds: 600 },
    })
    server.clock.advance({ minutes: 61 })
    expect((await end(id)).body.data).toMatchObject({ state: 'scheduled', starts_at: '2026-01-05T12:00:00.000Z' })
    expect(await isInMaintenance()).toBe(false)
  })

  it('refuses one that has not begun', async () => {
    const { id } = await create({ starts_at: '2026-01-06T00:00:00Z' })
    const { status, body } = await end(id)
    expect(status).toBe(409)
    expect(body.detail).toBe('The maintenance is not in progress. Change or delete it instead.')
  })
})

describe('DELETE /api/maintenances/:id', () => {
  it('ends the one in progress', async () => {
    const { id } = await create()
    expect((await client.delete(`${path}/${id}`)).body).toEqual({ id, object: 'maintenance', deleted: true })
    expect(await isInMaintenance()).toBe(false)
    expect((await client.get(`${path}/${id}`)).status).toBe(404)
  })
})

it('is not visible to a stranger, who gets the same response as for one that does not exist', async () => {
  const { id } = await create()
  for (const [method, suffix, json] of [
    ['GET', ''],
    ['PUT', '', { title: 'x' }],
    ['PATCH', '', {}],
    ['POST', '/end', {}],
    ['DELETE', ''],
  ] as const) {
    const [foreign, unknown] = await Promise.all(
      [id, 900_000_000].map((id) => stranger.session.call(method, `${path}/${id}${suffix}`, { json })),
    )
    const { request_id: _, ...problem } = foreign?.body ?? {}
    expect(foreign?.status).toBe(404)
    expect(unknown?.body).toMatchObject(problem)
  }
  expect((await stranger.session.get(path)).body.data).toEqual([])
  expect(await read(id)).toMatchObject({ title: 'Deployment', state: 'active' })
})

it('needs the scopes of monitors', async () => {
  const { id } = await create()
  const [reader, writer] = [await owner.withKey('monitors:read'), await owner.withKey('monitors:write')]
  expect((await reader.get(path)).status).toBe(200)
  expect((await reader.post(path, deployment)).body).toMatchObject({ code: 'missing_scope', status: 403 })
  expect((await reader.post(`${path}/${id}/end`, {})).status).toBe(403)
  expect((await writer.get(`${path}/${id}`)).status).toBe(403)
  expect((await writer.call('PATCH', `${path}/${id}`, { json: { title: 'x' } })).status).toBe(200)
})
