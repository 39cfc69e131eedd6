/** API keys that expire, that may be used only from some addresses, and that act in a team with the role of their user. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../support/authorization/things.ts'
import type { Client } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let server: TestServer
let owner: TestUser
let editor: TestUser

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  editor = await server.createUser('editor')
  await addMember(server, owner, editor.id, 'editor')
  await editor.session.put('/api/session', { team_id: owner.id })
})
afterAll(() => server.close())

const from = (client: Client, address: string) =>
  client.call('GET', '/api/monitors', { headers: { 'x-forwarded-for': address } })

describe('a key with an end', () => {
  it('works until then', async () => {
    const expiresAt = new Date(server.clock.now().getTime() + 60_000).toISOString()
    const input = { name: 'short', scopes: ['monitors:read'], expires_at: expiresAt }
    const { body } = await owner.session.post('/api/keys', input)
    expect(body.data).toMatchObject({ expires_at: expiresAt })
    const client = server.anyone.as({ key: body.data.key })
    expect((await client.get('/api/monitors')).status).toBe(200)
    server.clock.advance({ minutes: 1 })
    const refused = await client.get('/api/monitors')
    expect(refused.body).toMatchObject({ code: 'unauthenticated', detail: 'The API key has expired.' })
  })

  it('can not have ended before it is created', async () => {
    const input = { name: 'late', scopes: ['monitors:read'], expires_at: '2020-01-01T00:00:00.000Z' }
    const { status, body } = await owner.session.post('/api/keys', input)
    expect([status, body.errors]).toEqual([422, { expires_at: ['`expires_at` must be in the future.'] }])
  })
})

describe('a key for some addresses', () => {
  it('works only from these, and shows from where it was used last', async () => {
    const input = { name: 'office', scopes: ['monitors:read'], allowed_ips: ['203.0.113.7/24', '2001:DB8::/32'] }
    const { body } = await owner.session.post('/api/keys', input)
    expect(body.data.allowed_ips).toEqual(['203.0.113.0/24', '2001:db8::/32'])
    const client = server.anyone.as({ key: body.data.key })
    expect((await from(client, '203.0.113.9')).status).toBe(200)
    expect((await from(client, '2001:db8::1')).status).toBe(200)
    const refused = await from(client, '198.51.100.1')
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    await server.services.lastUsedTimes.flush(server.services.db)
    const { body: shown } = await owner.session.get(`/api/keys/${body.data.id}`)
    expect(shown.data.last_used_ip).toBe('2001:db8::1')
  })

  it('is used from the address of the connection if the client claims something that is no address', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.1, <b>anything</b>' }
    const json = { name: 'claimed', scopes: ['monitors:read'], allowed_ips: ['127.0.0.1'] }
    const { body } = await owner.session.call('POST', '/api/keys', { json, headers })
    const client = server.anyone.as({ key: body.data.key })
    expect((await client.call('GET', '/api/monitors', { headers })).status).toBe(200)
    await server.services.lastUsedTimes.flush(server.services.db)
    expect((await owner.session.get(`/api/keys/${body.data.id}`)).body.data.last_used_ip).toBe('127.0.0.1')
    const entries = await server.services.db.query(`select ip from audit_log where object_name = 'claimed'`)
    expect(entries).toEqual([{ ip: '127.0.0.1' }])
  })

  it('rejects what is no address', async () => {
    const input = { name: 'typo', scopes: ['monitors:read'], allowed_ips: ['203.0.113.300', '10.0.0.0/33'] }
    const { status, body } = await owner.session.post('/api/keys', input)
    expect([status, body.errors.allowed_ips]).toEqual([
      422,
      ['`203.0.113.300` is not an IP address or CIDR range.', '`10.0.0.0/33` is not an IP address or CIDR range.'],
    ])
  })
})

describe('a key with limits', () => {
  const createKey = (client: Client, limits: object) =>
    client.call('POST', '/api/keys', {
      json: { name: 'limited', scopes: ['monitors:read'], ...limits },
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
  const revoke = (client: Client, id: number) =>
    client.call('DELETE', `/api/keys/${id}`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  const inMinutes = (minutes: number) => new Date(server.clock.now().getTime() + minutes * 60_000).toISOString()

  async function createLimitedKey(limits: object) {
    const { body } = await createKey(owner.session, limits)
    return { id: body.data.id as number, client: server.anyone.as({ key: body.data.key }) }
  }

  it('creates keys with its limits, or narrower ones', async () => {
    const limits = { expires_at: inMinutes(10), allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] }
    const { client } = await createLimitedKey(limits)
    expect((await createKey(client, {})).body.data).toMatchObject(limits)
    expect((await createKey(client, { allowed_ips: [] })).body.data).toMatchObject(limits)
    const narrower = { expires_at: inMinutes(5), allowed_ips: ['203.0.113.9', '2001:db8:1::/48'] }
    expect((await createKey(client, narrower)).body.data).toMatchObject(narrower)
  })

  it.each([
    ['a later expiry', () => ({ expires_at: inMinutes(11) }), '`expires_at`'],
    ['a wider network', () => ({ allowed_ips: ['203.0.113.0/23'] }), '`allowed_ips`'],
    ['one other address', () => ({ allowed_ips: ['203.0.113.9', '198.51.100.1'] }), '198.51.100.1'],
    ['another family', () => ({ allowed_ips: ['::/0'] }), '::/0'],
  ])('creates no key with %s', async (_, toLimits, detail) => {
    const { client } = await createLimitedKey({ expires_at: inMinutes(10), allowed_ips: ['203.0.113.0/24'] })
    const { status, body } = await createKey(client, toLimits())
    expect([status, body.code, body.detail]).toEqual([403, 'forbidden', expect.stringContaining(detail)])
  })

  it('revokes only keys with its limits, or narrower ones', async () => {
    const { client } = await createLimitedKey({ expires_at: inMinutes(10), allowed_ips: ['203.0.113.0/24'] })
    for (const wider of [{}, { expires_at: inMinutes(10) }, { allowed_ips: ['203.0.113.0/24'] }]) {
      const { id } = await createLimitedKey(wider)
      expect((await revoke(client, id)).body).toMatchObject({ status: 403, code: 'forbidden' })
    }
    const { id } = (await createKey(client, { expires_at: inMinutes(5) })).body.data
    expect((await revoke(client, id)).status).toBe(200)
  })
})

describe("a member's key", () => {
  it('acts in the team in which it was created, is seen by its owners, and ends with the membership', async () => {
    const { body } = await editor.session.post('/api/keys', {
      name: 'mine',
      scopes: ['monitors:read', 'monitors:write'],
    })
    const client = server.anyone.as({ key: body.data.key })
    const monitor = { friendly_name: 'Shop', url: 'https://shop.example/' }
    const created = await client.post('/api/monitors', monitor)
    expect(created.status, created.text).toBe(201)
    expect((await owner.session.get(`/api/monitors/${created.body.data.id}`)).status).toBe(200)

    const listed = (await owner.session.get('/api/keys')).body.data
    expect(listed).toContainEqual(expect.objectContaining({ id: body.data.id, user_email: editor.email }))
    expect((await editor.session.get('/api/keys')).body.data).toHaveLength(1)

    await owner.session.call('PATCH', `/api/teams/${owner.id}/members/${editor.id}`, { json: { role: 'viewer' } })
    const refused = await client.post('/api/monitors', monitor)
    expect([refused.status, refused.body.code], refused.text).toEqual([403, 'forbidden'])
    expect((await client.get('/api/monitors')).status).toBe(200)

    await owner.session.delete(`/api/teams/${owner.id}/members/${editor.id}`)
    expect((await client.get('/api/monitors')).status).toBe(401)
    expect((await editor.session.get('/api/monitors')).body.meta?.total ?? 0).toBe(0)
  })
})
