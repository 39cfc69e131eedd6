import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PostRecord } from '../../../src/status-pages/posts/schema.ts'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import type { TestServer } from '../../support/server.ts'
import { type PostFixture, slowPayments, startPostFixture } from './post-support.ts'
import { describePostTemplates } from './post-templates.ts'
import { describePostUpdates } from './post-updates.ts'

const STARTED_AT = '2026-01-05T10:00:00.000Z'

let fixture: PostFixture
let server: TestServer
let client: Client
let postsPath: string
let monitors: PostFixture['monitors']

beforeAll(async () => {
  fixture = await startPostFixture()
  ;({ server, client, postsPath, monitors } = fixture)
})
afterAll(() => server.close())
beforeEach(() => fixture.reset())

const postPath = (id: number) => `${postsPath}/${id}`
const send = (fields: object = {}) => client.post(postsPath, { ...slowPayments, ...fields })
const create = (fields: object = {}) => fixture.create(fields)
const read = (id: number) => fixture.read(id)

describe('POST /api/status-pages/:id/posts', () => {
  it('publishes a post whose first update is its text', async () => {
    const contentChangeBefore = await fixture.readContentChange()
    const { status, headers, body } = await send({
      title: ' Slow payments ',
      body: '\r\nWe are **looking** into it.\r\n\r\nMore soon. ',
      monitor_ids: [monitors.blog, monitors.shop],
    })
    expect(status).toBe(201)
    expect(headers.get('location')).toMatch(postPath(body.data.id))
    const text = 'We are **looking** into it.\n\nMore soon.'
    const [createdAt, updatedAt] = [{ created_at: STARTED_AT }, { updated_at: STARTED_AT }]
    expect(body.data).toEqual({
      id: expect.any(Number),
      title: 'Slow payments',
      state: 'investigating',
      body: text,
      monitor_ids: [monitors.shop, monitors.blog],
      update_count: 1,
      latest_update: { id: expect.any(Number), state: 'investigating', body: text, ...createdAt, ...updatedAt },
      incidents: [
        {
          id: await fixture.findIncidentId(monitors.shop),
          monitor_id: monitors.shop,
          started_at: STARTED_AT,
          resolved_at: null,
        },
      ],
      status_page_id: fixture.pageId,
      ...createdAt,
      ...updatedAt,
      resolved_at: null,
    })
    expect(await read(body.data.id)).toEqual(body.data)
    expect(await fixture.listUpdates(body.data.id)).toEqual([body.data.latest_update])
    expect(await fixture.readContentChange()).toBeGreaterThan(contentChangeBefore)
  })

  it('uses the monitor of an incident, unless monitors are sent', async () => {
    const incidentId = await fixture.findIncidentId(monitors.shop)
    expect((await create({ incident_id: incidentId })).monitor_ids).toEqual([monitors.shop])
    expect((await create({ incident_id: incidentId, monitor_ids: [monitors.blog] })).monitor_ids).toEqual([
      monitors.blog,
    ])
  })

  it('rejects incidents of other users and of monitors that are not on the page in the same way', async () => {
    for (const id of [
      await fixture.findIncidentId(monitors.hidden),
      await fixture.findIncidentId(monitors.foreign),
      900_000_000,
    ]) {
      const { status, body } = await send({ incident_id: id })
      expect(status).toBe(422)
      expect(body.errors).toEqual({ incident_id: ['`incident_id` is not an incident of a monitor on this page.'] })
    }
  })

  it('rejects monitors that are not on the page', async () => {
    const { status, body } = await send({ monitor_ids: [monitors.shop, monitors.hidden, monitors.foreign] })
    expect(status).toBe(422)
    expect(body.errors).toEqual({
      monitor_ids: [`\`monitor_ids\` contains ids that are not on this page: ${monitors.hidden}, ${monitors.foreign}.`],
    })
    expect((await client.get(postsPath)).body.meta.total).toBe(0)
  })

  it.each([
    [{ title: '' }, { title: ['`title` must not be empty.'] }],
    [
      { title: 'a\nb', body: ' \n ' },
      { title: [expect.stringContaining('one line')], body: [expect.any(String)] },
    ],
    [{ title: 'x'.repeat(201) }, { title: ['`title` must have at most 200 characters.'] }],
    [{ body: undefined }, { body: ['`body` is required.'] }],
    [{ body: 'x'.repeat(10_001) }, { body: ['`body` must have at most 10000 characters.'] }],
    [{ state: 'closed' }, { state: [expect.stringContaining('investigating, identified, monitoring or resolved')] }],
    [{ monitor_ids: [1, 1] }, { monitor_ids: ['`monitor_ids` must not contain duplicates.'] }],
    [{ html: 'x' }, { html: ['`html` is not a known field.'] }],
  ])('rejects %j', async (fields, errors) => {
    const { status, body } = await send(fields)
    expect(status).toBe(422)
    expect(body.errors).toEqual(errors)
  })

  it('is safe to repeat with an Idempotency-Key', async () => {
    const repeat = () => client.post(postsPath, slowPayments, { headers: { 'idempotency-key': 'post-1' } })
    const [firstResponse, secondResponse] = [await repeat(), await repeat()]
    expect(secondResponse.headers.get('idempotent-replayed')).toBe('true')
    expect(secondResponse.text).toBe(firstResponse.text)
    expect((await client.get(postsPath)).body.meta.total).toBe(1)
  })

  it('notifies confirmed subscribers about posts and updates, unless notify is false', async () => {
    const { db } = server.services
    await fixture.subscribe('grace@example.com')
    const { id, latest_update } = await create()
    await client.post(`${postsPath}/${id}/updates`, { state: 'identified', body: 'Quiet.', notify: false })
    const update = await fixture.addUpdate(id, 'resolved')
    await create({ notify: false })
    const messages = await db.query('select subject_id from status_messages order by subject_id')
    expect(messages.map((row) => row['subject_id'])).toEqual([latest_update.id, update.id])
  })

  it('notifies as many subscribers as the list of subscribers reports for the monitors of the post', async () => {
    const { db } = server.services
    await fixture.subscribe('grace@example.com')
    await fixture.subscribe('blog@example.com', [monitors.blog])
    for (const [monitorIds, count] of [
      [[], 2],
      [[monitors.shop], 1],
      [[monitors.shop, monitors.blog], 2],
    ] as const) {
      const query = monitorIds.map((id) => `&monitor_ids=${id}`).join('')
      const list = await client.get(`/api/status-pages/${fixture.pageId}/subscribers?state=confirmed${query}`)
      expect([list.status, list.body.meta.total]).toEqual([200, count])
      const { latest_update } = await create({ monitor_ids: monitorIds })
      const messages = await db.query('select from status_messages where subject_id = $1', [latest_update.id])
      expect(messages.length).toBe(count)
    }
  })
})

