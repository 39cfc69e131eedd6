import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MaintenanceRecord } from '../../../src/maintenances/schema.ts'
import { expectNotFound } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import type { TestServer } from '../../support/server.ts'
import { rejectedInputs } from './rejected-inputs.ts'
import { deployment, type MaintenanceFixture, maintenancesPath as path, startMaintenanceFixture } from './support.ts'
import { describeUpdates } from './updates.ts'

let fixture: MaintenanceFixture
let server: TestServer
let client: Client
let monitorId: number
let foreignMonitorId: number

beforeAll(async () => {
  fixture = await startMaintenanceFixture()
  ;({ server, client, monitorId, foreignMonitorId } = fixture)
})
afterAll(() => server.close())
beforeEach(() => fixture.reset())

const post = (fields: object = {}) => client.post(path, { ...deployment, ...fields })
const create = (fields: object = {}) => fixture.create(fields)
const read = (id: number) => fixture.read(id)
const isInMaintenance = () => fixture.isInMaintenance()

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

  it.each(rejectedInputs)('rejects %j', async (fields, errors) => {
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
    const [firstResponse, secondResponse] = [await send(), await send()]
    expect(secondResponse.headers.get('idempotent-replayed')).toBe('true')
    expect(secondResponse.text).toBe(firstResponse.text)
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
      [fixture.owner.id],
    )
    const { status, body } = await post()
    expect(status).toBe(422)
    expect(body.detail).toBe(
      'You already have 1,000 maintenances that have not ended, which is the limit. Delete one first.',
    )
  })
})

describe('GET /api/maintenances', () => {
  it('lists maintenances newest first, filtered by state and in pages', async () => {
    const pastMaintenance = await create({ title: 'past', duration_seconds: 60 })
    const scheduledMaintenance = await create({ title: 'scheduled', starts_at: '2026-01-06T00:00:00Z' })
    const activeMaintenance = await create({ title: 'active' })
    await fixture.stranger.session.post(path, deployment)
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
    expect([pastMaintenance, scheduledMaintenance, activeMaintenance].map(({ id }) => id)).toEqual([
      pastMaintenance.id,
      pastMaintenance.id + 1,
      pastMaintenance.id + 2,
    ])
  })
})

describeUpdates(() => fixture)

describe('DELETE /api/maintenances/:id', () => {
  it('ends a maintenance in progress', async () => {
    const { id } = await create()
    expect((await client.delete(`${path}/${id}`)).body).toEqual({ id, object: 'maintenance', deleted: true })
    expect(await isInMaintenance()).toBe(false)
    expect((await client.get(`${path}/${id}`)).status).toBe(404)
  })
})

it('a maintenance is not visible to a stranger, who gets the same response as for a maintenance that does not exist', async () => {
  const { id } = await create()
  for (const [method, suffix, json] of [
    ['GET', ''],
    ['PUT', '', { title: 'x' }],
    ['PATCH', '', {}],
    ['POST', '/end', {}],
    ['DELETE', ''],
  ] as const) {
    const call = (id: number) => fixture.stranger.session.call(method, `${path}/${id}${suffix}`, { json })
    expectNotFound(await call(id), await call(900_000_000))
  }
  expect((await fixture.stranger.session.get(path)).body.data).toEqual([])
  expect(await read(id)).toMatchObject({ title: 'Deployment', state: 'active' })
})

it('reading a maintenance needs the scope monitors:read, and changing it monitors:write', async () => {
  const { id } = await create()
  const [reader, writer] = [await fixture.owner.withKey('monitors:read'), await fixture.owner.withKey('monitors:write')]
  expect((await reader.get(path)).status).toBe(200)
  expect((await reader.post(path, deployment)).body).toMatchObject({ code: 'missing_scope', status: 403 })
  expect((await reader.post(`${path}/${id}/end`, {})).status).toBe(403)
  expect((await writer.get(`${path}/${id}`)).status).toBe(403)
  expect((await writer.call('PATCH', `${path}/${id}`, { json: { title: 'x' } })).status).toBe(200)
})
