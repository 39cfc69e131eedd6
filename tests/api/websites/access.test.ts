import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectMissingScope, expectSameAsNone } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import { type Person, startTestServer, type TestServer } from '../../support/server.ts'
import { path } from '../../support/websites.ts'

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
  id = (await owner.session.post(path, { domain: 'example.com' })).body.data.id
})
afterAll(() => server.close())

const reads: [string, string][] = [
  ['GET', path],
  ['GET', `${path}/{id}`],
]
const writes: [string, string][] = [
  ['POST', path],
  ['PUT', `${path}/{id}`],
  ['PATCH', `${path}/{id}`],
  ['DELETE', `${path}/{id}`],
]

const call = (client: Client, method: string, where: string, of: number | string = id) =>
  client.call(method, where.replace('{id}', String(of)), method === 'GET' || method === 'DELETE' ? {} : { json: {} })

describe('a website', () => {
  it.each([...reads, ...writes])('%s %s needs somebody', async (method, where) => {
    const answer = await call(server.anyone, method, where)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  it.each(reads)('%s %s needs websites:read', async (method, where) => {
    expect((await call(reader, method, where)).status).toBe(200)
    expectMissingScope(await call(writer, method, where), 'websites:read')
    expectMissingScope(
      await call(await owner.withKey('monitors:read', 'monitors:write'), method, where),
      'websites:read',
    )
  })

  it.each(writes)('%s %s needs websites:write, which reading does not imply', async (method, where) => {
    expectMissingScope(await call(reader, method, where), 'websites:write')
    expectMissingScope(await call(await owner.withKey('providers:write'), method, where), 'websites:write')
    expect((await reader.get(`${path}/${id}`)).body.data.domain).toBe('example.com')
  })

  it('is written with websites:write alone', async () => {
    const made = await writer.post(path, { domain: 'written.example.com' })
    expect(made.status).toBe(201)
    const mine = `${path}/${made.body.data.id}`
    expect((await writer.put(mine, { email: 1 })).status).toBe(200)
    expect((await writer.call('PATCH', mine, { json: { email: 0 } })).status).toBe(200)
    expect((await writer.delete(mine)).status).toBe(200)
  })

  it('of somebody else looks exactly like none, also to an administrator', async () => {
    const key = await stranger.withKey('websites:read', 'websites:write')
    for (const [method, where] of [...reads, ...writes].filter(([, where]) => where.endsWith('}'))) {
      for (const client of [key, stranger.session]) {
        expectSameAsNone(await call(client, method, where), await call(client, method, where, 999_999))
      }
    }
    expect((await key.get(path)).body.meta.total).toBe(0)
    expect((await key.get(`${path}?search=example`)).body.data).toEqual([])
    expect((await reader.get(`${path}/${id}`)).status).toBe(200)
  })

  it('stays hidden from SQL that forgets to ask whose it is', async () => {
    const { keyId } = await stranger.withKey('websites:read')
    const tenant = server.services.db.as({ userId: stranger.id, keyId, sessionId: null })
    for (const table of ['websites', 'website_suffixes', 'website_counts']) {
      expect(await tenant.query(`select * from ${table}`)).toEqual([])
    }
  })

  it.each(['0', '-1', 'abc', '1.5', '99999999999999999999', '%00', '1e3'])('called %s is not there', async (name) => {
    for (const [method, where] of [...reads, ...writes].filter(([, where]) => where.endsWith('}'))) {
      expect((await call(owner.session, method, where, name)).status).toBe(404)
    }
  })

  it.each([
    [path, 'GET, HEAD, POST'],
    [`${path}/1`, 'DELETE, GET, HEAD, PATCH, PUT'],
  ])('%s allows %s', async (where, allowed) => {
    const answer = await owner.session.call('OPTIONS', where)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed)
  })

  it('is sent as JSON or a form, and nothing else', async () => {
    const xml = { body: '<x/>', headers: { 'content-type': 'application/xml' } }
    expect((await owner.session.call('POST', path, xml)).status).toBe(415)
    const broken = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await owner.session.call('PUT', `${path}/${id}`, broken)).status).toBe(400)
  })
})

describe('DELETE /api/v1/websites/{id}', () => {
  it('removes a website once, and leaves nothing of it', async () => {
    const { body } = await writer.post(path, { domain: 'gone.example.com' })
    const mine = body.data.id
    const answer = await writer.delete(`${path}/${mine}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id: mine, object: 'website', deleted: true })
    expect((await writer.delete(`${path}/${mine}`)).status).toBe(404)
    expect((await reader.get(`${path}/${mine}`)).status).toBe(404)
    const left = await server.services.db.query('select 1 from website_suffixes where website_id = $1', [mine])
    expect(left).toEqual([])
  })

  it('is done with the user whose it is', async () => {
    const leaver = await server.person('leaver')
    await leaver.session.post(path, { domain: 'left.example.com', favorite: true })
    expect((await stranger.session.delete(`/api/users/${leaver.id}`)).status).toBe(200)
    for (const table of ['websites', 'website_suffixes', 'website_counts']) {
      const rows = await server.services.db.query(`select 1 from ${table} where user_id = $1`, [leaver.id])
      expect([table, rows]).toEqual([table, []])
    }
    expect((await owner.session.post(path, { domain: 'left.example.com' })).status).toBe(201)
  })
})
