import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scope, scopes } from '../../../src/shared/scopes.ts'
import type { Client } from '../../support/client.ts'
import { addIncident, judge, makeMonitor, path, showMonitor, startMonitoring } from '../../support/monitors.ts'
import type { Person, TestServer } from '../../support/server.ts'

let server: TestServer
let owner: Person
let stranger: Person
let id: number

beforeAll(async () => {
  ;({ server, owner } = await startMonitoring())
  stranger = await server.person('stranger', { isAdmin: true })
  id = (await makeMonitor(owner.session, { url })).id
  await judge(server, id, 'down')
})
afterAll(() => server.close())

/** Not dialled: it is no public address. */
const url = 'http://127.0.0.1:1/'

type Endpoint = [method: string, path: string, json?: object]

const reads: Endpoint[] = [
  ['GET', path],
  ['GET', `${path}/{id}`],
  ['GET', `${path}/{id}/incidents`],
  ['GET', `${path}/{id}/checks`],
]
const writes: Endpoint[] = [
  ['POST', path, { friendly_name: 'Written', url: 'https://example.com/' }],
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
const ofAll = [...reads, ...writes]
const ofOne = ofAll.filter(([, where]) => where.includes('{id}'))

const call = (client: Client, method: string, where: string, json?: object, of: number | string = id) =>
  client.call(method, where.replace('{id}', String(of)), json === undefined ? {} : { json })

const withoutRequestId = ({ request_id: _, ...body }: Record<string, unknown>) => body

describe('a monitor', () => {
  it.each(endpoints)('takes a key with %s alone: %s %s', async (scope, method, where, json) => {
    const { id: mine } = await makeMonitor(owner.session, { url })
    const answer = await call(await owner.withKey(scope), method, where, json, mine)
    expect(answer.status).toBe(method === 'POST' && where === path ? 201 : 200)
  })

  it.each(endpoints)('refuses a key without %s: %s %s', async (scope, method, where, json) => {
    const before = await showMonitor(owner.session, id)
    const others = scopes.filter((other) => other !== scope)
    for (const held of [others, ...others.map((other) => [other])]) {
      const answer = await call(await owner.withKey(...held), method, where, json)
      expect(answer.status).toBe(403)
      expect(answer.body.code).toBe('missing_scope')
      expect(answer.body.detail).toContain(scope)
    }
    expect(await showMonitor(owner.session, id)).toEqual(before)
  })

  it.each(ofAll)('needs somebody: %s %s', async (method, where, json) => {
    for (const client of [server.anyone, server.anyone.as({ key: `bf_${'x'.repeat(43)}` })]) {
      const answer = await call(client, method, where, json)
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it.each(ofOne)('of somebody else looks exactly like none: %s %s', async (method, where, json) => {
    const before = await showMonitor(owner.session, id)
    for (const client of [stranger.session, await stranger.withKey('monitors:read', 'monitors:write')]) {
      const theirs = await call(client, method, where, json)
      const none = await call(client, method, where, json, 999_999)
      expect([theirs.status, theirs.body.code]).toEqual([404, 'not_found'])
      expect(withoutRequestId(theirs.body)).toEqual(withoutRequestId(none.body))
    }
    expect(await showMonitor(owner.session, id)).toEqual(before)
  })

  it('of somebody else is refused for what is wrong with the request before it is missed', async () => {
    for (const monitorId of [id, 999_999]) {
      const answer = await call(stranger.session, 'PUT', `${path}/{id}`, { interval: 1 }, monitorId)
      expect(answer.status).toBe(422)
    }
    const answers = [id, 999_999].map((of) => call(stranger.session, 'PUT', `${path}/{id}`, { url: 'x' }, of))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404])
  })

  it.each(['0', '-1', 'abc', '1.5', '99999999999999999999', '9007199254740992', '%00', '1e3', ' 1', '٣'])(
    'called %j is not there',
    async (name) => {
      for (const [method, where, json] of ofOne) {
        const answer = await call(owner.session, method, where, json, encodeURIComponent(decodeURIComponent(name)))
        expect([method, where, answer.status]).toEqual([method, where, 404])
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
  ])('%s does not take %s but %s', async (where, method, allowed) => {
    const answer = await owner.session.call(method, where)
    expect([answer.status, answer.body.code]).toEqual([405, 'method_not_allowed'])
    expect(answer.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed)
  })

  it.each([path, `${path}/{id}`, `${path}/{id}/incidents`])('works with HEAD on %s', async (where) => {
    const answer = await call(owner.session, 'HEAD', where)
    expect([answer.status, answer.text]).toEqual([200, ''])
  })

  it('is sent as JSON or a form, and nothing else', async () => {
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

  it('stays hidden from SQL that forgets to ask whose it is', async () => {
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
