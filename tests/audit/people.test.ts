/** Members, invitations, and how people sign in. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { addMember, chooseTeam, recordEntries, recordRequest, toActor, toChange } from './support.ts'

let server: TestServer
let ada: TestUser
let grace: TestUser
let teamId: number
let count = 0

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

beforeEach(async () => {
  ada = await server.createUser(`ada-${++count}`)
  grace = await server.createUser(`grace-${count}`)
  teamId = (await ada.session.post('/api/teams', { name: 'Shop' })).body.data.id
  await addMember(server, teamId, grace.id, 'editor')
  await chooseTeam(ada, teamId)
})

const query = (sql: string, values: unknown[] = []) => server.services.db.query(sql, values)
/** Statements that run in one transaction with the rights of a person. */
const asPerson = async ({ id }: TestUser, sql: string | string[], values: unknown[] = []) => {
  const [session] = await query('select id from sessions where user_id = $1 limit 1', [id])
  const caller = { teamId: id, userId: id, keyId: null, sessionId: session?.['id'] }
  await server.services.db.as({ ...caller, right: 'account' }).transaction(async (q) => {
    for (const statement of [sql].flat()) await q.query(statement, values)
  })
}

describe('a team', () => {
  it('records its creation with its founder in one entry, its settings and its name', async () => {
    const created = await recordRequest(server, ada.session, 'POST', '/api/teams', { name: 'Blog' })
    expect(created.entries).toMatchObject([
      { action: 'team.created', object_id: created.data.id, team_id: created.data.id },
    ])
    const renamed = await recordRequest(server, ada.session, 'PATCH', `/api/teams/${teamId}`, { name: 'Shops' })
    expect(renamed.entries).toMatchObject([
      { action: 'team.renamed', team_id: teamId, before: { name: 'Shop' }, after: { name: 'Shops' } },
    ])
    const changed = await recordRequest(server, ada.session, 'PATCH', '/api/account', { group_alerts: false })
    expect(changed.entries).toMatchObject([{ action: 'team.changed', after: { group_alerts: false } }])
    const second = await recordEntries(server, () =>
      query('update teams set requires_second_factor = true where id = $1', [teamId]),
    )
    expect(second).toMatchObject([{ action: 'team.changed', after: { requires_second_factor: true } }])
  })

  it('is deleted with its log, and without an entry about what disappears with it', async () => {
    await ada.session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.org/' })
    await ada.session.post('/api/v1/websites', { domain: `shop-${count}.example.org` })
    await ada.session.post('/api/keys', { name: 'key', scopes: ['monitors:read'] })
    const entries = await recordEntries(server, () => query('delete from teams where id = $1', [teamId]))
    expect(entries).toEqual([])
    expect(await query('select from audit_log where team_id = $1', [teamId])).toEqual([])
  })
})

describe('members', () => {
  const member = (id: number) => `/api/teams/${teamId}/members/${id}`

  it('are recorded when Belfry adds them, and when they get another role, are removed and leave', async () => {
    const { data: created } = await recordRequest(server, ada.session, 'POST', '/api/v1/websites', {
      domain: `shop-${count}.example.org`,
    })
    const eve = await server.createUser(`eve-${count}`)
    const joined = await recordEntries(server, () => addMember(server, teamId, eve.id, 'viewer'))
    expect(joined.map(toActor)).toEqual([['server', null, 'Belfry']])
    expect(joined).toMatchObject([
      { action: 'member.joined', object: 'member', object_id: eve.id, before: null, after: { role: 'viewer' } },
    ])
    const toGuest = { role: 'guest', website_ids: [created.id] }
    const changed = await recordRequest(server, ada.session, 'PATCH', member(eve.id), toGuest)
    expect(changed.entries.map(toChange)).toEqual([
      {
        action: 'member.role_changed',
        object_name: eve.email,
        before: { role: 'viewer', access: null, website_ids: [] },
        after: { role: 'guest', access: 'read', website_ids: [created.id] },
      },
    ])
    const shared = await recordRequest(server, ada.session, 'PATCH', member(eve.id), { website_ids: [] })
    expect(shared.entries).toMatchObject([{ action: 'member.changed', before: { website_ids: [created.id] } }])
    const removed = await recordRequest(server, ada.session, 'DELETE', member(eve.id))
    expect(removed.entries.map(toActor)).toEqual([['user', ada.id, ada.email]])
    expect(removed.entries.map(toChange)).toMatchObject([
      { action: 'member.removed', object_name: eve.email, after: null },
    ])
    const left = await recordRequest(server, grace.session, 'DELETE', member(grace.id))
    expect(left.entries.map(toActor)).toEqual([['user', grace.id, grace.email]])
    expect(left.entries.map(({ action }) => action)).toEqual(['member.left'])
  })

  it('whose account is deleted are recorded in the teams that remain, without their keys and second factors', async () => {
    await chooseTeam(grace, teamId)
    await grace.session.post('/api/keys', { name: 'key', scopes: ['monitors:read'] })
    await query(`insert into totp_secrets (user_id, sealed_secret, confirmed_at) values ($1, 'x', now())`, [grace.id])
    await query(`insert into identities (issuer, subject, user_id, created_at) values ('i', $2, $1, now())`, [
      grace.id,
      grace.email,
    ])
    const root = await server.createUser(`root-${count}`, { isAdmin: true })
    const { entries } = await recordRequest(server, root.session, 'DELETE', `/api/users/${grace.id}`)
    expect(entries.map(toActor)).toEqual([['user', root.id, root.email]])
    expect(entries).toMatchObject([
      { action: 'member.removed', team_id: teamId, object_id: grace.id, object_name: grace.email, after: null },
    ])
  })
})

