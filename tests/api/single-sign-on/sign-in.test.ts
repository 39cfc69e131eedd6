/** People sign in through a real OpenID Connect provider. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OidcProvider, RedirectBrowser, startOidcProvider } from '../../support/oidc-provider.ts'
import {
  findSessionUser,
  oidcEnv,
  reserveServerUrl,
  type SingleSignOnServer,
  signInThroughProvider,
  startSingleSignOnServer,
} from '../../support/single-sign-on.ts'
import { setUpTotp } from '../../support/totp.ts'

let provider: OidcProvider
let server: SingleSignOnServer

beforeAll(async () => {
  const reserved = await reserveServerUrl()
  provider = await startOidcProvider(reserved.url)
  server = await startSingleSignOnServer(reserved, {
    ...oidcEnv(provider.issuer),
    BELFRY_OIDC_CREATE_USERS: 'on',
    BELFRY_OIDC_LABEL: 'Example ID',
    BELFRY_OIDC_ROLE_CLAIM: 'realm_access.roles',
    BELFRY_OIDC_ROLE_MAP: 'belfry-admins=1:admin,staff=1:viewer,strangers=999999:admin',
  })
  await server.createUser('root', { isAdmin: true })
})
afterAll(() => Promise.all([server.close(), provider.close()]))
beforeEach(() => {
  provider.requests.length = 0
})

let counter = 0
const newSubject = () => `person-${++counter}`

describe('somebody without an account', () => {
  it('gets one, with the address that the provider has verified, and returns to the page', async () => {
    const sub = newSubject()
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true }
    const { token, response } = await signInThroughProvider(server, { returnTo: '/monitors?tag=a' })
    expect(response.url).toBe(`${server.url}/monitors?tag=a`)
    expect(await findSessionUser(server, token)).toMatchObject({ email: `${sub}@example.com`, is_admin: false })
    const [user] = await server.services.db.query(
      'select has_password, email_confirmed_at is not null as is_confirmed from users where email = $1',
      [`${sub}@example.com`],
    )
    expect(user).toEqual({ has_password: false, is_confirmed: true })
    const [session] = await server.services.db.query(
      `select method, is_strong, issuer, subject, provider_session is not null as has_sid, id_token is not null as has_token,
              user_agent is not null as has_user_agent, address is not null as has_address
         from sessions where subject = $1`,
      [sub],
    )
    expect(session).toEqual({
      method: 'single_sign_on',
      is_strong: true,
      issuer: provider.issuer,
      subject: sub,
      has_sid: true,
      has_token: true,
      has_user_agent: true,
      has_address: true,
    })
  })

  it('finds the same account the next time, even with another address', async () => {
    const sub = newSubject()
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true }
    const first = await findSessionUser(server, (await signInThroughProvider(server)).token)
    provider.account = { sub, email: `renamed-${sub}@example.com`, email_verified: true }
    const second = await findSessionUser(server, (await signInThroughProvider(server)).token)
    expect(second).toEqual(first)
  })

  it('gets no second account if two browsers sign in at the same time', async () => {
    const sub = newSubject()
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true }
    const signIns = await Promise.all([1, 2, 3].map(() => signInThroughProvider(server)))
    const users = await Promise.all(signIns.map(({ token }) => findSessionUser(server, token)))
    expect(new Set(users.map((user) => user?.id)).size).toBe(1)
    expect(users[0]).toBeDefined()
  })

  it('gets none without a valid address', async () => {
    provider.account = { sub: newSubject(), email: 'not an address' }
    const { token, response } = await signInThroughProvider(server)
    expect(token).toBeUndefined()
    expect([response.status, response.text]).toEqual([403, expect.stringContaining('did not send a valid email')])
  })
})

describe('somebody with an account', () => {
  it('is linked to it if both sides have confirmed the address', async () => {
    const user = await server.createUser('confirmed')
    await server.services.db.query('update users set email_confirmed_at = now() where id = $1', [user.id])
    provider.account = { sub: newSubject(), email: 'Confirmed@Example.com', email_verified: true }
    const { token } = await signInThroughProvider(server)
    expect((await findSessionUser(server, token))?.id).toBe(user.id)
  })

  it.each([
    ['the provider has not verified the address', { email_verified: false }, true],
    ['the provider does not say whether it has verified the address', {}, true],
    ['the provider says so only in words', { email_verified: 'true' }, true],
    ['Belfry has not confirmed the address', { email_verified: true }, false],
  ])('is not linked to it if %s', async (_, claims, isConfirmed) => {
    const sub = newSubject()
    const user = await server.createUser(sub)
    if (isConfirmed) {
      await server.services.db.query('update users set email_confirmed_at = now() where id = $1', [user.id])
    }
    provider.account = { sub, email: user.email, ...claims }
    const { token, response } = await signInThroughProvider(server)
    expect(token).toBeUndefined()
    expect(response.status).toBe(403)
    expect(response.text).toContain('Sign in with your password, then link the account under Security.')
  })

  it('is not linked to it if it is linked to another account of the provider', async () => {
    const sub = newSubject()
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true }
    expect((await signInThroughProvider(server)).token).toBeDefined()
    provider.account = { sub: newSubject(), email: `${sub}@example.com`, email_verified: true }
    const { token, response } = await signInThroughProvider(server)
    expect([token, response.status]).toEqual([undefined, 403])
  })
})

describe('linking by hand', () => {
  it('links the account of the signed-in user, shows it, and removes it', async () => {
    const user = await server.createUser('linker')
    const sub = newSubject()
    provider.account = { sub, email: 'other@example.org' }
    expect((await user.session.get('/api/account/identity')).body).toEqual({ data: null })
    const browser = new RedirectBrowser()
    browser.setCookie(server.url, 'belfry_session', user.session.credentials.cookie ?? '')
    const begun = await browser.send(`${server.url}/api/account/identity`, { method: 'POST' })
    const response = await browser.open(JSON.parse(begun.text).data.url)
    expect(response.url).toBe(`${server.url}/account`)
    expect((await user.session.get('/api/account/identity')).body.data).toMatchObject({
      issuer: provider.issuer,
      email: 'other@example.org',
    })
    const { token } = await signInThroughProvider(server)
    expect((await findSessionUser(server, token))?.id).toBe(user.id)

    expect((await user.session.delete('/api/account/identity')).body).toEqual({ object: 'identity', deleted: true })
    expect(await findSessionUser(server, token)).toBeUndefined()
    expect(await findSessionUser(server, user.session.credentials.cookie)).toBeDefined()
    expect((await user.session.delete('/api/account/identity')).status).toBe(404)
  })

  const makeSessionsOld = (userId: number) =>
    server.services.db.query(`update sessions set created_at = created_at - interval '1 hour' where user_id = $1`, [
      userId,
    ])

  it('and removing the link need the password in a session that began more than ten minutes ago', async () => {
    const user = await server.createUser('careful-linker')
    await server.services.db.query(
      `insert into identities (issuer, subject, user_id, created_at) values ($1, 'careful-linker', $2, now())`,
      [provider.issuer, user.id],
    )
    await makeSessionsOld(user.id)
    for (const [method, json] of [
      ['POST', { return_to: '/account/security' }],
      ['DELETE', {}],
    ] as const) {
      const send = (proof: object) =>
        user.session.call(method, '/api/account/identity', { json: { ...json, ...proof } })
      expect((await send({})).body.errors).toEqual({ current_password: ['`current_password` is required.'] })
      expect((await send({ current_password: 'wrong' })).status).toBe(422)
      expect((await user.session.get('/api/account/identity')).body.data).not.toBeNull()
      expect((await send({ current_password: user.password })).status).toBe(200)
    }
  })

  it('needs a session of the last ten minutes if the account has no password', async () => {
    const sub = newSubject()
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true }
    const { token } = await signInThroughProvider(server)
    const session = server.anyone.as({ cookie: token ?? '' })
    expect((await session.post('/api/account/identity')).status).toBe(200)
    await makeSessionsOld((await findSessionUser(server, token))?.id ?? 0)
    for (const method of ['POST', 'DELETE']) {
      const { status, body } = await session.call(method, '/api/account/identity')
      expect([status, body.detail]).toEqual([403, expect.stringContaining('Sign in again')])
    }
  })

  async function beginLink(cookie: string) {
    const browser = new RedirectBrowser()
    browser.setCookie(server.url, 'belfry_session', cookie)
    const begun = await browser.send(`${server.url}/api/account/identity`, { method: 'POST' })
    return { browser, url: JSON.parse(begun.text).data.url as string }
  }

  it('refuses an account of the provider that another user has', async () => {
    const sub = newSubject()
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true }
    await signInThroughProvider(server)
    const user = await server.createUser('late-linker')
    const { browser, url } = await beginLink(user.session.credentials.cookie ?? '')
    const response = await browser.open(url)
    expect([response.status, response.text]).toEqual([409, expect.stringContaining('linked to another Belfry account')])
    expect((await user.session.get('/api/account/identity')).body).toEqual({ data: null })
  })

  it('refuses to link if another user has signed in meanwhile, or nobody is signed in any more', async () => {
    const [user, other] = [await server.createUser('first-user'), await server.createUser('second-user')]
    provider.account = { sub: newSubject() }
    for (const cookie of [other.session.credentials.cookie ?? '', '']) {
      const { browser, url } = await beginLink(user.session.credentials.cookie ?? '')
      browser.setCookie(server.url, 'belfry_session', cookie)
      const response = await browser.open(url)
      expect([response.status, response.text]).toEqual([
        403,
        expect.stringContaining('Your session has ended or changed'),
      ])
    }
    for (const { session } of [user, other]) {
      expect((await session.get('/api/account/identity')).body).toEqual({ data: null })
    }
  })

  it.each([
    ['is no longer strong without a second factor', false],
    ['stays strong until the second factor is removed, too', true],
  ])('is undone in a session that came from there, which %s', async (_, hasFactor) => {
    const user = await server.createUser(newSubject())
    await server.services.db.query('update users set email_confirmed_at = now() where id = $1', [user.id])
    provider.account = { sub: user.email, email: user.email, email_verified: true }
    const session = server.anyone.as({ cookie: (await signInThroughProvider(server)).token ?? '' })
    if (hasFactor) await setUpTotp(server, { session, password: user.password })
    const isStrong = async () => (await session.get('/api/sessions')).body.data[0].is_strong
    expect(await isStrong()).toBe(true)
    expect((await session.delete('/api/account/identity')).status).toBe(200)
    expect(await isStrong()).toBe(hasFactor)
    if (!hasFactor) return
    await session.post('/api/account/totp/disable', { current_password: user.password })
    expect(await isStrong()).toBe(false)
  })

  it('cannot be undone by somebody who has no other way to sign in', async () => {
    const sub = newSubject()
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true }
    const session = server.anyone.as({ cookie: (await signInThroughProvider(server)).token ?? '' })
    const { status, body } = await session.delete('/api/account/identity')
    expect([status, body.detail]).toEqual([409, 'Single sign-on is your only way to sign in. Add another one first.'])
    expect((await session.get('/api/account/identity')).body.data).not.toBeNull()
  })
})

describe('the claims', () => {
  it('come from the ID token if the provider puts them there', async () => {
    provider.putsClaimsIntoIdToken = true
    await provider.rotateKeys()
    const sub = newSubject()
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true, realm_access: { roles: [] } }
    const { token } = await signInThroughProvider(server)
    expect(await findSessionUser(server, token)).toMatchObject({ email: `${sub}@example.com` })
    expect(provider.requests).not.toContain('/me')
    provider.putsClaimsIntoIdToken = false
    await provider.rotateKeys()
  })

  it('come from the userinfo endpoint otherwise', async () => {
    const sub = newSubject()
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true }
    await signInThroughProvider(server)
    expect(provider.requests).toContain('/me')
  })
})

describe('new keys of the provider', () => {
  it('are used immediately', async () => {
    const sub = newSubject()
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true }
    expect((await signInThroughProvider(server)).token).toBeDefined()
    await provider.rotateKeys()
    expect((await signInThroughProvider(server)).token).toBeDefined()
  })
})

describe('the role map', () => {
  const roleIn = async (teamId: number, userId: number) =>
    (
      await server.services.db.query('select role from team_members where team_id = $1 and user_id = $2', [
        teamId,
        userId,
      ])
    )[0]?.['role']

  async function signInWithRoles(sub: string, roles: unknown): Promise<number> {
    provider.account = { sub, email: `${sub}@example.com`, email_verified: true, realm_access: { roles } }
    return (await findSessionUser(server, (await signInThroughProvider(server)).token))?.id ?? 0
  }

  it('adds, changes and removes the membership at each sign-in', async () => {
    const sub = newSubject()
    const userId = await signInWithRoles(sub, ['staff', 'other'])
    expect(await roleIn(1, userId)).toBe('viewer')
    await signInWithRoles(sub, ['staff', 'belfry-admins'])
    expect(await roleIn(1, userId)).toBe('admin')
    await signInWithRoles(sub, 'staff')
    expect(await roleIn(1, userId)).toBe('viewer')
    await signInWithRoles(sub, [])
    expect(await roleIn(1, userId)).toBeUndefined()
    expect(await roleIn(userId, userId)).toBe('owner')
  })

  it('is what the audit log names for its changes, and not the person', async () => {
    const sub = newSubject()
    const userId = await signInWithRoles(sub, [])
    await signInWithRoles(sub, ['belfry-admins'])
    await signInWithRoles(sub, ['staff'])
    await signInWithRoles(sub, [])
    const entries = await server.services.db.query(
      `select actor_kind, actor_name, action, ip is not null as has_ip from audit_log
        where team_id = 1 and object = 'member' and object_id = $1 order by id`,
      [userId],
    )
    const byServer = { actor_kind: 'server', actor_name: 'Belfry', has_ip: true }
    expect(entries).toEqual(
      ['member.joined', 'member.role_changed', 'member.removed'].map((action) => ({ ...byServer, action })),
    )
  })

  it('removes what was shared with a guest who becomes a member', async () => {
    const sub = newSubject()
    const userId = await signInWithRoles(sub, [])
    const { db } = server.services
    await db.query(
      `insert into team_members (team_id, user_id, role, guest_can_edit, joined_at) values (1, $1, 'guest', true, now())`,
      [userId],
    )
    await signInWithRoles(sub, ['staff'])
    const [member] = await db.query(
      'select role, guest_can_edit from team_members where team_id = 1 and user_id = $1',
      [userId],
    )
    expect(member).toEqual({ role: 'viewer', guest_can_edit: false })
  })

  it('never removes the last owner of a team, and logs it', async () => {
    const { db } = server.services
    await db.query('update users set email_confirmed_at = now() where id = 1')
    const sub = newSubject()
    provider.account = { sub, email: 'root@example.com', email_verified: true, realm_access: { roles: ['staff'] } }
    const { token } = await signInThroughProvider(server)
    expect((await findSessionUser(server, token))?.id).toBe(1)
    expect(await roleIn(1, 1)).toBe('owner')
    expect(server.logLines.join('')).toContain('did not change the role of the last owner')
  })

  it('ignores teams that do not exist', async () => {
    const userId = await signInWithRoles(newSubject(), ['strangers'])
    expect(userId).toBeGreaterThan(0)
    expect(server.logLines.join('')).toContain('names a team that does not exist')
  })
})

describe('the ways to sign in', () => {
  it('are public', async () => {
    expect((await server.anyone.get('/api/sign-in-methods')).body).toEqual({
      data: { password: true, passkeys: true, single_sign_on: { label: 'Example ID' } },
    })
  })
})
