import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { StatusPageRecord } from '../../../src/status-pages/schema.ts'
import { expectNotFound } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import { createMonitor } from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'
import { statusPagesPath as path, type StatusPageFixture, startStatusPageFixture } from './support.ts'

let fixture: StatusPageFixture
let server: TestServer
let client: Client
let shop: number
let api: number

beforeAll(async () => {
  fixture = await startStatusPageFixture()
  ;({ server, client } = fixture)
  ;[shop, api] = fixture.monitorIds
})
afterAll(() => server.close())
beforeEach(() => fixture.reset())

const post = (fields: object) => client.post(path, { slug: 'example', title: 'Example', ...fields })
const patch = (id: number, json: object) => client.call('PATCH', `${path}/${id}`, { json })

describe('POST /api/status-pages', () => {
  it('creates a page with the given settings', async () => {
    const { status, headers, body } = await post({
      title: ' Example status ',
      description: 'All services\nof Example Ltd. ',
      privacy: 2,
      password: 'open sesame',
      custom_domain: 'Status.MÜLLER.example.',
      theme: 'light',
      accent_color: '#0A7D4F',
      time_zone: 'europe/berlin',
      groups: [
        { name: ' Website ', monitors: [{ monitor_id: api, label: ' Interface ' }, { monitor_id: shop }] },
        { name: 'Empty', monitors: [] },
      ],
      show_response_times: true,
    })
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`https://stats.example.com/belfry${path}/${body.data.id}`)
    expect(body.data).toEqual({
      id: expect.any(Number),
      slug: 'example',
      title: 'Example status',
      description: 'All services\nof Example Ltd.',
      privacy: 2,
      has_password: true,
      custom_domain: 'status.xn--mller-kva.example',
      custom_domain_verified_at: null,
      custom_domain_record: {
        type: 'TXT',
        name: '_belfry.status.xn--mller-kva.example',
        value: expect.stringMatching(/^belfry-status-page=[\w-]{43}$/),
      },
      theme: 'light',
      accent_color: '#0a7d4f',
      time_zone: 'Europe/Berlin',
      groups: [
        {
          name: 'Website',
          monitors: [
            { monitor_id: api, label: 'Interface' },
            { monitor_id: shop, label: 'Shop' },
          ],
        },
        { name: 'Empty', monitors: [] },
      ],
      show_response_times: true,
      has_logo: false,
      open_posts: 0,
      url: 'https://stats.example.com/belfry/status/example',
      created_at: '2026-01-05T10:00:00.000Z',
      updated_at: '2026-01-05T10:00:00.000Z',
    })
    expect(await fixture.read(body.data.id)).toEqual(body.data)
  })

  it('uses defaults for fields that are not sent', async () => {
    expect((await post({})).body.data).toMatchObject({
      description: null,
      privacy: 0,
      has_password: false,
      custom_domain: null,
      custom_domain_verified_at: null,
      custom_domain_record: null,
      theme: 'auto',
      accent_color: null,
      time_zone: 'UTC',
      groups: [],
      show_response_times: false,
    })
  })

  it.each<[object, Record<string, string>]>([
    [{ slug: 'ab' }, { slug: '`slug` must have at least 3 characters.' }],
    [{ slug: 'x'.repeat(51) }, { slug: '`slug` must have at most 50 characters.' }],
    [{ slug: '-shop' }, { slug: '`slug` must be lowercase letters and digits, with hyphens between them.' }],
    [{ slug: 'Shop' }, { slug: '`slug` must be lowercase letters and digits, with hyphens between them.' }],
    [{ title: ' \u200b ' }, { title: '`title` must not be empty.' }],
    [{ theme: 'blue' }, { theme: '`theme` must be auto, light or dark.' }],
    [{ privacy: 2 }, { password: '`password` is required when `privacy` is 2.' }],
    [{ time_zone: 'Nowhere' }, { time_zone: '`time_zone` must be a time zone such as Europe/Berlin.' }],
    [{ accent_color: 'green' }, { accent_color: '`accent_color` must be a color such as #0a7d4f.' }],
    [
      { custom_domain: 'https://status.example.com/' },
      { custom_domain: '`custom_domain` must be a host such as status.example.com, without a scheme, port or path.' },
    ],
    [
      { custom_domain: 'stats.example.com', title: '\n' },
      {
        custom_domain:
          "`custom_domain` must not be the host of Belfry itself, because nobody could open Belfry's pages any more.",
        title: '`title` must not be empty.',
      },
    ],
    [
      { groups: [{ name: 'A', monitors: [{ monitor_id: 1, label: '\t' }] }] },
      { 'groups.0.monitors.0.label': '`groups.0.monitors.0.label` must not be empty.' },
    ],
    [
      {
        groups: [
          { name: 'A', monitors: [{ monitor_id: 7 }, { monitor_id: 8 }] },
          { name: 'B', monitors: [{ monitor_id: 7 }] },
        ],
      },
      { groups: '`groups` must not contain the same monitor twice: 7.' },
    ],
    [
      {
        groups: [0, 1].map((group) => ({
          name: 'A',
          monitors: Array.from({ length: 251 }, (_, n) => ({ monitor_id: 1 + group * 251 + n })),
        })),
      },
      { groups: '`groups` must have at most 500 monitors in all groups together.' },
    ],
    [{ monitors: [] }, { monitors: '`monitors` is not a known field.' }],
  ])('rejects %j', async (fields, errors) => {
    const { status, body } = await post(fields)
    expect(status).toBe(422)
    expect(body.errors).toEqual(Object.fromEntries(Object.entries(errors).map(([field, text]) => [field, [text]])))
    expect((await client.get(path)).body.meta.total).toBe(0)
  })

  it('rejects monitors that do not exist or belong to another user in the same way', async () => {
    const monitors = [shop, fixture.foreignMonitorId, 900_000_000].map((monitor_id) => ({ monitor_id }))
    const { status, body } = await post({ groups: [{ name: 'Website', monitors }] })
    expect(status).toBe(422)
    expect(body.errors).toEqual({
      groups: [`\`groups\` contains ids that are not among your monitors: ${fixture.foreignMonitorId}, 900000000.`],
    })
    expect((await client.get(path)).body.meta.total).toBe(0)
  })

  it('rejects slugs that another user has, and custom domains at or below websites of other users', async () => {
    await fixture.stranger.session.post(path, { slug: 'taken', title: 'x', custom_domain: 'claimed.example.com' })
    await fixture.stranger.session.post('/api/v1/websites', { domain: 'taken.example.com' })
    await fixture.owner.session.post('/api/v1/websites', { domain: 'own.example.com' })
    const response = await post({ slug: 'taken' })
    expect([response.status, response.body.errors]).toEqual([422, { slug: ['`slug` is already in use.'] }])
    const refusal = {
      custom_domain: [
        expect.stringMatching(
          /^`custom_domain` must not be at or below a website of another user\. If the domain is yours,/,
        ),
      ],
    }
    for (const domain of [
      'taken.example.com',
      'WWW.Taken.example.com.',
      't%61ken.example.com',
      'events.taken.example.com',
    ])
      expect((await post({ custom_domain: domain })).body.errors).toEqual(refusal)
    // Two users can claim the same domain. The one who proves ownership gets it.
    const { id } = await fixture.create({ custom_domain: 'claimed.example.com' })
    expect((await patch(id, { custom_domain: 'a.taken.example.com' })).body.errors).toEqual(refusal)
    expect((await patch(id, { custom_domain: 'status.own.example.com' })).status).toBe(200)
    expect((await patch(id, { slug: 'taken' })).body.errors).toEqual({ slug: ['`slug` is already in use.'] })
  })

  it('is safe to repeat with an Idempotency-Key', async () => {
    const send = () =>
      client.post(path, { slug: 'once', title: 'Once' }, { headers: { 'idempotency-key': 'status-page-1' } })
    const [firstResponse, secondResponse] = [await send(), await send()]
    expect(secondResponse.headers.get('idempotent-replayed')).toBe('true')
    expect(secondResponse.text).toBe(firstResponse.text)
  })

  it('rejects more than 100 pages of a user', async () => {
    await server.services.db.query(
      `insert into status_pages (user_id, slug, title, privacy, theme, time_zone, show_response_times, created_at, updated_at,
                                 content_changed_at)
       select $1, 'many-' || n, 'x', 0, 'auto', 'UTC', false, now(), now(), now() from generate_series(1, 100) n`,
      [fixture.owner.id],
    )
    const { status, body } = await post({})
    expect([status, body.detail]).toEqual([
      422,
      'You already have 100 status pages, which is the limit. Delete one first.',
    ])
  })
})