describe('invitations', () => {
  const invite = `insert into invitations (team_id, email, role, guest_can_edit, website_ids, page_ids, token_hash, is_mailed, created_at, expires_at)
    values ($1, 'new@example.org', 'viewer', false, '{}', '{}', $2, true, now(), $3)`
  const tomorrow = () => new Date(Date.now() + 86_400_000)
  const token = () => Buffer.from(`token-mark-${++count}`)

  it('are recorded when they are created, revoked and accepted, without their token', async () => {
    const created = await recordEntries(server, () => query(invite, [teamId, token(), tomorrow()]))
    expect(created).toMatchObject([
      {
        action: 'invitation.created',
        object_name: 'new@example.org',
        after: { email: 'new@example.org', role: 'viewer' },
      },
    ])
    expect(JSON.stringify(created)).not.toContain('token')
    const [session] = await query('select id from sessions where user_id = $1', [ada.id])
    const caller = { teamId, userId: ada.id, keyId: null, sessionId: session?.['id'] }
    const revoked = await recordEntries(server, () =>
      server.services.db.as(caller).transaction((q) => q.query('delete from invitations where team_id = own_team()')),
    )
    expect(revoked).toMatchObject([{ action: 'invitation.revoked', actor_id: ada.id }])
    await query(invite, [teamId, token(), tomorrow()])
    const accepted = await recordEntries(server, () => query('delete from invitations where team_id = $1', [teamId]))
    expect(accepted).toMatchObject([{ action: 'invitation.accepted', after: null }])
  })

  it('are accepted, not revoked, if the id of the request is "command"', async () => {
    await query(invite, [teamId, token(), tomorrow()])
    const db = server.services.db.recordingOrigin({ request_id: 'command' })
    const entries = await recordEntries(server, () => db.query('delete from invitations where team_id = $1', [teamId]))
    expect(entries).toMatchObject([{ action: 'invitation.accepted', request_id: 'command' }])
  })

  it('that expired disappear without an entry', async () => {
    await query(invite, [teamId, token(), new Date(0)])
    expect(await recordEntries(server, () => query('delete from invitations where team_id = $1', [teamId]))).toEqual([])
  })
})

