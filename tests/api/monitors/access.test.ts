import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scope, scopes } from '../../../src/shared/scopes.ts'
import type { Client } from '../../support/client.ts'
import {
  addIncident,
  createMonitor,
  getMonitor,
  monitorsPath,
  setFirstStatus,
  startMonitorFixture,
} from '../../support/monitors.ts'
import type { TestServer, TestUser } from '../../support/server.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let id: number

beforeAll(async () => {
  ;({ server, owner } = await startMonitorFixture())
  stranger = await server.createUser('stranger', { isAdmin: true })
  id = (await createMonitor(owner.session, { url })).id
  await setFirstStatus(server, id, 'down')
})
afterAll(() => server.close())

/** Belfry never connects to this URL, because its address is private. */
const url = 'http://127.0.0.1:1/'

type Endpoint = [method: string, path: string, json?: object | undefined]

const readEndpoints: Endpoint[] = [
  ['GET', monitorsPath],
  ['GET', `${monitorsPath}/{id}`],
  ['GET', `${monitorsPath}/{id}/incidents`],
  ['GET', `${monitorsPath}/{id}/checks`],
]
const writeEndpoints: Endpoint[] = [
  ['POST', monitorsPath, { friendly_name: 'New', url: 'https://example.com/' }],
  ['POST', `${monitorsPath}/bulk`, { ids: [1], action: 'resume' }],
  ['POST', `${monitorsPath}/try`, { url }],
  ['POST', `${monitorsPath}/{id}/check`],
  ['PUT', `${monitorsPath}/{id}`, { retries: 3 }],
  ['PATCH', `${monitorsPath}/{id}`, { retries: 3 }],
  ['DELETE', `${monitorsPath}/{id}`],
]
const endpointsWithScope: [Scope, ...Endpoint][] = [
  ...readEndpoints.map((endpoint): [Scope, ...Endpoint] => ['monitors:read', ...endpoint]),
  ...writeEndpoints.map((endpoint): [Scope, ...Endpoint] => ['monitors:write', ...endpoint]),
]
const allEndpoints = [...readEndpoints, ...writeEndpoints]
const monitorEndpoints = allEndpoints.filter(([, route]) => route.includes('{id}'))

const call = (client: Client, [method, pathTemplate, json]: Endpoint, monitorId: number | string = id) =>
  client.call(method, pathTemplate.replace('{id}', String(monitorId)), json === undefined ? {} : { json })

const removeRequestId = ({ request_id: _, ...body }: Record<string, unknown>) => body

