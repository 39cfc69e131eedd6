import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../../src/shared/scopes.ts'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import { getSample } from '../../support/channels.ts'
import type { Client } from '../../support/client.ts'
import type { TestServer, TestUser } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let channelId: number
let path: string

beforeAll(async () => {
  server = await shareTestServer()
  owner = await server.createUser('owner')
  stranger = await server.createUser('stranger')
  const monitor = await owner.session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com' })
  channelId = (await owner.session.post('/api/providers', getSample('sms'))).body.data.id
  path = `/api/monitors/${monitor.body.data.id}/notifications`
  await owner.session.post(path, { provider_id: channelId })
})
afterAll(() => server.close())

const call = (client: Client, method: string, requestPath = path) =>
  client.call(method, requestPath, method === 'GET' ? {} : { json: { provider_id: channelId } })

const requiredScopes: [method: string, firstScope: Scope, secondScope: Scope, status: number][] = [
  ['GET', 'monitors:read', 'providers:read', 200],
  ['POST', 'monitors:write', 'providers:read', 200],
  ['DELETE', 'monitors:write', 'providers:read', 200],
]

describe('assignments', () => {
  it.each(requiredScopes)(
    'accessed with %s require the scopes %s and %s',
    async (method, firstScope, secondScope, status) => {
      expectMissingScope(await call(await owner.withKey(firstScope), method), secondScope)
      expectMissingScope(await call(await owner.withKey(secondScope), method), firstScope)
      const otherKeyClient = await owner.withKey('monitors:read', 'monitors:write', 'providers:write', 'websites:read')
      expectMissingScope(await call(otherKeyClient, method), secondScope)
      await owner.session.post(path, { provider_id: channelId })
      expect((await call(await owner.withKey(firstScope, secondScope), method)).status).toBe(status)
      expect((await call(server.anyone, method)).status).toBe(401)
    },
  )

  it.each(['GET', 'POST', 'DELETE'])(
    'of another user’s monitor get the same response to %s as assignments of an unknown monitor',
    async (method) => {
      const unknownPath = '/api/monitors/999999/notifications'
      for (const client of [await stranger.withKey(), stranger.session]) {
        expectNotFound(await call(client, method), await call(client, method, unknownPath))
      }
    },
  )

  it('are hidden by row level security from SQL without a condition on the user', async () => {
    await owner.session.post(path, { provider_id: channelId })
    const { keyId } = await stranger.withKey()
    const tenant = server.services.db.as({ teamId: stranger.id, userId: stranger.id, keyId, sessionId: null })
    expect(await tenant.query('select * from assignments')).toEqual([])
  })

  it('reject PUT, and the response lists the allowed methods', async () => {
    const response = await owner.session.call('PUT', path, { json: {} })
    expect([response.status, response.headers.get('allow')?.split(', ').sort()]).toEqual([
      405,
      ['DELETE', 'GET', 'HEAD', 'POST'],
    ])
  })
})