describe('how a person signs in', () => {
  /** A change is recorded in the person's own team and in `teamId`. */
  const expectInBothTeams = (entries: { team_id: number; action: string }[], action: string) =>
    expect(entries.map((entry) => [entry.team_id, entry.action])).toEqual(
      [grace.id, teamId].sort((a, b) => a - b).map((team) => [team, action]),
    )

  it('is recorded when they change their password', async () => {
    const body = { current_password: grace.password, new_password: 'a new password mark' }
    const { entries } = await recordRequest(server, grace.session, 'PUT', '/api/account/password', body)
    expectInBothTeams(entries, 'user.password_changed')
    expect(entries[0]).toMatchObject({ object: 'user', object_id: grace.id, object_name: grace.email, ip: '127.0.0.1' })
    expect(entries[0]).toMatchObject({ before: { password: '[hidden]' }, after: { password: '[hidden]' } })
  })

  it('is recorded in the same way if the id of the request is "command"', async () => {
    const json = { current_password: grace.password, new_password: 'a new password mark' }
    const headers = { 'x-request-id': 'command' }
    const entries = await recordEntries(server, () =>
      grace.session.call('PUT', '/api/account/password', { json, headers }),
    )
    expectInBothTeams(entries, 'user.password_changed')
  })

  it('is recorded when they reset their password with a link', async () => {
    const db = server.services.db.recordingOrigin({ ip: '192.0.2.9', request_id: 'r1' })
    const entries = await recordEntries(server, () =>
      db.query(`update users set password_hash = 'hash mark' where id = $1`, [grace.id]),
    )
    expectInBothTeams(entries, 'user.password_reset')
    expect(entries.map(toActor)[0]).toEqual(['user', grace.id, grace.email])
    expect(entries[0]).toMatchObject({ ip: '192.0.2.9', request_id: 'r1' })
  })

  it('is recorded when they change their email', async () => {
    const email = `new-${grace.email}`
    const entries = await recordEntries(server, () =>
      asPerson(grace, 'update users set email = $2 where id = $1', [grace.id, email]),
    )
    expectInBothTeams(entries, 'user.email_changed')
    expect(entries[0]).toMatchObject({ before: { email: grace.email }, after: { email } })
  })

  it.each([
    [
      'second_factor',
      `insert into totp_secrets (user_id, sealed_secret, confirmed_at) values ($1, 'secret mark', now())`,
      'totp_secrets',
      'added',
      'removed',
    ],
    [
      'passkey',
      `insert into passkeys (user_id, credential_id, public_key, counter, transports, is_backed_up, name, created_at)
                 values ($1, 'credential mark', 'key mark', 0, '{}', false, 'Phone', now())`,
      'passkeys',
      'added',
      'removed',
    ],
    [
      'single_sign_on',
      `insert into identities (issuer, subject, user_id, created_at) values ('https://id.example', 'grace', $1, now())`,
      'identities',
      'linked',
      'unlinked',
    ],
  ])('is recorded when a %s is added and removed', async (name, insert, table, added, removed) => {
    const addedEntries = await recordEntries(server, () => asPerson(grace, insert, [grace.id]))
    expectInBothTeams(addedEntries, `user.${name}_${added}`)
    expect(addedEntries.map(toActor)[0]).toEqual(['user', grace.id, grace.email])
    const removedEntries = await recordEntries(server, () =>
      asPerson(grace, `delete from ${table} where user_id = $1`, [grace.id]),
    )
    expectInBothTeams(removedEntries, `user.${name}_${removed}`)
    expect(JSON.stringify([...addedEntries, ...removedEntries])).not.toContain('mark')
  })

  it('is recorded when they create new recovery codes, with the second factor that the codes come with', async () => {
    const addFactor = `insert into totp_secrets (user_id, sealed_secret, confirmed_at) values ($1, 'x', now())`
    const addCodes = `insert into recovery_codes (user_id, code_hash)
                      select $1, ('mark ' || n)::bytea from generate_series(1, 10) as n`
    const entries = await recordEntries(server, () => asPerson(grace, addCodes, [grace.id]))
    expectInBothTeams(entries, 'user.recovery_codes_renewed')
    expect(entries[0]).toMatchObject({ before: null, after: { recovery_codes: 10 } })
    expect(JSON.stringify(entries)).not.toContain('mark')
    const enrolment = await recordEntries(server, () => asPerson(ada, [addFactor, addCodes], [ada.id]))
    expect(enrolment.map(({ action, after }) => [action, after])).toEqual(
      Array(2).fill(['user.second_factor_added', { authenticator: true, recovery_codes: 10 }]),
    )
  })

  it('is not recorded before a second factor is confirmed, nor when a code or a passkey is used', async () => {
    const entries = await recordEntries(server, async () => {
      await asPerson(grace, `insert into totp_secrets (user_id, sealed_secret) values ($1, 'x')`, [grace.id])
      await asPerson(grace, 'delete from totp_secrets where user_id = $1', [grace.id])
    })
    expect(entries).toEqual([])
    await asPerson(grace, `insert into totp_secrets (user_id, sealed_secret) values ($1, 'x')`, [grace.id])
    const confirmed = await recordEntries(server, () =>
      asPerson(grace, 'update totp_secrets set confirmed_at = now() where user_id = $1', [grace.id]),
    )
    expectInBothTeams(confirmed, 'user.second_factor_added')
    expect(
      await recordEntries(server, () =>
        asPerson(grace, 'update totp_secrets set last_step = 5 where user_id = $1', [grace.id]),
      ),
    ).toEqual([])
  })
})

describe('a website or monitor that moves to another team', () => {
  it('has an entry in the log of each team, and none about what moves with it', async () => {
    const { data: website } = await recordRequest(server, ada.session, 'POST', '/api/v1/websites', {
      domain: `shop-${count}.example.org`,
    })
    await ada.session.call('PATCH', `/api/v1/websites/${website.id}`, { json: { watch_traffic: true } })
    const entries = await recordEntries(server, () =>
      server.services.db.transaction(async (q) => {
        await q.query(`select set_config('belfry.audit_move', 'on', true)`)
        await q.query('set constraints all deferred')
        for (const table of [
          'websites',
          'website_suffixes',
          'awaited_websites',
          'monitors',
          'monitor_states',
          'watches',
          'traffic_watches',
        ]) {
          await q.query(`update ${table} set user_id = $2 where user_id = $1`, [teamId, ada.id])
        }
        await q.query(`update website_icons set user_id = $2 where user_id = $1`, [teamId, ada.id])
        await q.query(`delete from assignments`)
      }),
    )
    const change = {
      action: 'website.moved',
      object_id: website.id,
      before: { team_id: teamId, team: 'Shop' },
      after: { team_id: ada.id, team: ada.email },
    }
    expect(entries).toMatchObject([
      { ...change, team_id: teamId },
      { ...change, team_id: ada.id },
    ])
  })
})
