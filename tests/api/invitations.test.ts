/** Invitations to teams: who can invite whom, and who can accept. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteExpired } from '../../src/app/delete-expired.ts'
import type { Role } from '../../src/shared/roles.ts'
import { addMember } from '../support/authorization/things.ts'
import { type ClientResponse, parseSessionCookie } from '../support/client.ts'
import { type MailingServer, PUBLIC_URL, readToken, startMailingServer } from '../support/mailed-links.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

const password = 'a long enough password'

let mailing: MailingServer
let server: TestServer
let ada: TestUser
let userCount = 0

beforeAll(async () => {
  mailing = await startMailingServer()
  server = mailing.server
})
afterAll(() => mailing.close())
beforeEach(async () => {
  // Earlier tests may have used up a limit of the day.
  server.clock.advance({ days: 1 })
  ada = await createUser('ada')
})

const createUser = (name: string) => server.createUser(`${name}${++userCount}`)
const newAddress = () => `invited${++userCount}@example.com`

const pathOf = ({ id }: TestUser) => `/api/teams/${id}/invitations`

const invite = (by: TestUser, body: object, team = by) => by.session.post(pathOf(team), body)

async function inviteTo(team: TestUser, email: string, body: object = { role: 'editor' }): Promise<string> {
  const response = await invite(team, { email, ...body })
  expect(response.status, response.text).toBe(201)
  return response.body.data.url.split('/').at(-1)
}

const accept = (token: string, body: object = { password }) =>
  server.anyone.post('/api/invitations/accept', { token, ...body })

const acceptAs = (user: TestUser, token: string) => user.session.post('/api/invitations/accept', { token })

const preview = (token: string) => server.anyone.post('/api/invitations/preview', { token })

const signedIn = (response: ClientResponse) => server.anyone.as({ cookie: parseSessionCookie(response) ?? '' })

async function listMembers(team: TestUser) {
  const { body } = await team.session.get(`/api/teams/${team.id}/members`)
  return body.data as { email: string; role: Role; access: string; website_ids: number[] }[]
}

const findMember = async (team: TestUser, email: string) =>
  (await listMembers(team)).find((member) => member.email === email)

async function createMember(team: TestUser, role: Role): Promise<TestUser> {
  const user = await createUser(role)
  await addMember(server, team, user.id, role)
  return user
}

const readConfirmedAt = async (email: string) =>
  (await server.services.db.query('select email_confirmed_at from users where email = $1', [email]))[0]?.[
    'email_confirmed_at'
  ]

describe('an invitation', () => {
  it('is listed, mailed as text and HTML, and creates a confirmed account that is signed in to the team', async () => {
    const email = newAddress()
    const created = await invite(ada, { email, role: 'editor' })
    expect(created.status, created.text).toBe(201)
    const { url, mail_problem, ...record } = created.body.data
    expect(record).toMatchObject({ email, role: 'editor', access: null, invited_by: ada.email, is_mailed: true })
    expect(mail_problem).toBeNull()
    expect(url).toMatch(/^https:\/\/stats\.example\.com\/invitations\/[\w-]{43}$/)
    expect((await ada.session.get(pathOf(ada))).body).toEqual({ data: [record], meta: { total: 1 } })

    const received = await mailing.receive(email)
    expect(received.mail.subject).toBe(`Invitation to the team "${ada.email}" on Belfry`)
    expect(received.mail.text).toContain(
      `${ada.email} invites you to work in the team "${ada.email}" at ${PUBLIC_URL}, as an editor.`,
    )
    expect(received.mail.text).toContain(`${PUBLIC_URL}/api/block-emails?token=`)
    const token = readToken(received, 'invitations')
    expect(url).not.toContain(token)
    expect((await preview(token)).body.data).toEqual({
      team_name: ada.email,
      role: 'editor',
      email,
      invited_by: ada.email,
      expires_at: record.expires_at,
    })

    const accepted = await accept(token)
    expect(accepted.status, accepted.text).toBe(201)
    expect(accepted.body.data).toMatchObject({ user: { email, is_admin: false }, team_id: ada.id })
    const session = signedIn(accepted)
    const teams = (await session.get('/api/teams')).body.data
    expect(teams).toMatchObject([
      { name: email, role: 'owner', is_current: false },
      { id: ada.id, role: 'editor', is_current: true },
    ])
    expect((await session.get('/api/account')).body.data.email_confirmed_at).toBe(server.clock.now().toISOString())
    const [row] = await server.services.db.query(
      'select method, is_strong, user_agent, address from sessions s join users u on u.id = s.user_id where u.email = $1',
      [email],
    )
    expect(row).toEqual({ method: 'link', is_strong: false, user_agent: 'node', address: '127.0.0.1' })
    expect((await server.anyone.post('/api/session', { email, password })).status).toBe(200)
    expect((await ada.session.get(pathOf(ada))).body.data).toEqual([])
  })

  it('leaves the address unconfirmed if the copied link was used, which ends the mailed one, too', async () => {
    const email = newAddress()
    const token = await inviteTo(ada, email)
    const mailToken = readToken(await mailing.receive(email), 'invitations')
    expect((await accept(token)).status).toBe(201)
    expect(await readConfirmedAt(email)).toBeNull()
    expect((await accept(mailToken)).status).toBe(404)
    expect((await preview(mailToken)).status).toBe(404)
  })

  it('is accepted by a signed-in user with this address, in upper or lower case', async () => {
    const grace = await createUser('grace')
    await inviteTo(ada, grace.email.toUpperCase(), { role: 'viewer' })
    const token = readToken(await mailing.receive(grace.email), 'invitations')
    const accepted = await acceptAs(grace, token)
    expect(accepted.status, accepted.text).toBe(200)
    expect(accepted.body.data).toMatchObject({ user: { id: grace.id }, team_id: ada.id })
    expect(await findMember(ada, grace.email)).toMatchObject({ role: 'viewer' })
    expect((await grace.session.get('/api/teams')).body.data).toMatchObject([
      { id: grace.id, is_current: false },
      { id: ada.id, is_current: true },
    ])
    expect(await readConfirmedAt(grace.email)).toEqual(server.clock.now())
    expect((await acceptAs(grace, token)).status).toBe(404)
  })

  it('works for 48 hours, and is then deleted', async () => {
    const email = newAddress()
    const token = await inviteTo(ada, email)
    server.clock.advance({ hours: 47, minutes: 59 })
    expect((await preview(token)).status).toBe(200)
    server.clock.advance({ minutes: 1 })
    expect((await preview(token)).status).toBe(404)
    expect((await accept(token)).status).toBe(404)
    expect((await ada.session.get(pathOf(ada))).body.data).toEqual([])
    const count = () =>
      server.services.db.query('select count(*)::int as count from invitations where team_id = $1', [ada.id])
    expect(await count()).toEqual([{ count: 1 }])
    await deleteExpired(server.services)
    expect(await count()).toEqual([{ count: 0 }])
  })

  it('is revoked, and replaced by another one for the same address', async () => {
    const email = newAddress()
    const first = await inviteTo(ada, email, { role: 'viewer' })
    const firstMailed = readToken(await mailing.receive(email), 'invitations')
    const second = await invite(ada, { email: email.toUpperCase(), role: 'editor' })
    for (const token of [first, firstMailed]) expect((await accept(token)).status).toBe(404)
    const { id, url } = second.body.data
    const revoked = await ada.session.delete(`${pathOf(ada)}/${id}`)
    expect(revoked.body).toEqual({ id, object: 'invitation', deleted: true })
    expect((await accept(url.split('/').at(-1))).status).toBe(404)
    expect((await ada.session.delete(`${pathOf(ada)}/${id}`)).status).toBe(404)
  })

  it('of a guest shares websites, and adds them to those of an existing guest', async () => {
    const createWebsite = async () =>
      (await ada.session.post('/api/v1/websites', { domain: `shop${++userCount}.example.org` })).body.data.id as number
    const [first, second, third] = [await createWebsite(), await createWebsite(), await createWebsite()]
    const grace = await createUser('grace')
    const token = await inviteTo(ada, grace.email, { role: 'guest', access: 'edit', website_ids: [first, second] })
    await ada.session.delete(`/api/v1/websites/${second}`)
    expect((await acceptAs(grace, token)).status).toBe(200)
    expect(await findMember(ada, grace.email)).toMatchObject({ role: 'guest', access: 'edit', website_ids: [first] })
    const visible = (await grace.session.get('/api/v1/websites')).body.data
    expect(visible.map(({ id }: { id: number }) => id)).toEqual([first])

    // The guest becomes a member only after they were invited again.
    const henry = await createUser('henry')
    const other = await inviteTo(ada, henry.email, { role: 'guest', website_ids: [third] })
    await addMember(server, ada, henry.id, 'guest')
    expect((await acceptAs(henry, other)).status).toBe(200)
    expect(await findMember(ada, henry.email)).toMatchObject({ role: 'guest', access: 'read', website_ids: [third] })
  })

  it('changes no role of a person who has become a member in the meantime, and is used up', async () => {
    const grace = await createUser('grace')
    const token = await inviteTo(ada, grace.email, { role: 'owner' })
    await addMember(server, ada, grace.id, 'viewer')
    expect((await acceptAs(grace, token)).status).toBe(200)
    expect(await findMember(ada, grace.email)).toMatchObject({ role: 'viewer' })
    expect((await acceptAs(grace, token)).status).toBe(404)
  })

  it('leads into a team that requires a second factor, which then asks for it', async () => {
    const grace = await createUser('grace')
    const token = await inviteTo(ada, grace.email)
    await server.services.db.query('update teams set requires_second_factor = true where id = $1', [ada.id])
    expect((await acceptAs(grace, token)).status).toBe(200)
    const refused = await grace.session.get('/api/monitors')
    expect(refused.body).toMatchObject({ status: 403, code: 'second_factor_required' })
  })
})

describe('an invitation can not be accepted', () => {
  it('by another user, who learns nothing but its address, and leaves it valid', async () => {
    const email = newAddress()
    const mallory = await createUser('mallory')
    const token = await inviteTo(ada, email)
    const refused = await acceptAs(mallory, token)
    expect(refused.body).toMatchObject({ status: 403, code: 'forbidden' })
    expect(refused.body.detail).toContain('This invitation is for another address')
    expect((await mallory.session.get('/api/teams')).body.meta.total).toBe(1)
    expect((await accept(token)).status).toBe(201)
  })

  it('with a password if the address has an account, which the preview does not reveal', async () => {
    const grace = await createUser('grace')
    const unknown = newAddress()
    const [token, unknownToken] = [await inviteTo(ada, grace.email), await inviteTo(ada, unknown)]
    const refused = await accept(token)
    expect(refused.body).toMatchObject({ status: 409, code: 'conflict' })
    expect(refused.body.detail).toContain('Sign in first')
    const [known, other] = [await preview(token), await preview(unknownToken)]
    expect({ ...known.body.data, email: '' }).toEqual({ ...other.body.data, email: '' })
    expect((await acceptAs(grace, token)).status).toBe(200)
  })

  it.each(['wrong', 'A'.repeat(43)])('with the token %s', async (token) => {
    expect((await accept(token)).status).toBe(404)
    expect((await preview(token)).status).toBe(404)
  })

  it('without a session or a password, with a short password, with an API key, or from another site', async () => {
    const token = await inviteTo(ada, newAddress())
    expect((await accept(token, {})).body.errors).toEqual({ password: ['`password` is required for a new account.'] })
    expect((await accept(token, { password: 'short' })).status).toBe(422)
    expect((await (await ada.withKey()).post('/api/invitations/accept', { token })).status).toBe(403)
    const headers = { 'sec-fetch-site': 'cross-site' }
    const foreign = await server.anyone.post('/api/invitations/accept', { token, password }, { headers })
    expect(foreign.status).toBe(403)
    expect((await preview(token)).status).toBe(200)
  })

  it('after the inviter has lost the right to send it', async () => {
    const admin = await createMember(ada, 'admin')
    const owner = await createMember(ada, 'owner')
    const byAdmin = (await invite(admin, { email: newAddress(), role: 'editor' }, ada)).body.data.url.split('/').at(-1)
    const byOwner = (await invite(owner, { email: newAddress(), role: 'owner' }, ada)).body.data.url.split('/').at(-1)
    const setRole = (user: TestUser, role: Role) =>
      ada.session.call('PATCH', `/api/teams/${ada.id}/members/${user.id}`, { json: { role } })
    await setRole(admin, 'editor')
    await setRole(owner, 'admin')
    for (const token of [byAdmin, byOwner]) {
      expect((await preview(token)).status).toBe(404)
      expect((await accept(token)).status).toBe(404)
    }
    expect((await ada.session.get(pathOf(ada))).body.data).toEqual([])
    await setRole(admin, 'admin')
    await server.services.db.query('delete from users where id = $1', [admin.id])
    expect((await accept(byAdmin)).status).toBe(404)
  })

  it.each([
    ['was removed', (grace: TestUser) => ada.session.delete(`/api/teams/${ada.id}/members/${grace.id}`)],
    ['has left', (grace: TestUser) => grace.session.delete(`/api/teams/${ada.id}/members/${grace.id}`)],
  ])('by a person who became a member in another way and %s', async (_, end) => {
    const grace = await createUser('grace')
    const [token, otherToken] = [
      await inviteTo(ada, grace.email.toUpperCase(), { role: 'owner' }),
      await inviteTo(ada, newAddress()),
    ]
    await addMember(server, ada, grace.id, 'viewer')
    expect((await end(grace)).status).toBe(200)
    expect((await acceptAs(grace, token)).status).toBe(404)
    expect(await findMember(ada, grace.email)).toBeUndefined()
    expect((await accept(otherToken)).status).toBe(201)
  })

  it('by a person whose account was deleted while they were a member', async () => {
    const grace = await createUser('grace')
    const token = await inviteTo(ada, grace.email)
    await addMember(server, ada, grace.id, 'viewer')
    await server.services.db.query('delete from users where id = $1', [grace.id])
    expect((await accept(token)).status).toBe(404)
  })

  it('twice at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const email = newAddress()
      const token = await inviteTo(ada, email)
      const mailToken = readToken(await mailing.receive(email), 'invitations')
      const responses = await Promise.all([accept(token), accept(mailToken), accept(token)])
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 404, 404])
    }
    const grace = await createUser('grace')
    const token = await inviteTo(ada, grace.email)
    const responses = await Promise.all([acceptAs(grace, token), acceptAs(grace, token)])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404])
  })

  it('by a session that has ended, which counts as signed out', async () => {
    const grace = await createUser('grace')
    expect((await grace.session.get('/api/session')).status).toBe(200)
    await server.services.db.query('delete from sessions where user_id = $1', [grace.id])
    const token = await inviteTo(ada, grace.email)
    expect((await acceptAs(grace, token)).status).toBe(409)
    expect(await findMember(ada, grace.email)).toBeUndefined()
  })

  it('too often with wrong tokens', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.77' }
    const guess = () => server.anyone.post('/api/invitations/preview', { token: 'wrong' }, { headers })
    const statuses = (await Promise.all(Array.from({ length: 61 }, guess))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(60)
    expect((await guess()).status).toBe(429)
    expect((await preview('wrong')).status).toBe(404)
  })
})

describe('inviting', () => {
  it('is refused to everybody but owners and admins, and only owners invite owners', async () => {
    const email = newAddress()
    for (const role of ['editor', 'viewer', 'guest'] as const) {
      const member = await createMember(ada, role)
      expect((await invite(member, { email, role: 'viewer' }, ada)).status, role).toBe(403)
      expect((await member.session.get(pathOf(ada))).status, role).toBe(403)
      expect((await member.session.delete(`${pathOf(ada)}/1`)).status, role).toBe(403)
    }
    const admin = await createMember(ada, 'admin')
    expect((await invite(admin, { email, role: 'owner' }, ada)).status).toBe(403)
    expect((await invite(admin, { email, role: 'admin' }, ada)).status).toBe(201)
    const outsider = await createUser('outsider')
    expect((await invite(outsider, { email, role: 'viewer' }, ada)).status).toBe(404)
    expect((await outsider.session.get(pathOf(ada))).status).toBe(404)
    const { id } = (await ada.session.get(pathOf(ada))).body.data[0]
    expect((await outsider.session.delete(`${pathOf(ada)}/${id}`)).status).toBe(404)
    // The id belongs to another team.
    expect((await outsider.session.delete(`${pathOf(outsider)}/${id}`)).status).toBe(404)
    expect((await (await ada.withKey()).get(pathOf(ada))).status).toBe(403)
  })

  it('with the role owner can be replaced and revoked only by owners', async () => {
    const admin = await createMember(ada, 'admin')
    const email = newAddress()
    const { id, url } = (await invite(ada, { email, role: 'owner' })).body.data
    const refusals = [
      await invite(admin, { email: email.toUpperCase(), role: 'viewer' }, ada),
      await admin.session.delete(`${pathOf(ada)}/${id}`),
    ]
    for (const { body } of refusals) expect(body).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await preview(url.split('/').at(-1))).body.data).toMatchObject({ role: 'owner' })
    expect((await admin.session.delete(`${pathOf(ada)}/${id + 1}`)).status).toBe(404)
    const replaced = await invite(ada, { email, role: 'viewer' })
    expect(replaced.status).toBe(201)
    expect((await admin.session.delete(`${pathOf(ada)}/${replaced.body.data.id}`)).status).toBe(200)
    const again = await invite(ada, { email, role: 'owner' })
    expect((await ada.session.delete(`${pathOf(ada)}/${again.body.data.id}`)).status).toBe(200)
  })

  it('an owner is refused to admins by row level security alone', async () => {
    const admin = await createMember(ada, 'admin')
    const sessionId = (await server.services.db.query('select id from sessions where user_id = $1', [admin.id]))[0]?.[
      'id'
    ] as number
    const tenant = server.services.db.as({ teamId: ada.id, userId: admin.id, keyId: null, sessionId, right: 'manage' })
    const insert = (role: Role) =>
      tenant.transaction((q) =>
        q.query(
          `insert into invitations (team_id, email, role, guest_can_edit, website_ids, page_ids, token_hash, is_mailed, invited_by,
                                    created_at, expires_at)
           values (own_team(), $1, $2, false, '{}', '{}', $3, false, own_user(), now(), now())`,
          [newAddress(), role, Buffer.from(String(++userCount))],
        ),
      )
    await insert('admin')
    await expect(insert('owner')).rejects.toThrow("doesn't allow this")
    await expect(tenant.query(`update invitations set role = 'owner' returning id`)).rejects.toThrow()
    const { id } = (await invite(ada, { email: newAddress(), role: 'owner' })).body.data
    expect(await tenant.query('delete from invitations where id = $1 returning id', [id])).toEqual([])
  })

  it.each([
    ['a member', () => ({ email: ada.email.toUpperCase(), role: 'viewer' }), 'email', 'already a member'],
    ['no address', () => ({ email: 'nowhere', role: 'viewer' }), 'email', 'must be an email address'],
    ['an unknown role', () => ({ email: newAddress(), role: 'king' }), 'role', 'must be one of'],
    [
      'an editor with shares',
      () => ({ email: newAddress(), role: 'editor', website_ids: [1] }),
      'website_ids',
      'guest',
    ],
    [
      'a guest to an unknown website',
      () => ({ email: newAddress(), role: 'guest', website_ids: [900_000_000] }),
      'website_ids',
      'no website 900000000',
    ],
    [
      'a guest to an unknown page',
      () => ({ email: newAddress(), role: 'guest', status_page_ids: [900_000_000] }),
      'status_page_ids',
      'no status page',
    ],
  ])('%s is refused', async (_, toBody, field, message) => {
    const { status, body } = await invite(ada, toBody())
    expect(status).toBe(422)
    expect(body.errors[field][0]).toContain(message)
  })

  it("does not reveal whether another team's website exists", async () => {
    const grace = await createUser('grace')
    const { body } = await grace.session.post('/api/v1/websites', { domain: `hers${userCount}.example.org` })
    const refused = await invite(ada, { email: newAddress(), role: 'guest', website_ids: [body.data.id] })
    expect(refused.body.errors).toEqual({ website_ids: [`The team has no website ${body.data.id}.`] })
  })

  it('stops at 100 open invitations', async () => {
    await server.services.db.query(
      `insert into invitations (team_id, email, role, guest_can_edit, website_ids, page_ids, token_hash, is_mailed, invited_by,
                                created_at, expires_at)
       select $1, 'many' || n || '@example.com', 'viewer', false, '{}', '{}', sha256(($3 || n)::bytea), false, $1, $2, $2::timestamptz + interval '1 day'
         from generate_series(1, 100) n`,
      [ada.id, server.clock.now(), newAddress()],
    )
    const refused = await invite(ada, { email: newAddress(), role: 'viewer' })
    expect(refused.body.errors.email[0]).toContain('100 open invitations')
    // Replacing one of them adds none.
    expect((await invite(ada, { email: 'many7@example.com', role: 'viewer' })).status).toBe(201)
    server.clock.advance({ days: 1 })
    expect((await invite(ada, { email: newAddress(), role: 'viewer' })).status).toBe(201)
  })

  it('waits until all nodes know teams', async () => {
    const token = await inviteTo(ada, newAddress())
    const { db } = server.services
    await db.query(
      `insert into nodes (id, seen_at, process_id, roles, schema_version) values (1, now() + interval '1 hour', 1, '{web}', 16)`,
    )
    expect((await invite(ada, { email: newAddress(), role: 'viewer' })).status).toBe(409)
    expect((await accept(token)).status).toBe(409)
    await db.query('delete from nodes where schema_version = 16')
    expect((await accept(token)).status).toBe(201)
  })
})

describe('an invitation is not mailed, but its link works,', () => {
  it('if the mail server refuses it', async () => {
    const email = newAddress()
    mailing.mail.setHandlers({ onRcptTo: (_address, _session, done) => done(new Error('no such mailbox')) })
    const { status, body } = await invite(ada, { email, role: 'viewer' })
    mailing.mail.setHandlers({})
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ is_mailed: false, mail_problem: expect.stringContaining('no such mailbox') })
    expect((await accept(body.data.url.split('/').at(-1))).status).toBe(201)
  })

  it('if the address has got five invitations that day, from any team', async () => {
    const email = newAddress()
    for (let n = 0; n < 5; n++) {
      expect((await invite(await createUser('inviter'), { email, role: 'viewer' })).body.data.is_mailed).toBe(true)
    }
    const tagged = email.replace('@', '+tag@')
    expect((await invite(ada, { email: tagged, role: 'viewer' })).body.data).toMatchObject({
      is_mailed: false,
      mail_problem: 'This address has received too many invitations today.',
    })
  })

  it('if the inviter has mailed 100 that day, from any team', async () => {
    for (let n = 0; n < 99; n++) {
      server.services.counter.take(`invitation:user:${ada.id}`, { count: 100, windowSeconds: 86_400 })
    }
    expect((await invite(ada, { email: newAddress(), role: 'viewer' })).body.data.is_mailed).toBe(true)
    const { id } = (await ada.session.post('/api/teams', { name: 'Fresh' })).body.data
    const { body } = await invite(ada, { email: newAddress(), role: 'viewer' }, { ...ada, id })
    expect(body.data).toMatchObject({
      is_mailed: false,
      mail_problem: 'You have mailed too many invitations today.',
    })
    const admin = await createMember(ada, 'admin')
    expect((await invite(admin, { email: newAddress(), role: 'viewer' }, ada)).body.data.is_mailed).toBe(true)
  })

  it('if the recipient has blocked this server', async () => {
    const email = newAddress()
    await inviteTo(ada, email)
    const { mail } = await mailing.receive(email)
    const blockUrl = /https:\S+block-emails\S+/.exec(mail.text ?? '')?.[0] ?? ''
    const { pathname, search } = new URL(blockUrl)
    const blocked = await server.anyone.call('POST', pathname + search, { form: { action: 'block' } })
    expect(blocked.status).toBe(200)
    const { body } = await invite(ada, { email, role: 'viewer' })
    expect(body.data).toMatchObject({ is_mailed: false, mail_problem: expect.stringContaining('blocked all emails') })
  })

  it('without a mail server', async () => {
    const mute = await startTestServer()
    try {
      const bob = await mute.createUser('bob')
      const { body } = await bob.session.post(`/api/teams/${bob.id}/invitations`, {
        email: newAddress(),
        role: 'viewer',
      })
      expect(body.data).toMatchObject({ is_mailed: false, mail_problem: null })
      expect(body.data.url).toMatch(new RegExp(`^${mute.address}/invitations/[\\w-]{43}$`))
    } finally {
      await mute.close()
    }
  })
})
