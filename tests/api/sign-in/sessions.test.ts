/** The list of one's own sessions, and teams that require a second factor. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseSessionCookie } from '../../support/client.ts'
import { openEventStream } from '../../support/event-stream-client.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { setUpTotp } from '../../support/totp.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'

let server: TestServer
let ada: TestUser
let grace: TestUser

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
  grace = await server.createUser('grace')
})
afterAll(() => server.close())

async function signIn({ email, password }: TestUser, headers: Record<string, string>) {
  const response = await server.anyone.post('/api/session', { email, password }, { headers })
  return server.anyone.as({ cookie: parseSessionCookie(response) ?? '' })
}

const patch = (user: TestUser, path: string, json: object) => user.session.call('PATCH', path, { json })

describe('the list of sessions', () => {
  it('shows device, place and time of each, the last used one first', async () => {
    server.clock.advance({ minutes: 1 })
    const client = await signIn(ada, { 'user-agent': firefox, 'x-forwarded-for': '8.8.8.8' })
    const { body } = await client.get('/api/sessions')
    const now = server.clock.now().toISOString()
    expect(body.meta.total).toBe(2)
    expect(body.data[0]).toEqual({
      id: expect.any(Number),
      is_current: true,
      method: 'password',
      device: 'Firefox on Linux',
      place: 'US',
      address: '8.8.8.8',
      created_at: now,
      last_seen_at: now,
      is_strong: false,
    })
    expect(body.data[1]).toMatchObject({ is_current: false, device: null, place: null, address: null })
    const odd = await signIn(ada, { 'user-agent': `curl/8 ${'x'.repeat(5_000)}`, 'x-forwarded-for': '10.0.0.7' })
    expect((await odd.get('/api/sessions')).body.data[0]).toMatchObject({
      device: null,
      place: null,
      address: '10.0.0.7',
    })
    const [row] = await server.services.db.query('select max(length(user_agent)) as length from sessions')
    expect(row?.['length']).toBe(400)
  })

  it('ends one session, and all others', async () => {
    const [first, second, third] = [await signIn(ada, {}), await signIn(ada, {}), await signIn(ada, {})]
    const [{ id }] = (await third.get('/api/sessions')).body.data
    expect((await grace.session.delete(`/api/sessions/${id}`)).status).toBe(404)
    const ended = await first.delete(`/api/sessions/${id}`)
    expect(ended.body, ended.text).toEqual({ id, object: 'session', deleted: true })
    expect((await third.get('/api/session')).status).toBe(401)
    expect((await first.delete(`/api/sessions/${id}`)).status).toBe(404)
    const others = await second.delete('/api/sessions')
    expect(others.body.data.ended).toBeGreaterThan(1)
    expect((await first.get('/api/session')).status).toBe(401)
    expect((await grace.session.get('/api/session')).status).toBe(200)
    const { data, meta } = (await second.get('/api/sessions')).body
    expect(meta.total).toBe(1)
    const own = await second.delete(`/api/sessions/${data[0].id}`)
    expect(own.headers.get('set-cookie')).toMatch(/^belfry_session=; Max-Age=0; /)
    expect((await second.get('/api/session')).status).toBe(401)
  })

  it('leaves out sessions that have expired', async () => {
    const bob = await server.createUser('bob')
    server.clock.advance({ days: 29 })
    const client = await signIn(bob, {})
    server.clock.advance({ days: 2 })
    expect((await client.get('/api/sessions')).body.meta.total).toBe(1)
  })
})

describe('while a node of the previous version is running', () => {
  it('second factors are refused, because that node would not ask for them', async () => {
    const { db } = server.services
    const { session, password } = await server.createUser('early')
    await db.query(
      `insert into nodes (id, seen_at, process_id, roles, schema_version) values (1000, now() + interval '1 hour', 1, '{web}', 16)`,
    )
    try {
      const begun = await session.post('/api/account/totp', { current_password: password })
      const headers = { 'x-forwarded-host': 'localhost:3000' }
      const passkey = await session.post('/api/account/passkeys/options', {}, { headers })
      for (const { status, body } of [begun, passkey]) {
        expect([status, body.detail]).toEqual([409, expect.stringContaining('Upgrade all nodes first.')])
      }
    } finally {
      await db.query('delete from nodes where id = 1000')
    }
  })
})

describe('a team that requires a second factor', () => {
  it('can only be set up by somebody who has one', async () => {
    const eve = await server.createUser('eve')
    const refused = await patch(eve, `/api/teams/${eve.id}`, { name: 'Renamed', requires_second_factor: true })
    expect(refused.status).toBe(409)
    expect(refused.body.detail).toContain('Set up a second factor for your own account first')
    const team = (await eve.session.get(`/api/teams/${eve.id}`)).body.data
    expect(team).toMatchObject({ name: eve.email, requires_second_factor: false })
    await setUpTotp(server, eve)
    const changed = await patch(eve, `/api/teams/${eve.id}`, { requires_second_factor: true })
    expect(changed.body.data, changed.text).toMatchObject({ name: eve.email, requires_second_factor: true })
    expect((await eve.session.get('/api/teams')).body.data).toMatchObject([{ requires_second_factor: true }])
    expect((await eve.session.get('/api/monitors')).status).toBe(200)
    // Without a second factor, the same session is no longer enough.
    await eve.session.post('/api/account/totp/disable', { current_password: eve.password })
    expect((await eve.session.get('/api/monitors')).body.code).toBe('second_factor_required')
  })

  it('refuses everything but their account to members without one, until they set one up', async () => {
    const owner = await server.createUser('owner')
    const member = await server.createUser('member')
    const { db } = server.services
    const [team] = await db.query<{ id: number }>(`select found_team($1, 'Shop') as id`, [owner.id])
    const teamId = team?.id as number
    await db.query(`insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, 'admin', now())`, [
      teamId,
      member.id,
    ])
    const { session } = member
    expect((await session.put('/api/session', { team_id: teamId })).status).toBe(200)
    const monitor = await session.post('/api/monitors', { friendly_name: 'Shop', url: 'http://127.0.0.1:9/' })
    expect(monitor.status, monitor.text).toBe(201)
    const { key } = (await session.post('/api/keys', { name: 'x', scopes: ['monitors:read'] })).body.data

    const stream = await openEventStream(server.address, session)
    await setUpTotp(server, owner)
    expect((await patch(owner, `/api/teams/${teamId}`, { requires_second_factor: true })).status).toBe(200)

    expect(await stream.ended).toBe('properly')
    const refusals = [
      await session.get('/api/monitors'),
      await session.get(`/api/monitors/${monitor.body.data.id}`),
      await session.get('/api/v1/websites'),
      await session.get('/api/overview'),
      await session.get('/api/live'),
      await session.get('/api/keys'),
      await session.get(`/api/teams/${teamId}/members`),
      await session.post('/api/monitors', { friendly_name: 'Shop', url: 'http://127.0.0.1:9/' }),
      await session.delete(`/api/monitors/${monitor.body.data.id}`),
      await patch(member, `/api/teams/${teamId}`, { requires_second_factor: false }),
      await patch(member, '/api/account', { group_alerts: false }),
    ]
    for (const { status, body, text } of refusals)
      expect([status, body.code], text).toEqual([403, 'second_factor_required'])
    expect(refusals[0]?.body.detail).toBe('This team requires a second factor. Set one up under "Security".')

    const allowed = [
      await session.get('/api/session'),
      await session.get('/api/sessions'),
      await session.get('/api/account'),
      await session.get('/api/account/security'),
      await session.get('/api/teams'),
      await session.get(`/api/teams/${teamId}`),
      await session.get('/'),
      await session.get('/account'),
    ]
    for (const { status, text } of allowed) expect(status, text).toBe(200)
    expect((await session.get('/nowhere', { headers: { accept: 'text/html' } })).status).toBe(404)
    // API keys have no second factor, and other teams don't require one.
    expect((await server.anyone.as({ key }).get('/api/monitors')).status).toBe(200)
    expect((await session.put('/api/session', { team_id: member.id })).status).toBe(200)
    expect((await session.get('/api/monitors')).status).toBe(200)
    expect((await session.put('/api/session', { team_id: teamId })).status).toBe(200)
    expect((await session.get('/api/monitors')).status).toBe(403)

    const { app } = await setUpTotp(server, member)
    expect((await session.get('/api/monitors')).body.meta.total).toBe(1)
    expect((await session.delete(`/api/monitors/${monitor.body.data.id}`)).status).toBe(200)

    server.clock.advance({ seconds: 30 })
    const { email, password } = member
    const begun = await server.anyone.post('/api/session', { email, password })
    const { token } = begun.body.data.second_factor
    const finished = await server.anyone.post('/api/session/second-factor', { token, code: app.code() })
    const later = server.anyone.as({ cookie: parseSessionCookie(finished) ?? '' })
    expect((await later.put('/api/session', { team_id: teamId })).status).toBe(200)
    expect((await later.get('/api/monitors')).status).toBe(200)
  })

  it('is changed only by owners and admins, also if a route forgot to ask', async () => {
    const owner = await server.createUser('owner2')
    const editor = await server.createUser('editor')
    const { db } = server.services
    await db.query(`insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, 'editor', now())`, [
      owner.id,
      editor.id,
    ])
    const [session] = await db.query<{ id: number }>('select id from sessions where user_id = $1', [editor.id])
    const caller = { teamId: owner.id, userId: editor.id, keyId: null, sessionId: session?.id as number }
    const tenant = db.as({ ...caller, right: 'edit' })
    await expect(tenant.query('update teams set requires_second_factor = true where id = own_team()')).rejects.toThrow(
      'only owners and admins change the settings of a team',
    )
    expect((await patch(editor, `/api/teams/${owner.id}`, { requires_second_factor: true })).status).toBe(403)
  })
})
