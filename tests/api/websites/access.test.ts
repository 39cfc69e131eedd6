import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import { type Person, startTestServer, type TestServer } from '../../support/server.ts'
import { websitesPath } from '../../support/websites.ts'

let server: TestServer
let owner: Person
let stranger: Person
let reader: Client
let writer: Client
let id: number

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.person('owner')
  stranger = await server.person('stranger', { isAdmin: true })
  reader = await owner.withKey('websites:read')
  writer = await owner.withKey('websites:write')
  id = (await owner.session.post(websitesPath, { domain: 'example.com' })).body.data.id
})
afterAll(() => server.close())

const reads: [string, string][] = [
  ['GET', websitesPath],
  ['GET', `${websitesPath}/{id}`],
]
const writes: [string, string][] = [
  ['POST', websitesPath],
  ['PUT', `${websitesPath}/{id}`],
  ['PATCH', `${websitesPath}/{id}`],
  ['DELETE', `${websitesPath}/{id}`],
]

const call = (client: Client, method: string, where: string, of: number | string = id) =>
  client.call(method, where.replace('{id}', String(of)), method === 'GET' || method === 'DELETE' ? {} : { json: {} })

describe('a website', () => {
  it.each([...reads, ...writes])('%s %s requires credentials', async (method, where) => {
    const response = await call(server.anyone, method, where)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  it.each(reads)('%s %s requires websites:read', async (method, where) => {
    expect((await call(reader, method, where)).status).toBe(200)
    expectMissingScope(await call(writer, method, where), 'websites:read')
    expectMissingScope(
      await call(await owner.withKey('monitors:read', 'monitors:write'), method, where),
      'websites:read',
    )
  })

  it.each(writes)('%s %s requires websites:write, not only websites:read', async (method, where) => {
    expectMissingScope(await call(reader, method, where), 'websites:write')
    expectMissingScope(await call(await owner.withKey('providers:write'), method, where), 'websites:write')
    expect((await reader.get(`${websitesPath}/${id}`)).body.data.domain).toBe('example.com')
  })

  it('can be written with websites:write alone', async () => {
    const made = await writer.post(websitesPath, { domain: 'written.example.com' })
    expect(made.status).toBe(201)
    const mine = `${websitesPath}/${made.body.data.id}`
    expect((await writer.put(mine, { email: 1 })).status).toBe(200)
    expect((await writer.call('PATCH', mine, { json: { email: 0 } })).status).toBe(200)
    expect((await writer.delete(mine)).status).toBe(200)
  })

  it('of another user is not found, even for an admin', async () => {
    const key = await stranger.withKey('websites:read', 'websites:write')
    for (const [method, where] of [...reads, ...writes].filter(([, where]) => where.endsWith('}'))) {
      for (const client of [key, stranger.session]) {
        expectNotFound(await call(client, method, where), await call(client, method, where, 999_999))
      }
    }
    expect((await key.get(websitesPath)).body.meta.total).toBe(0)
    expect((await key.get(`${websitesPath}?search=example`)).body.data).toEqual([])
    expect((await reader.get(`${websitesPath}/${id}`)).status).toBe(200)
  })

  it('is hidden by row-level security even from SQL without a user condition', async () => {
    const { keyId } = await stranger.withKey('websites:read')
    const tenant = server.services.db.as({ userId: stranger.id, keyId, sessionId: null })
    for (const table of ['websites', 'website_suffixes', 'website_counts']) {
      expect(await tenant.query(`select * from ${table}`)).toEqual([])
    }
  })

  it.each(['0', '-1', 'abc', '1.5', '99999999999999999999', '%00', '1e3'])(
    'with the ID %s is not found',
    async (name) => {
      for (const [method, where] of [...reads, ...writes].filter(([, where]) => where.endsWith('}'))) {
        expect((await call(owner.session, method, where, name)).status).toBe(404)
      }
    },
  )

  it.each([
    [websitesPath, 'GET, HEAD, POST'],
    [`${websitesPath}/1`, 'DELETE, GET, HEAD, PATCH, PUT'],
  ])('%s allows %s', async (where, allowed) => {
    const response = await owner.session.call('OPTIONS', where)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed)
  })

  it('is accepted only as JSON or a form', async () => {
    const xml = { body: '<x/>', headers: { 'content-type': 'application/xml' } }
    expect((await owner.session.call('POST', websitesPath, xml)).status).toBe(415)
    const broken = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await owner.session.call('PUT', `${websitesPath}/${id}`, broken)).status).toBe(400)
  })
})

describe('DELETE /api/v1/websites/{id}', () => {
  it('deletes a website once and completely', async () => {
    const { body } = await writer.post(websitesPath, { domain: 'gone.example.com' })
    const mine = body.data.id
    const response = await writer.delete(`${websitesPath}/${mine}`)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ id: mine, object: 'website', deleted: true })
    expect((await writer.delete(`${websitesPath}/${mine}`)).status).toBe(404)
    expect((await reader.get(`${websitesPath}/${mine}`)).status).toBe(404)
    const left = await server.services.db.query('select 1 from website_suffixes where website_id = $1', [mine])
    expect(left).toEqual([])
  })

  it('also happens when its user is deleted', async () => {
    const leaver = await server.person('leaver')
    await leaver.session.post(websitesPath, { domain: 'left.example.com', favorite: true })
    expect((await stranger.session.delete(`/api/users/${leaver.id}`)).status).toBe(200)
    for (const table of ['websites', 'website_suffixes', 'website_counts']) {
      const rows = await server.services.db.query(`select 1 from ${table} where user_id = $1`, [leaver.id])
      expect([table, rows]).toEqual([table, []])
    }
    expect((await owner.session.post(websitesPath, { domain: 'left.example.com' })).status).toBe(201)
  })
})