it('GET /api/status-pages lists status pages newest first, in pages, and filtered by part of the title or slug', async () => {
  await fixture.create({ slug: 'first', title: 'Ünited ΟΔΟΣ' })
  await fixture.create({ slug: 'second', title: '100%' })
  await fixture.create({ slug: 'third', title: 'Third', groups: [{ name: 'A', monitors: [{ monitor_id: shop }] }] })
  await fixture.stranger.session.post(path, { slug: 'foreign', title: 'x' })
  const list = async (query: string) => {
    const { data, meta } = (await client.get(`${path}${query}`)).body
    return [data.map(({ slug }: StatusPageRecord) => slug), meta.total]
  }
  expect(await list('')).toEqual([['third', 'second', 'first'], 3])
  expect(await list('?pageSize=1&page=2')).toEqual([['second'], 3])
  expect(await list('?pageSize=1&page=9')).toEqual([[], 3])
  expect(await list('?search=üNIted%20οδος')).toEqual([['first'], 1])
  expect(await list('?search=IR')).toEqual([['third', 'first'], 2])
  expect(await list('?search=%25')).toEqual([['second'], 1])
  expect(await list('?search=foreign')).toEqual([[], 0])
})

describe('PATCH /api/status-pages/:id', () => {
  it('changes only the fields that are sent, and notes that the content changed', async () => {
    const groups = [{ name: 'Website', monitors: [{ monitor_id: shop, label: 'Store' }] }]
    const page = await fixture.create({ custom_domain: 'status.example.org', accent_color: '#0a7d4f', groups })
    const changedAt = await fixture.readContentChange(page.id)
    const { body } = await patch(page.id, { title: 'New title' })
    expect(body.data).toEqual({ ...page, title: 'New title' })
    expect(await fixture.readContentChange(page.id)).toBeGreaterThan(changedAt)
    server.clock.advance({ minutes: 1 })
    const changes = { custom_domain: null, accent_color: null, groups: [], show_response_times: true }
    const { body: putBody } = await client.put(`${path}/${page.id}`, changes)
    expect(putBody.data).toEqual({
      ...body.data,
      ...changes,
      custom_domain_record: null,
      updated_at: '2026-01-05T10:01:00.000Z',
    })
    expect(await fixture.read(page.id)).toEqual(putBody.data)
    expect(await fixture.readContentChange(page.id)).toBe(server.clock.now().getTime())
  })

  it('changes nothing without fields', async () => {
    const page = await fixture.create()
    const changedAt = await fixture.readContentChange(page.id)
    server.clock.advance({ minutes: 1 })
    expect((await patch(page.id, {})).body.data).toEqual(page)
    expect(await fixture.readContentChange(page.id)).toBe(changedAt)
  })

  it('replaces and reorders the groups', async () => {
    const page = await fixture.create({
      groups: [{ name: 'A', monitors: [{ monitor_id: shop }, { monitor_id: api, label: 'Interface' }] }],
    })
    const groups = [
      { name: 'B', monitors: [{ monitor_id: api, label: 'Interface' }] },
      { name: 'A', monitors: [{ monitor_id: shop, label: 'Shop' }] },
    ]
    expect((await patch(page.id, { groups })).body.data.groups).toEqual(groups)
    const groupsWithForeignMonitor = [{ name: 'C', monitors: [{ monitor_id: fixture.foreignMonitorId }] }]
    expect((await patch(page.id, { title: 'x', groups: groupsWithForeignMonitor })).status).toBe(422)
    expect(await fixture.read(page.id)).toMatchObject({ title: page.title, groups })
  })

  it('keeps the label when the monitor gets another name, and drops a monitor that is deleted', async () => {
    const { id: monitorId } = await createMonitor(fixture.owner.session, { friendly_name: 'Old name' })
    const groups = [{ name: 'A', monitors: [{ monitor_id: monitorId }, { monitor_id: shop }] }]
    const { id } = await fixture.create({ groups })
    const readLabels = async () => (await fixture.read(id)).groups[0]?.monitors.map(({ label }) => label)
    await fixture.owner.session.call('PATCH', `/api/monitors/${monitorId}`, { json: { friendly_name: 'New name' } })
    expect(await readLabels()).toEqual(['Old name', 'Shop'])
    await fixture.owner.session.delete(`/api/monitors/${monitorId}`)
    expect(await readLabels()).toEqual(['Shop'])
  })

  it('needs a password for privacy 2 and keeps a stored password, like websites', async () => {
    const { id } = await fixture.create()
    const { status, body } = await patch(id, { privacy: 2 })
    expect([status, body.errors]).toEqual([422, { password: ['`password` is required when `privacy` is 2.'] }])
    expect((await patch(id, { privacy: 2, password: 'open sesame' })).body.data).toMatchObject({ has_password: true })
    expect((await patch(id, { privacy: 0 })).body.data).toMatchObject({ privacy: 0, has_password: true })
    expect((await patch(id, { privacy: 2 })).body.data).toMatchObject({ privacy: 2, has_password: true })
  })
})

