/** Every operation rejects revoked keys and ended sessions, even those that are still in the server's cache. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client, ClientResponse } from '../support/client.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let server: TestServer
let ada: TestUser
let target: HttpReceiver

beforeAll(async () => {
  target = await startHttpReceiver()
  server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: '127.0.0.1' } })
  ada = await server.createUser('ada', { isAdmin: true })
})
afterAll(async () => {
  await server.close()
  await target.close()
})

/** Returns a client whose key another node has revoked. The server still has the key in its cache. */
async function createRevokedKey(...scopes: Parameters<TestUser['withKey']>): Promise<Client> {
  const client = await ada.withKey(...scopes)
  expect((await client.get('/api/keys')).status).toBe(200)
  await server.services.db.query('delete from api_keys where id = $1', [client.keyId])
  return client
}

/** Returns a client whose session another node has ended. The server still has the session in its cache. */
async function createEndedSession(): Promise<Client> {
  const { session, id } = await server.createUser(`user${userCount++}`, { isAdmin: true })
  expect((await session.get('/api/session')).status).toBe(200)
  await server.services.db.query('delete from sessions where user_id = $1', [id])
  return session
}
let userCount = 0

interface DocumentedOperation {
  method: string
  path: string
  isOptional: boolean
}

/** Lists the operations that take credentials. */
async function listOperations(): Promise<DocumentedOperation[]> {
  const { body } = await server.anyone.get('/api/openapi.json')
  type Operations = Record<string, { security?: object[] }>
  return Object.entries(body.paths as Record<string, Operations>).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security !== undefined && security.length > 0)
      .map(([method, { security = [] }]) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{[^}]+\}/g, '1'),
        isOptional: security.some((scheme) => Object.keys(scheme).length === 0),
      })),
  )
}

async function callAll(
  operations: DocumentedOperation[],
  createClient: () => Promise<Client>,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  for (const { method, path } of operations) {
    const options = method === 'GET' ? {} : { json: {} }
    statuses[`${method} ${path}`] = (await (await createClient()).call(method, path, options)).status
  }
  return statuses
}

const createExpectedStatuses = (operations: DocumentedOperation[], status: number) =>
  Object.fromEntries(operations.map(({ method, path }) => [`${method} ${path}`, status]))

describe('every operation', () => {
  it('rejects a revoked key with 401, even if the request has other faults', async () => {
    const operations = await listOperations()
    expect(operations.length).toBeGreaterThan(40)
    expect(await callAll(operations, createRevokedKey)).toEqual(createExpectedStatuses(operations, 401))
  })

  it('rejects an ended session with 401, unless the operation is open to visitors', async () => {
    const operations = (await listOperations()).filter(({ isOptional }) => !isOptional)
    expect(operations.length).toBeGreaterThan(40)
    expect(await callAll(operations, createEndedSession)).toEqual(createExpectedStatuses(operations, 401))
  })
})

describe('POST /api/monitors/try', () => {
  const runTrial = (client: Client): Promise<ClientResponse> =>
    client.post('/api/monitors/try', { url: `${target.address}/trial` })

  it.each([
    ['a revoked key', createRevokedKey],
    ['an ended session', createEndedSession],
  ])('sends no request for %s', async (_case, createClient) => {
    expect((await runTrial(await createClient())).status).toBe(401)
    expect(target.received).toEqual([])
  })
})

describe('a key without the scope that a route needs', () => {
  it('gets 403 while it exists, and 401 after it was revoked', async () => {
    const liveKey = await ada.withKey('websites:read')
    for (let n = 0; n < 2; n++) expect((await liveKey.get('/api/monitors')).status).toBe(403)
    const revokedKey = await createRevokedKey('websites:read')
    const response = await revokedKey.get('/api/monitors')
    expect([response.status, response.body.code]).toEqual([401, 'unauthenticated'])
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect((await revokedKey.call('HEAD', '/api/monitors')).status).toBe(401)
  })
})