describe('GET /api/status-pages/:id/posts', () => {
  it('lists posts newest first, filtered by state, and in pages', async () => {
    await create({ title: 'first', state: 'resolved' })
    await create({ title: 'second' })
    server.clock.advance({ minutes: 1 })
    await create({ title: 'third', state: 'monitoring' })
    const list = async (query: string) => {
      const { data, meta } = (await client.get(`${postsPath}${query}`)).body
      return [data.map(({ title }: PostRecord) => title), meta.total]
    }
    expect(await list('')).toEqual([['third', 'second', 'first'], 3])
    expect(await list('?state=open')).toEqual([['third', 'second'], 2])
    expect(await list('?state=resolved')).toEqual([['first'], 1])
    expect(await list('?pageSize=1&page=2')).toEqual([['second'], 3])
    expect((await client.get(`${postsPath}?state=closed`)).status).toBe(422)
  })
})

describe('GET /api/monitors/:id/posts', () => {
  const listTitles = async (path: string, caller = client) => {
    const { body } = await caller.get(path)
    return [body.data.map(({ title }: PostRecord) => title), body.meta.total]
  }

  it('lists the posts about a monitor, with the incidents that they are about', async () => {
    const path = `/api/monitors/${monitors.shop}/posts`
    await create({ title: 'About another monitor', monitor_ids: [monitors.blog] })
    await create({ title: 'Shop was slow', state: 'resolved', monitor_ids: [monitors.shop] })
    server.clock.advance({ minutes: 5 })
    await create({ title: 'Shop is down', monitor_ids: [monitors.shop, monitors.blog] })
    expect(await listTitles(path)).toEqual([['Shop is down', 'Shop was slow'], 2])
    expect(await listTitles(`${path}?state=open`)).toEqual([['Shop is down'], 1])
    const [post] = (await client.get(`${path}?pageSize=1`)).body.data
    const incidentId = await fixture.findIncidentId(monitors.shop)
    expect(post).toMatchObject({ status_page_id: fixture.pageId, incidents: [{ id: incidentId }] })
  })

  it('needs the scope status:read, and finds no monitor of another user', async () => {
    const listOf = (id: number) => fixture.stranger.session.get(`/api/monitors/${id}/posts`)
    expectNotFound(await listOf(monitors.shop), await listOf(900_000_000))
    const other = await fixture.owner.withKey('monitors:read')
    expectMissingScope(await other.get(`/api/monitors/${monitors.shop}/posts`), 'status:read')
    expect((await client.get(`/api/monitors/${monitors.shop}/posts?state=closed`)).status).toBe(422)
  })
})

