/** The incidents of all monitors of a user, their acknowledgement and their notes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountIncidentRecord } from '../../src/incident-response/schema.ts'
import type { Client } from '../support/client.ts'
import {
  addIncident,
  createMonitor,
  insertMonitors,
  ongoingIncidentFields,
  shareMonitorFixture,
} from '../support/monitors.ts'
import type { TestServer, TestUser } from '../support/server.ts'
import { createSite } from '../support/traffic.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let keyClient: Client
let shopId: number
let apiId: number

beforeAll(async () => {
  ;({ server } = await shareMonitorFixture())
  stranger = await server.createUser('stranger')
})
afterAll(() => server.close())

let userCount = 0

/** The owner has a website and two monitors: `shop` belongs to the website, `api` doesn't. */
beforeEach(async () => {
  owner = await server.createUser(`owner-${++userCount}`)
  keyClient = await owner.withKey('monitors:read', 'monitors:write')
  shopId = (
    await createMonitor(keyClient, { friendly_name: 'Shop', url: `https://shop-${userCount}.example/`, tags: ['EU'] })
  ).id
  apiId = (await createMonitor(keyClient, { friendly_name: 'API', url: 'https://api.example/' })).id
})

const DAY_SECONDS = 86_400
const secondsAgo = (seconds: number) => new Date(server.clock.now().getTime() - 1000 * seconds).toISOString()
const getList = async (query = '') => (await keyClient.get(`/api/incidents${query}`)).body
const listIds = async (query = '') => (await getList(query)).data.map(({ id }: AccountIncidentRecord) => id)
const getIncident = async (id: number) =>
  (await keyClient.get(`/api/incidents/${id}`)).body.data as AccountIncidentRecord

