import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import { getSample, providersPath } from '../../support/providers.ts'
import { type Person, startTestServer, type TestServer } from '../../support/server.ts'

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
  reader = await owner.withKey('providers:read')
  writer = await owner.withKey('providers:write')
  id = (await owner.session.post(providersPath, getSample('email'))).body.data.id
})
afterAll(() => server.close())

const reads: [string, string][] = [
  ['GET', providersPath],
  ['GET', `${providersPath}/{id}`],
]
const writes: [string, string][] = [
  ['POST', providersPath],
  ['PUT', `${providersPath}/{id}`],
  ['PATCH', `${providersPath}/{id}`],
  ['POST', `${providersPath}/{id}/test`],
  ['DELETE', `${providersPath}/{id}`],
]
const routesWithId = [...reads, ...writes].filter(([, where]) => where.includes('{id}'))

const call = (client: Client, method: string, where: string, provider: number | string = id) =>
  client.call(
    method,
    where.replace('{id}', String(provider)),
    method === 'GET' || method === 'DELETE' ? {} : { json: {} },
  )

describe('a provider', () => {
  it.each([...reads, ...writes])('%s %s needs a caller', async (method, where) => {
    expect((await call(server.anyone, method, where)).status).toBe(401)
  })

  it.each(reads)('%s %s needs providers:read', async (method, where) => {
    expect((await call(reader, method, where)).status).toBe(200)
    expectMissingScope(await call(writer, method, where), 'providers:read')
    expectMissingScope(await call(await owner.withKey('monitors:read'), method, where), 'providers:read')
  })

  it.each(writes)('%s %s needs providers:write, which reading does not imply', async (method, where) => {
    expectMissingScope(await call(reader, method, where), 'providers:write')
    expectMissingScope(await call(await owner.withKey('monitors:write'), method, where), 'providers:write')
  })

  it('can be written with providers:write alone', async () => {
    const created = await writer.post(providersPath, getSample('sms'))
    expect(created.status).toBe(201)
    const own = `${providersPath}/${created.body.data.id}`
    expect((await writer.put(own, { name: 'A' })).status).toBe(200)
    expect((await writer.call('PATCH', own, { json: { name: 'B' } })).status).toBe(200)
    expect((await writer.post(`${own}/test`)).status).toBe(502)
    expect((await writer.delete(own)).status).toBe(200)
  })

  it.each(routesWithId)('%s %s of another user looks like a provider that does not exist', async (method, where) => {
    const key = await stranger.withKey('providers:read', 'providers:write')
    for (const client of [key, stranger.session]) {
      expectNotFound(await call(client, method, where), await call(client, method, where, 999_999))
    }
    expect((await key.get(providersPath)).body).toEqual({ data: [], meta: { total: 0 } })
    expect((await reader.get(`${providersPath}/${id}`)).status).toBe(200)
  })

  it('is protected by row level security', async () => {
    const { keyId } = await stranger.withKey('providers:read')
    await server.services.db.query(`insert into sms_days values ($1, '2026-01-06', 1)`, [owner.id])
    const tenant = server.services.db.as({ userId: stranger.id, keyId, sessionId: null })
    for (const table of ['providers', 'sms_days']) expect(await tenant.query(`select * from ${table}`)).toEqual([])
  })

  it.each(['0', '-1', 'abc', '1.5', '99999999999999999999', '%00'])('with the id %s is not found', async (name) => {
    for (const [method, where] of routesWithId)
      expect((await call(owner.session, method, where, name)).status).toBe(404)
  })

  it.each([
    [providersPath, 'GET, HEAD, POST'],
    [`${providersPath}/1`, 'DELETE, GET, HEAD, PATCH, PUT'],
    [`${providersPath}/1/test`, 'POST'],
  ])('%s allows %s', async (where, allowed) => {
    const response = await owner.session.call('OPTIONS', where)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed)
  })
})
