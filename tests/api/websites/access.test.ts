import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import type { TestServer, TestUser } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'
import { websitesPath } from '../../support/websites.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let reader: Client
let writer: Client
let id: number

beforeAll(async () => {
  server = await shareTestServer()
  owner = await server.createUser('owner')
  stranger = await server.createUser('stranger', { isAdmin: true })
  reader = await owner.withKey('websites:read')
  writer = await owner.withKey('websites:write')
  id = (await owner.session.post(websitesPath, { domain: 'example.com' })).body.data.id
})
afterAll(() => server.close())

const readRoutes: [string, string][] = [
  ['GET', websitesPath],
  ['GET', `${websitesPath}/{id}`],
]
const writeRoutes: [string, string][] = [
  ['POST', websitesPath],
  ['PUT', `${websitesPath}/{id}`],
  ['PATCH', `${websitesPath}/{id}`],
  ['DELETE', `${websitesPath}/{id}`],
]

const call = (client: Client, method: string, path: string, websiteId: number | string = id) =>
  client.call(
    method,
    path.replace('{id}', String(websiteId)),
    method === 'GET' || method === 'DELETE' ? {} : { json: {} },
  )

describe('a website', () => {
  it.each([...readRoutes, ...writeRoutes])('requires credentials: %s %s', async (method, path) => {
    const response = await call(server.anyone, method, path)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  it.each(readRoutes)('requires websites:read: %s %s', async (method, path) => {
    expect((await call(reader, method, path)).status).toBe(200)
    expectMissingScope(await call(writer, method, path), 'websites:read')
    expectMissingScope(
      await call(await owner.withKey('monitors:read', 'monitors:write'), method, path),
      'websites:read',
    )
  })

  it.each(writeRoutes)('requires websites:write, not only websites:read: %s %s', async (method, path) => {
    expectMissingScope(await call(reader, method, path), 'websites:write')
    expectMissingScope(await call(await owner.withKey('providers:write'), method, path), 'websites:write')
    expect((await reader.get(`${websitesPath}/${id}`)).body.data.domain).toBe('example.com')
  })

  it('can be written with websites:write alone', async () => {
    const createResponse = await writer.post(websitesPath, { domain: 'written.example.com' })
    expect(createResponse.status).toBe(201)
    const websitePath = `${websitesPath}/${createResponse.body.data.id}`
    expect((await writer.put(websitePath, { email: 1 })).status).toBe(200)
    expect((await writer.call('PATCH', websitePath, { json: { email: 0 } })).status).toBe(200)
    expect((await writer.delete(websitePath)).status).toBe(200)
  })

  it('of another user is not found, even for an admin', async () => {
    const keyClient = await stranger.withKey('websites:read', 'websites:write')
    for (const [method, path] of [...readRoutes, ...writeRoutes].filter(([, path]) => path.endsWith('}'))) {
      for (const client of [keyClient, stranger.session]) {
        expectNotFound(await call(client, method, path), await call(client, method, path, 999_999))
      }
    }
    expect((await keyClient.get(websitesPath)).body.meta.total).toBe(0)
    expect((await keyClient.get(`${websitesPath}?search=example`)).body.data).toEqual([])
    expect((await reader.get(`${websitesPath}/${id}`)).status).toBe(200)
  })

  it('is hidden by row-level security even from SQL without a user condition', async () => {
    const { keyId } = await stranger.withKey('websites:read')
    const tenant = server.services.db.as({ teamId: stranger.id, userId: stranger.id, keyId, sessionId: null })
    for (const table of ['websites', 'website_suffixes', 'website_counts']) {
      expect(await tenant.query(`select * from ${table}`)).toEqual([])
    }
  })

  it.each(['0', '-1', 'abc', '1.5', '99999999999999999999', '%00', '1e3'])(
    'with the ID %s is not found',
    async (invalidId) => {
      for (const [method, path] of [...readRoutes, ...writeRoutes].filter(([, path]) => path.endsWith('}'))) {
        expect((await call(owner.session, method, path, invalidId)).status).toBe(404)
      }
    },
  )

  it.each([
    [websitesPath, 'GET, HEAD, POST'],
    [`${websitesPath}/1`, 'DELETE, GET, HEAD, PATCH, PUT'],
  ])('at %s allows only %s', async (path, allowed) => {
    const response = await owner.session.call('OPTIONS', path)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed)
  })

  it('can be sent only as JSON or as a form', async () => {
    const xml = { body: '<x/>', headers: { 'content-type': 'application/xml' } }
    expect((await owner.session.call('POST', websitesPath, xml)).status).toBe(415)
    const brokenJson = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await owner.session.call('PUT', `${websitesPath}/${id}`, brokenJson)).status).toBe(400)
  })
})

describe('deleting a website', () => {
  it('removes it completely, and works only once', async () => {
    const { body } = await writer.post(websitesPath, { domain: 'gone.example.com' })
    const websiteId = body.data.id
    const response = await writer.delete(`${websitesPath}/${websiteId}`)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ id: websiteId, object: 'website', deleted: true })
    expect((await writer.delete(`${websitesPath}/${websiteId}`)).status).toBe(404)
    expect((await reader.get(`${websitesPath}/${websiteId}`)).status).toBe(404)
    const remainingRows = await server.services.db.query('select 1 from website_suffixes where website_id = $1', [
      websiteId,
    ])
    expect(remainingRows).toEqual([])
  })

  it('is part of deleting its user', async () => {
    const leaver = await server.createUser('leaver')
    await leaver.session.post(websitesPath, { domain: 'left.example.com', favorite: true })
    expect((await stranger.session.delete(`/api/users/${leaver.id}`)).status).toBe(200)
    for (const table of ['websites', 'website_suffixes', 'website_counts']) {
      const rows = await server.services.db.query(`select 1 from ${table} where user_id = $1`, [leaver.id])
      expect([table, rows]).toEqual([table, []])
    }
    expect((await owner.session.post(websitesPath, { domain: 'left.example.com' })).status).toBe(201)
  })
})
