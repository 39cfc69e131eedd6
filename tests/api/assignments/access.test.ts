import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../../src/shared/scopes.ts'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import type { Client } from '../../support/client.ts'
import { getSample } from '../../support/providers.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let provider: number
let path: string

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  stranger = await server.createUser('stranger')
  const monitor = await owner.session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com' })
  provider = (await owner.session.post('/api/providers', getSample('sms'))).body.data.id
  path = `/api/monitors/${monitor.body.data.id}/notifications`
  await owner.session.post(path, { provider_id: provider })
})
afterAll(() => server.close())

const call = (client: Client, method: string, where = path) =>
  client.call(method, where, method === 'GET' ? {} : { json: { provider_id: provider } })

const requiredScopes: [string, Scope, Scope, number][] = [
  ['GET', 'monitors:read', 'providers:read', 200],
  ['POST', 'monitors:write', 'providers:read', 200],
  ['DELETE', 'monitors:write', 'providers:read', 200],
]

describe('assignments', () => {
  it.each(requiredScopes)('%s requires %s and %s', async (method, first, second, status) => {
    expectMissingScope(await call(await owner.withKey(first), method), second)
    expectMissingScope(await call(await owner.withKey(second), method), first)
    const others = await owner.withKey('monitors:read', 'monitors:write', 'providers:write', 'websites:read')
    expectMissingScope(await call(others, method), second)
    await owner.session.post(path, { provider_id: provider })
    expect((await call(await owner.withKey(first, second), method)).status).toBe(status)
    expect((await call(server.anyone, method)).status).toBe(401)
  })

  it.each(['GET', 'POST', 'DELETE'])(
    '%s of another user’s monitor looks exactly like an unknown one',
    async (method) => {
      const unknown = '/api/monitors/999999/notifications'
      for (const client of [await stranger.withKey(), stranger.session]) {
        expectNotFound(await call(client, method), await call(client, method, unknown))
      }
    },
  )

  it('are hidden by row level security from SQL without a condition on the user', async () => {
    await owner.session.post(path, { provider_id: provider })
    const { keyId } = await stranger.withKey()
    const tenant = server.services.db.as({ userId: stranger.id, keyId, sessionId: null })
    expect(await tenant.query('select * from assignments')).toEqual([])
  })

  it('reject other methods', async () => {
    const response = await owner.session.call('PUT', path, { json: {} })
    expect([response.status, response.headers.get('allow')?.split(', ').sort()]).toEqual([
      405,
      ['DELETE', 'GET', 'HEAD', 'POST'],
    ])
  })
})