describe('GET /api/incidents', () => {
  it('lists the incidents of all monitors: ongoing ones first, then the newest', async () => {
    const oldOpenId = await addIncident(server, shopId, { from: 3 * DAY_SECONDS })
    const resolvedId = await addIncident(server, shopId, { from: 900, to: 800, cause: 'http_status' })
    const olderId = await addIncident(server, apiId, { from: 2_000, to: 1_000 })
    const newOpenId = await addIncident(server, apiId, { from: 60, confirmedAfterSeconds: 10 })
    const { data, meta } = await getList()
    expect(data.map(({ id }: AccountIncidentRecord) => id)).toEqual([newOpenId, oldOpenId, resolvedId, olderId])
    expect(data[0]).toEqual({
      ...ongoingIncidentFields,
      id: newOpenId,
      monitor_id: apiId,
      started_at: secondsAgo(60),
      detected_at: secondsAgo(50),
      duration_seconds: 60,
      monitor: {
        id: apiId,
        friendly_name: 'API',
        type: 'http',
        url: 'https://api.example/',
        tags: [],
        is_sample: false,
      },
      website: null,
      notified: [],
    })
    expect(meta).toEqual({
      page: 1,
      pageSize: 20,
      total: 4,
      totalPages: 1,
      open: 2,
      acknowledged: 0,
      resolved: 2,
      sample: 0,
    })
    expect(await listIds('?pageSize=1&page=2')).toEqual([oldOpenId])
    expect(await listIds('?pageSize=3&page=2')).toEqual([olderId])
    expect((await getList('?page=7')).meta).toMatchObject({ total: 4, totalPages: 1 })
  })

  it('filters by state, cause, tag, monitor, website and period', async () => {
    const websiteId = await createSite(owner, `shop-${userCount}.example`)
    const subdomainId = await createSite(owner, `eu.shop-${userCount}.example`)
    const euId = (await createMonitor(keyClient, { url: `https://eu.shop-${userCount}.example/` })).id
    const openId = await addIncident(server, shopId, { from: 60 })
    const resolvedId = await addIncident(server, shopId, { from: 10 * DAY_SECONDS, to: 9 * DAY_SECONDS, cause: 'tls' })
    const otherId = await addIncident(server, apiId, { from: 3 * DAY_SECONDS, to: 2 * DAY_SECONDS })
    const subdomainIncidentId = await addIncident(server, euId, { from: 30 })
    await keyClient.post(`/api/incidents/${subdomainIncidentId}/acknowledge`)
    const all = [subdomainIncidentId, openId, otherId, resolvedId]
    for (const [query, ids] of [
      ['?state=open', [subdomainIncidentId, openId]],
      ['?state=acknowledged', [subdomainIncidentId]],
      ['?state=resolved', [otherId, resolvedId]],
      ['?state=resolved&cause=tls', [resolvedId]],
      ['?cause=dns', []],
      ['?tag=eu', [openId, resolvedId]],
      ['?tag=eu&tag=us', []],
      [`?monitor_id=${apiId}`, [otherId]],
      [`?website_id=${websiteId}`, [openId, resolvedId]],
      [`?website_id=${subdomainId}`, [subdomainIncidentId]],
      [`?website_id=${websiteId}&monitor_id=${apiId}`, []],
      ['?website_id=999999999', []],
      ['?is_sample=true', []],
      ['?is_sample=false&state=resolved', [otherId, resolvedId]],
      [`?from=${secondsAgo(2.5 * DAY_SECONDS)}`, [subdomainIncidentId, openId, otherId]],
      [`?from=${secondsAgo(9.5 * DAY_SECONDS)}&to=${secondsAgo(2.5 * DAY_SECONDS)}`, [otherId, resolvedId]],
      [`?to=${secondsAgo(9 * DAY_SECONDS).slice(0, 10)}`, [resolvedId]],
      [`?from=${secondsAgo(0).slice(0, 10)}`, [subdomainIncidentId, openId]],
      ['', all],
    ] as const) {
      expect(await listIds(query), query).toEqual(ids)
    }
    expect((await getList('?state=resolved')).meta).toMatchObject({ total: 2, open: 2, acknowledged: 1, resolved: 2 })
    expect((await getIncident(openId)).website).toEqual({
      id: websiteId,
      domain: `shop-${userCount}.example`,
      name: `shop-${userCount}.example`,
    })
  })

  it('rejects values that a filter does not have', async () => {
    for (const [query, field] of [
      ['state=closed', 'state'],
      ['cause=gremlins', 'cause'],
      ['monitor_id=x', 'monitor_id'],
      ['website_id=0', 'website_id'],
      ['from=yesterday', 'from'],
      ['to=2026-02-30', 'to'],
      ['from=2026-01-05&to=2026-01-01', 'from'],
      ['pageSize=101', 'pageSize'],
    ] as const) {
      const response = await keyClient.get(`/api/incidents?${query}`)
      expect([response.status, Object.keys(response.body.errors)], query).toEqual([422, [field]])
    }
  })

  it('says which channels were notified, and how often they were reminded', async () => {
    const incidentId = await addIncident(server, shopId, { from: 600 })
    const { body } = await owner.session.post('/api/providers', {
      provider_type: 'webhook',
      name: 'Ops',
      url: 'https://ops.example/',
    })
    const providerId = body.data.id
    const insertAlert = (event: string, occurrence: string, state: string) =>
      server.services.db.query(
        `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body, state, created_at,
                             last_attempt_at)
         values ($1, $2, $3, $4, $5, $6, '', '', $7, $8, $8)`,
        [owner.id, shopId, providerId, event, incidentId, occurrence, state, secondsAgo(300)],
      )
    await insertAlert('reminder', '1', 'sent')
    await insertAlert('reminder', '2', 'failed')
    const channel = { provider_id: providerId, provider_type: 'webhook', provider_name: 'Ops', at: secondsAgo(300) }
    expect((await getIncident(incidentId)).notified).toMatchObject([{ ...channel, reminders: 1 }])
    await insertAlert('down', '', 'skipped')
    expect((await getIncident(incidentId)).notified).toEqual([{ ...channel, state: 'skipped', reminders: 1 }])
  })

  it('reads a page by indexes, with the row level security of a request', async () => {
    const [firstId] = await insertMonitors(server, owner.id, 1)
    await server.services.db.query(
      `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution)
       select $1, $2, 'timeout', '', t, t, t + interval '1 minute', 'recovered'
         from generate_series(now() - interval '400 days', now() - interval '300 days', interval '1 hour') t`,
      [owner.id, firstId],
    )
    await server.services.db.query('analyze incidents')
    const { keyId } = await owner.withKey('monitors:read')
    const tenant = server.services.db.as({ teamId: owner.id, userId: owner.id, keyId, sessionId: null })
    const plan = await tenant.query(
      `explain select * from incidents where user_id = own_team() and resolved_at is not null
        order by started_at desc, id desc limit 20`,
    )
    expect(JSON.stringify(plan)).toMatch(/Index Scan using incidents_started_idx/)
  })
})

