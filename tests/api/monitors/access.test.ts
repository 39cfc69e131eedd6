import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scope, scopes } from '../../../src/shared/scopes.ts'
import type { Client } from '../../support/client.ts'
import { addIncident, createMonitor, getMonitor, path, setVerdict, startMonitoring } from '../../support/monitors.ts'
import type { Person, TestServer } from '../../support/server.ts'

let server: TestServer
let owner: Person
let stranger: Person
let id: number

beforeAll(async () => {
  ;({ server, owner } = await startMonitoring())
  stranger = await server.person('stranger', { isAdmin: true })
  id = (await createMonitor(owner.session, { url })).id
  await setVerdict(server, id, 'down')
})
afterAll(() => server.close())

/** Belfry does not connect to it, because it is a private address. */
const url = 'http://127.0.0.1:1/'

type Endpoint = [method: string, path: string, json?: object]

const reads: Endpoint[] = [
  ['GET', path],
  ['GET', `${path}/{id}`],
  ['GET', `${path}/{id}/incidents`],
  ['GET', `${path}/{id}/checks`],
]
const writes: Endpoint[] = [
  ['POST', path, { friendly_name: 'New', url: 'https://example.com/' }],
  ['POST', `${path}/bulk`, { ids: [1], action: 'resume' }],
  ['POST', `${path}/try`, { url }],
  ['POST', `${path}/{id}/check`],
  ['PUT', `${path}/{id}`, { retries: 3 }],
  ['PATCH', `${path}/{id}`, { retries: 3 }],
  ['DELETE', `${path}/{id}`],
]
const endpoints: [Scope, ...Endpoint][] = [
  ...reads.map((endpoint): [Scope, ...Endpoint] => ['monitors:read', ...endpoint]),
  ...writes.map((endpoint): [Scope, ...Endpoint] => ['monitors:write', ...endpoint]),
]
const allEndpoints = [...reads, ...writes]
const monitorEndpoints = allEndpoints.filter(([, route]) => route.includes('{id}'))

const call = (client: Client, method: string, where: string, json?: object, of: number | string = id) =>
  client.call(method, where.replace('{id}', String(of)), json === undefined ? {} : { json })

const withoutRequestId = ({ request_id: _, ...body }: Record<string, unknown>) => body

describe('a monitor', () => {
  it.each(endpoints)('accepts a key with only %s: %s %s', async (scope, method, where, json) => {
    const { id: ownId } = await createMonitor(owner.session, { url })
    const response = await call(await owner.withKey(scope), method, where, json, ownId)
    expect(response.status).toBe(method === 'POST' && where === path ? 201 : 200)
  })

  it.each(endpoints)('rejects a key without %s: %s %s', async (scope, method, where, json) => {
    const before = await getMonitor(owner.session, id)
    const others = scopes.filter((other) => other !== scope)
    for (const held of [others, ...others.map((other) => [other])]) {
      const response = await call(await owner.withKey(...held), method, where, json)
      expect(response.status).toBe(403)
      expect(response.body.code).toBe('missing_scope')
      expect(response.body.detail).toContain(scope)
    }
    expect(await getMonitor(owner.session, id)).toEqual(before)
  })

  it.each(allEndpoints)('requires authentication: %s %s', async (method, where, json) => {
    for (const client of [server.anyone, server.anyone.as({ key: `bf_${'x'.repeat(43)}` })]) {
      const response = await call(client, method, where, json)
      expect([response.status, response.body.code]).toEqual([401, 'unauthenticated'])
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it.each(monitorEndpoints)('of another user looks exactly like an unknown one: %s %s', async (method, where, json) => {
    const before = await getMonitor(owner.session, id)
    for (const client of [stranger.session, await stranger.withKey('monitors:read', 'monitors:write')]) {
      const theirs = await call(client, method, where, json)
      const unknown = await call(client, method, where, json, 999_999)
      expect([theirs.status, theirs.body.code]).toEqual([404, 'not_found'])
      expect(withoutRequestId(theirs.body)).toEqual(withoutRequestId(unknown.body))
    }
    expect(await getMonitor(owner.session, id)).toEqual(before)
  })

  it('of another user gets validation errors of the schema before 404', async () => {
    for (const monitorId of [id, 999_999]) {
      const response = await call(stranger.session, 'PUT', `${path}/{id}`, { interval: 1 }, monitorId)
      expect(response.status).toBe(422)
    }
    const responses = [id, 999_999].map((of) => call(stranger.session, 'PUT', `${path}/{id}`, { url: 'x' }, of))
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([404, 404])
  })

  it.each(['0', '-1', 'abc', '1.5', '99999999999999999999', '9007199254740992', '%00', '1e3', ' 1', '٣'])(
    'with the id %j does not exist',
    async (name) => {
      for (const [method, where, json] of monitorEndpoints) {
        const response = await call(owner.session, method, where, json, encodeURIComponent(decodeURIComponent(name)))
        expect([method, where, response.status]).toEqual([method, where, 404])
      }
    },
  )

  it.each([
    [path, 'OPTIONS', 'GET, HEAD, POST'],
    [path, 'DELETE', 'GET, HEAD, POST'],
    [`${path}/1`, 'POST', 'DELETE, GET, HEAD, PATCH, PUT'],
    [`${path}/1/incidents`, 'POST', 'GET, HEAD'],
    [`${path}/bulk`, 'GET', 'POST'],
    [`${path}/bulk`, 'DELETE', 'POST'],
    [`${path}/bulk`, 'OPTIONS', 'POST'],
    [`${path}/1/incidents`, 'DELETE', 'GET, HEAD'],
  ])('%s does not allow %s, only %s', async (where, method, allowed) => {
    const response = await owner.session.call(method, where)
    expect([response.status, response.body.code]).toEqual([405, 'method_not_allowed'])
    expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed)
  })

  it.each([path, `${path}/{id}`, `${path}/{id}/incidents`])('works with HEAD on %s', async (where) => {
    const response = await call(owner.session, 'HEAD', where)
    expect([response.status, response.text]).toEqual([200, ''])
  })

  it('can be sent only as JSON or as a form', async () => {
    const xml = { body: '<x/>', headers: { 'content-type': 'application/xml' } }
    const broken = { body: '{', headers: { 'content-type': 'application/json' } }
    for (const [method, where] of [
      ['POST', path],
      ['POST', `${path}/bulk`],
      ['PATCH', `${path}/${id}`],
    ] as const) {
      expect((await owner.session.call(method, where, xml)).status).toBe(415)
      expect((await owner.session.call(method, where, broken)).status).toBe(400)
    }
  })

  it('is hidden by row level security from SQL without a condition on the user', async () => {
    await addIncident(server, id, { from: 100, to: 50 })
    const { keyId } = await stranger.withKey('monitors:read')
    const tenant = server.services.db.as({ userId: stranger.id, keyId, sessionId: null })
    for (const table of ['monitors', 'monitor_states', 'monitor_counts', 'watches', 'incidents']) {
      expect(await server.services.db.query(`select from ${table}`)).not.toEqual([])
      expect([table, await tenant.query(`select * from ${table}`)]).toEqual([table, []])
      expect([table, await tenant.query(`delete from ${table} returning user_id`)]).toEqual([table, []])
    }
    expect(await tenant.query(`update monitors set friendly_name = 'x' returning id`)).toEqual([])
  })
})