describe('a monitor', () => {
  it.each(endpointsWithScope)('accepts a key with only %s: %s %s', async (scope, method, pathTemplate, json) => {
    const { id: ownId } = await createMonitor(owner.session, { url })
    const response = await call(await owner.withKey(scope), [method, pathTemplate, json], ownId)
    expect(response.status).toBe(method === 'POST' && pathTemplate === monitorsPath ? 201 : 200)
  })

  it.each(endpointsWithScope)('rejects a key without %s: %s %s', async (scope, method, pathTemplate, json) => {
    const monitorBefore = await getMonitor(owner.session, id)
    const otherScopes = scopes.filter((other) => other !== scope)
    for (const keyScopes of [otherScopes, ...otherScopes.map((other) => [other])]) {
      const response = await call(await owner.withKey(...keyScopes), [method, pathTemplate, json])
      expect(response.status).toBe(403)
      expect(response.body.code).toBe('missing_scope')
      expect(response.body.detail).toContain(scope)
    }
    expect(await getMonitor(owner.session, id)).toEqual(monitorBefore)
  })

  it.each(allEndpoints)('requires authentication: %s %s', async (method, pathTemplate, json) => {
    for (const client of [server.anyone, server.anyone.as({ key: `bf_${'x'.repeat(43)}` })]) {
      const response = await call(client, [method, pathTemplate, json])
      expect([response.status, response.body.code]).toEqual([401, 'unauthenticated'])
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it.each(monitorEndpoints)(
    'of another user looks exactly like an unknown monitor: %s %s',
    async (method, pathTemplate, json) => {
      const monitorBefore = await getMonitor(owner.session, id)
      for (const client of [stranger.session, await stranger.withKey('monitors:read', 'monitors:write')]) {
        const otherUsersResponse = await call(client, [method, pathTemplate, json])
        const unknownIdResponse = await call(client, [method, pathTemplate, json], 999_999)
        expect([otherUsersResponse.status, otherUsersResponse.body.code]).toEqual([404, 'not_found'])
        expect(removeRequestId(otherUsersResponse.body)).toEqual(removeRequestId(unknownIdResponse.body))
      }
      expect(await getMonitor(owner.session, id)).toEqual(monitorBefore)
    },
  )

  it('of another user is reported as missing after schema validation, but before all other validation', async () => {
    for (const monitorId of [id, 999_999]) {
      const response = await call(stranger.session, ['PUT', `${monitorsPath}/{id}`, { interval: 1 }], monitorId)
      expect(response.status).toBe(422)
    }
    const responses = [id, 999_999].map((monitorId) =>
      call(stranger.session, ['PUT', `${monitorsPath}/{id}`, { url: 'x' }], monitorId),
    )
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([404, 404])
  })

  it.each(['0', '-1', 'abc', '1.5', '99999999999999999999', '9007199254740992', '%00', '1e3', ' 1', '٣'])(
    'with the id %j does not exist',
    async (invalidId) => {
      for (const [method, pathTemplate, json] of monitorEndpoints) {
        const response = await call(
          owner.session,
          [method, pathTemplate, json],
          encodeURIComponent(decodeURIComponent(invalidId)),
        )
        expect([method, pathTemplate, response.status]).toEqual([method, pathTemplate, 404])
      }
    },
  )

  it.each([
    [monitorsPath, 'OPTIONS', 'GET, HEAD, POST'],
    [monitorsPath, 'DELETE', 'GET, HEAD, POST'],
    [`${monitorsPath}/1`, 'POST', 'DELETE, GET, HEAD, PATCH, PUT'],
    [`${monitorsPath}/1/incidents`, 'POST', 'GET, HEAD'],
    [`${monitorsPath}/bulk`, 'GET', 'POST'],
    [`${monitorsPath}/bulk`, 'DELETE', 'POST'],
    [`${monitorsPath}/bulk`, 'OPTIONS', 'POST'],
    [`${monitorsPath}/1/incidents`, 'DELETE', 'GET, HEAD'],
  ])('at %s does not allow %s, only %s', async (pathTemplate, method, allowed) => {
    const response = await owner.session.call(method, pathTemplate)
    expect([response.status, response.body.code]).toEqual([405, 'method_not_allowed'])
    expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed)
  })

  it.each([monitorsPath, `${monitorsPath}/{id}`, `${monitorsPath}/{id}/incidents`])(
    'can be requested with HEAD at %s',
    async (pathTemplate) => {
      const response = await call(owner.session, ['HEAD', pathTemplate])
      expect([response.status, response.text]).toEqual([200, ''])
    },
  )

  it('can be sent only as JSON or as a form', async () => {
    const xml = { body: '<x/>', headers: { 'content-type': 'application/xml' } }
    const brokenJson = { body: '{', headers: { 'content-type': 'application/json' } }
    for (const [method, pathTemplate] of [
      ['POST', monitorsPath],
      ['POST', `${monitorsPath}/bulk`],
      ['PATCH', `${monitorsPath}/${id}`],
    ] as const) {
      expect((await owner.session.call(method, pathTemplate, xml)).status).toBe(415)
      expect((await owner.session.call(method, pathTemplate, brokenJson)).status).toBe(400)
    }
  })

  it('is hidden by row level security from SQL without a condition on the user', async () => {
    await addIncident(server, id, { from: 100, to: 50 })
    const { keyId } = await stranger.withKey('monitors:read')
    const tenant = server.services.db.as({ teamId: stranger.id, userId: stranger.id, keyId, sessionId: null })
    for (const table of ['monitors', 'monitor_states', 'monitor_counts', 'watches', 'incidents']) {
      expect(await server.services.db.query(`select from ${table}`)).not.toEqual([])
      expect([table, await tenant.query(`select * from ${table}`)]).toEqual([table, []])
      expect([table, await tenant.query(`delete from ${table} returning user_id`)]).toEqual([table, []])
    }
    expect(await tenant.query(`update monitors set friendly_name = 'x' returning id`)).toEqual([])
  })
})
