import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import { channelsPath, getSample } from '../../support/channels.ts'
import type { Client } from '../../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let reader: Client
let writer: Client
let id: number

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  stranger = await server.createUser('stranger', { isAdmin: true })
  reader = await owner.withKey('providers:read')
  writer = await owner.withKey('providers:write')
  id = (await owner.session.post(channelsPath, getSample('email'))).body.data.id
})
afterAll(() => server.close())

const readRoutes: [string, string][] = [
  ['GET', channelsPath],
  ['GET', `${channelsPath}/{id}`],
]
const writeRoutes: [string, string][] = [
  ['POST', channelsPath],
  ['PUT', `${channelsPath}/{id}`],
  ['PATCH', `${channelsPath}/{id}`],
  ['POST', `${channelsPath}/{id}/test`],
  ['DELETE', `${channelsPath}/{id}`],
]
const routesWithId = [...readRoutes, ...writeRoutes].filter(([, pathTemplate]) => pathTemplate.includes('{id}'))

const call = (client: Client, method: string, pathTemplate: string, channelId: number | string = id) =>
  client.call(
    method,
    pathTemplate.replace('{id}', String(channelId)),
    method === 'GET' || method === 'DELETE' ? {} : { json: {} },
  )

describe('a channel', () => {
  it.each([...readRoutes, ...writeRoutes])('needs authentication: %s %s', async (method, pathTemplate) => {
    expect((await call(server.anyone, method, pathTemplate)).status).toBe(401)
  })

  it.each(readRoutes)('needs providers:read: %s %s', async (method, pathTemplate) => {
    expect((await call(reader, method, pathTemplate)).status).toBe(200)
    expectMissingScope(await call(writer, method, pathTemplate), 'providers:read')
    expectMissingScope(await call(await owner.withKey('monitors:read'), method, pathTemplate), 'providers:read')
  })

  it.each(writeRoutes)('needs providers:write, not only providers:read: %s %s', async (method, pathTemplate) => {
    expectMissingScope(await call(reader, method, pathTemplate), 'providers:write')
    expectMissingScope(await call(await owner.withKey('monitors:write'), method, pathTemplate), 'providers:write')
  })

  it('can be written with providers:write alone', async () => {
    const createResponse = await writer.post(channelsPath, getSample('sms'))
    expect(createResponse.status).toBe(201)
    const createdPath = `${channelsPath}/${createResponse.body.data.id}`
    expect((await writer.put(createdPath, { name: 'A' })).status).toBe(200)
    expect((await writer.call('PATCH', createdPath, { json: { name: 'B' } })).status).toBe(200)
    expect((await writer.post(`${createdPath}/test`)).status).toBe(502)
    expect((await writer.delete(createdPath)).status).toBe(200)
  })

  it.each(routesWithId)(
    'of another user looks like a channel that does not exist: %s %s',
    async (method, pathTemplate) => {
      const keyClient = await stranger.withKey('providers:read', 'providers:write')
      for (const client of [keyClient, stranger.session]) {
        expectNotFound(await call(client, method, pathTemplate), await call(client, method, pathTemplate, 999_999))
      }
      expect((await keyClient.get(channelsPath)).body).toEqual({ data: [], meta: { total: 0 } })
      expect((await reader.get(`${channelsPath}/${id}`)).status).toBe(200)
    },
  )

  it('is protected by row level security', async () => {
    const { keyId } = await stranger.withKey('providers:read')
    await server.services.db.query(`insert into sms_days values ($1, '2026-01-06', 1)`, [owner.id])
    const tenant = server.services.db.as({ teamId: stranger.id, userId: stranger.id, keyId, sessionId: null })
    for (const table of ['providers', 'sms_days']) expect(await tenant.query(`select * from ${table}`)).toEqual([])
  })

  it.each(['0', '-1', 'abc', '1.5', '99999999999999999999', '%00'])(
    'with the id %s is not found',
    async (invalidId) => {
      for (const [method, pathTemplate] of routesWithId)
        expect((await call(owner.session, method, pathTemplate, invalidId)).status).toBe(404)
    },
  )

  it.each([
    [channelsPath, 'GET, HEAD, POST'],
    [`${channelsPath}/1`, 'DELETE, GET, HEAD, PATCH, PUT'],
    [`${channelsPath}/1/test`, 'POST'],
  ])('at %s allows only %s', async (pathTemplate, allowed) => {
    const response = await owner.session.call('OPTIONS', pathTemplate)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed)
  })
})