it('DELETE /api/status-pages/:id deletes a page, whose slug can then be used again', async () => {
  const { id } = await fixture.create({ slug: 'example' })
  expect((await client.delete(`${path}/${id}`)).body).toEqual({ id, object: 'status_page', deleted: true })
  expect((await client.get(`${path}/${id}`)).status).toBe(404)
  expect((await post({})).status).toBe(201)
})

it('a status page is not visible to a stranger, who gets the same response as for a page that does not exist', async () => {
  const page = await fixture.create()
  for (const [method, json] of [['GET'], ['PUT', { title: 'x' }], ['PATCH', {}], ['DELETE']] as const) {
    const call = (id: number) => fixture.stranger.session.call(method, `${path}/${id}`, { json })
    expectNotFound(await call(page.id), await call(900_000_000))
  }
  expect((await fixture.stranger.session.get(path)).body.data).toEqual([])
  expect(await fixture.read(page.id)).toEqual(page)
})

it('reading pages needs the scope status:read, and changing them status:write', async () => {
  const { id } = await fixture.create()
  const [reader, writer] = [await fixture.owner.withKey('status:read'), await fixture.owner.withKey('status:write')]
  expect((await reader.get(path)).status).toBe(200)
  expect((await reader.post(path, { slug: 'example', title: 'x' })).body).toMatchObject({ code: 'missing_scope' })
  expect((await writer.get(`${path}/${id}`)).status).toBe(403)
  expect((await writer.call('PATCH', `${path}/${id}`, { json: { title: 'x' } })).status).toBe(200)
})