describe('POST /api/incidents/{id}/acknowledge', () => {
  it('says who takes care of the incident, which stays ongoing', async () => {
    const id = await addIncident(server, shopId, { from: 60 })
    const response = await keyClient.post(`/api/incidents/${id}/acknowledge`)
    const acknowledgement = { acknowledged_at: secondsAgo(0), acknowledged_by: owner.email }
    expect(response.status).toBe(200)
    expect(response.body.data).toMatchObject({ id, status: 'open', ...acknowledgement })
    server.clock.advance({ seconds: 60 })
    expect((await owner.session.post(`/api/incidents/${id}/acknowledge`)).body.data).toMatchObject({
      ...acknowledgement,
      duration_seconds: 120,
    })
    const { body } = await keyClient.get(`/api/monitors/${shopId}/incidents`)
    expect(body.data).toMatchObject([acknowledgement])
  })

  it('is refused if the incident is resolved', async () => {
    const id = await addIncident(server, shopId, { from: 60, to: 30 })
    const response = await keyClient.post(`/api/incidents/${id}/acknowledge`)
    expect([response.status, response.body.code]).toEqual([409, 'conflict'])
    expect(await getIncident(id)).toMatchObject({ acknowledged_at: null, acknowledged_by: null })
  })

  it('records only one of several simultaneous acknowledgements', async () => {
    const id = await addIncident(server, shopId, { from: 60 })
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => {
        server.clock.advance({ seconds: 1 })
        return owner.session.post(`/api/incidents/${id}/acknowledge`)
      }),
    )
    expect(new Set(responses.map(({ body }) => body.data.acknowledged_at))).toHaveLength(1)
  })
})

describe('notes', () => {
  it('are added, listed and deleted', async () => {
    const id = await addIncident(server, shopId, { from: 60 })
    const response = await keyClient.post(`/api/incidents/${id}/notes`, { text: '\nDisk full.\r\nGrew it. 🔔 \n' })
    expect(response.status).toBe(201)
    const note = {
      id: expect.any(Number),
      text: 'Disk full.\nGrew it. 🔔',
      author: owner.email,
      created_at: secondsAgo(0),
    }
    expect(response.body.data).toEqual(note)
    expect(response.headers.get('location')).toMatch(new RegExp(`/api/incidents/${id}/notes/${response.body.data.id}$`))
    await keyClient.post(`/api/incidents/${id}/notes`, { text: 'Fixed' })
    const notes = [note, { text: 'Fixed' }]
    expect(await getIncident(id)).toMatchObject({ notes })
    expect((await getList()).data).toMatchObject([{ notes }])
    expect((await keyClient.get(`/api/monitors/${shopId}/incidents`)).body.data).toMatchObject([{ notes }])
    const notePath = `/api/incidents/${id}/notes/${response.body.data.id}`
    expect((await keyClient.delete(notePath)).body).toEqual({
      id: response.body.data.id,
      object: 'incident_note',
      deleted: true,
    })
    expect((await keyClient.delete(notePath)).status).toBe(404)
    expect(await getIncident(id)).toMatchObject({ notes: [{ text: 'Fixed' }] })
  })

  it('must have a text of at most 5,000 characters', async () => {
    const id = await addIncident(server, shopId, { from: 60 })
    for (const body of [{}, { text: '' }, { text: ' \n ' }, { text: 'x'.repeat(5_001) }]) {
      const response = await keyClient.post(`/api/incidents/${id}/notes`, body)
      expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['text']])
    }
  })

  it('are limited to 100 per incident', async () => {
    const id = await addIncident(server, shopId, { from: 60, to: 30 })
    await server.services.db.query(
      `insert into incident_notes (user_id, monitor_id, incident_id, text, author, created_at)
       select $1, $2, $3, 'x', 'ada@example.com', now() from generate_series(1, 99)`,
      [owner.id, shopId, id],
    )
    const statuses = await Promise.all(
      [1, 2].map(async () => (await keyClient.post(`/api/incidents/${id}/notes`, { text: 'x' })).status),
    )
    expect(statuses.sort()).toEqual([201, 422])
    expect((await getIncident(id)).notes).toHaveLength(100)
  })
})

it('shows nothing about the incidents of other users', async () => {
  const id = await addIncident(server, shopId, { from: 60 })
  const { body: note } = await keyClient.post(`/api/incidents/${id}/notes`, { text: 'Disk full' })
  const { session } = stranger
  expect((await session.get('/api/incidents')).body).toMatchObject({ data: [], meta: { total: 0, open: 0 } })
  expect((await session.get(`/api/incidents?monitor_id=${shopId}`)).body.data).toEqual([])
  for (const request of [
    session.get(`/api/incidents/${id}`),
    session.post(`/api/incidents/${id}/acknowledge`),
    session.post(`/api/incidents/${id}/notes`, { text: 'x' }),
    session.delete(`/api/incidents/${id}/notes/${note.data.id}`),
  ]) {
    expect((await request).status).toBe(404)
  }
  expect(await getIncident(id)).toMatchObject({ acknowledged_at: null, notes: [{ text: 'Disk full' }] })
})