describe('PUT and PATCH /api/status-pages/:id/posts/:post_id', () => {
  it('corrects the title, the first text, the monitors and the state of the latest update', async () => {
    const { id } = await create({ monitor_ids: [monitors.shop] })
    const update = await fixture.addUpdate(id, 'monitoring')
    server.clock.advance({ minutes: 5 })
    const { status, body } = await client.call('PATCH', postPath(id), {
      json: { title: 'Payments fail', body: 'Corrected.', state: 'resolved', monitor_ids: [monitors.blog] },
    })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      title: 'Payments fail',
      body: 'Corrected.',
      state: 'resolved',
      monitor_ids: [monitors.blog],
      resolved_at: '2026-01-05T10:05:00.000Z',
      updated_at: '2026-01-05T10:05:00.000Z',
      latest_update: { id: update.id, state: 'resolved', body: 'It is monitoring.' },
    })
    expect((await fixture.listUpdates(id)).map(({ state }) => state)).toEqual(['investigating', 'resolved'])
    const reopenResponse = await client.put(postPath(id), { state: 'monitoring', monitor_ids: [] })
    expect(reopenResponse.body.data).toMatchObject({ state: 'monitoring', resolved_at: null, monitor_ids: [] })
  })

  it('changes nothing if no field is sent or a field is invalid', async () => {
    const post = await create({ monitor_ids: [monitors.shop] })
    server.clock.advance({ minutes: 5 })
    const changedAt = await fixture.readContentChange()
    expect((await client.put(postPath(post.id), {})).body.data).toEqual(post)
    expect((await client.put(postPath(post.id), { title: 'New', monitor_ids: [monitors.hidden] })).status).toBe(422)
    expect(await read(post.id)).toEqual(post)
    expect(await fixture.readContentChange()).toBe(changedAt)
  })
})

describePostUpdates(() => fixture)

describe('DELETE /api/status-pages/:id/posts/:post_id', () => {
  it('deletes the post with its updates, and changes the page', async () => {
    const { id } = await create()
    const changedAt = await fixture.readContentChange()
    expect((await client.delete(postPath(id))).body).toEqual({ id, object: 'post', deleted: true })
    expect((await client.get(`${postsPath}/${id}/updates`)).status).toBe(404)
    expect(await fixture.readContentChange()).toBeGreaterThan(changedAt)
  })
})

describePostTemplates(() => fixture)

it('a post is not visible to a stranger, who gets the same response as for a post that does not exist', async () => {
  const post = await create()
  const updatePath = `/updates/${post.latest_update.id}`
  const text = { state: 'resolved', body: 'x' }
  for (const [method, suffix, json] of [
    ['GET', ''],
    ['PUT', '', { title: 'x' }],
    ['PATCH', '', {}],
    ['GET', '/updates'],
    ['POST', '/updates', text],
    ['GET', updatePath],
    ['PUT', updatePath, text],
    ['PATCH', updatePath, {}],
    ['DELETE', updatePath],
    ['DELETE', ''],
  ] as const) {
    const call = (id: number) => fixture.stranger.session.call(method, `${postPath(id)}${suffix}`, { json })
    expectNotFound(await call(post.id), await call(900_000_000))
  }
  expect((await fixture.stranger.session.get(postsPath)).status).toBe(404)
  expect((await fixture.stranger.session.post(postsPath, slowPayments)).status).toBe(404)
  const { body } = await client.post('/api/status-post-templates', { ...slowPayments, name: 'x' })
  for (const method of ['GET', 'DELETE']) {
    const call = (id: number) => fixture.stranger.session.call(method, `/api/status-post-templates/${id}`)
    expectNotFound(await call(body.data.id), await call(900_000_000))
  }
  expect((await fixture.stranger.session.get('/api/status-post-templates')).body.data).toEqual([])
  expect(await read(post.id)).toEqual(post)
})

it('reading posts needs the scope status:read, and changing them status:write', async () => {
  const { id } = await create()
  const [reader, writer] = [await fixture.owner.withKey('status:read'), await fixture.owner.withKey('status:write')]
  expect((await reader.get(postsPath)).status).toBe(200)
  expectMissingScope(await reader.post(postsPath, slowPayments), 'status:write')
  expectMissingScope(await reader.post(`${postsPath}/${id}/updates`, { state: 'resolved', body: 'x' }), 'status:write')
  expectMissingScope(await reader.post('/api/status-post-templates', {}), 'status:write')
  expectMissingScope(await writer.get(`${postsPath}/${id}/updates`), 'status:read')
  expect((await writer.post(`${postsPath}/${id}/updates`, { state: 'resolved', body: 'Done.' })).status).toBe(201)
})
