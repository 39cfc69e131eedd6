/** Forgotten passwords. No response tells whether an address has an account, not even by its duration. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createResetLink, mailResetLink } from '../../src/account-links/password-reset.ts'
import { deleteExpired } from '../../src/app/delete-expired.ts'
import type { Database } from '../../src/storage/database.ts'
import { type MailingServer, PUBLIC_URL, readToken, startMailingServer } from '../support/mailed-links.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

const newPassword = 'another fine password'

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
  // Earlier tests may have used up a limit, so a new window starts.
  server.clock.advance({ minutes: 15 })
  mailing.mail.received.length = 0
  ada = await server.createUser(`ada${++userCount}`)
})

const request = (email: string, headers: Record<string, string> = {}) =>
  server.anyone.post('/api/password-reset', { email }, { headers })

const confirm = (token: string, password = newPassword) =>
  server.anyone.post('/api/password-reset/confirm', { token, new_password: password })

const signIn = (password: string, { email } = ada) => server.anyone.post('/api/session', { email, password })

async function requestToken({ email } = ada): Promise<string> {
  expect((await request(email)).status).toBe(202)
  return readToken(await mailing.receive(email), 'reset-password')
}

const countLinks = async (userId: number) =>
  (
    await server.services.db.query('select count(*)::int as count from account_links where user_id = $1', [userId])
  )[0]?.['count']

describe('a link to reset a password', () => {
  it('is mailed as text and HTML, sets the password once, ends all sessions and confirms the address', async () => {
    expect((await request(ada.email.toUpperCase())).body).toEqual({ data: { requested: true } })
    const received = await mailing.receive(ada.email)
    expect(received.mail.subject).toBe('Reset your Belfry password')
    expect(received.mail.text).toContain(`your account ${ada.email} at ${PUBLIC_URL}`)
    expect(received.mail.text).toContain('within 30 minutes')
    const token = readToken(received, 'reset-password')
    expect((await confirm(token, 'short')).status).toBe(422)
    const confirmed = await confirm(token)
    expect(confirmed.body, confirmed.text).toEqual({ data: { changed: true } })
    expect(confirmed.headers.get('set-cookie')).toBeNull()
    expect((await ada.session.get('/api/session')).status).toBe(401)
    expect((await signIn(ada.password)).status).toBe(401)
    expect((await signIn(newPassword)).status).toBe(200)
    const [row] = await server.services.db.query('select email_confirmed_at, has_password from users where id = $1', [
      ada.id,
    ])
    expect(row).toEqual({ email_confirmed_at: server.clock.now(), has_password: true })
    expect((await confirm(token, 'a third long password')).status).toBe(404)
    expect((await signIn(newPassword)).status).toBe(200)
  })

  it('gives an account without a password one, and keeps its second factors', async () => {
    const { db } = server.services
    await db.query('update users set has_password = false where id = $1', [ada.id])
    await db.query(`insert into totp_secrets (user_id, sealed_secret, confirmed_at) values ($1, '\\x00', now())`, [
      ada.id,
    ])
    expect((await confirm(await requestToken())).status).toBe(200)
    expect(await db.query('select has_password from users where id = $1', [ada.id])).toEqual([{ has_password: true }])
    expect(await db.query('select user_id from totp_secrets where user_id = $1', [ada.id])).toHaveLength(1)
  })

  it('removes what somebody else could have added before the address was confirmed for the first time', async () => {
    const { db } = server.services
    const addIdentity = () =>
      db.query(
        `insert into identities (issuer, subject, user_id, created_at) values ('https://id.example', $1, $2, now())`,
        [ada.email, ada.id],
      )
    const findIdentities = () => db.query('select subject from identities where user_id = $1', [ada.id])
    await addIdentity()
    await db.query(
      `insert into passkeys (user_id, credential_id, public_key, counter, transports, is_backed_up, name, created_at)
       values ($1, $2, '\\x00', 0, '{}', false, 'Phone', now())`,
      [ada.id, Buffer.from(ada.email)],
    )
    expect((await confirm(await requestToken())).status).toBe(200)
    expect(await findIdentities()).toEqual([])
    expect(await db.query('select id from passkeys where user_id = $1', [ada.id])).toEqual([])
    await addIdentity()
    expect((await confirm(await requestToken())).status).toBe(200)
    expect(await findIdentities()).toHaveLength(1)
  })

  it('ends all access to an account that a stranger may have created with a copied link', async () => {
    const { db } = server.services
    const eve = await server.createUser(`eve${++userCount}`)
    const email = `dora${userCount}@example.com`
    const path = `/api/teams/${eve.id}/invitations`
    const { data: invitation } = (await eve.session.post(path, { email, role: 'viewer' })).body
    const token = invitation.url.split('/').at(-1)
    const accepted = await server.anyone.post('/api/invitations/accept', { token, password: 'a password of eve' })
    expect(accepted.status, accepted.text).toBe(201)
    const { id } = accepted.body.data.user
    const stranger = server.anyone.as({
      cookie: /belfry_session=([^;]+)/.exec(accepted.headers.get('set-cookie') ?? '')?.[1] ?? '',
    })
    await stranger.put('/api/session', { team_id: id })
    const { data: created } = (await stranger.post('/api/keys', { name: 'key', scopes: ['monitors:read'] })).body
    await db.query(`insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, 'owner', now())`, [
      id,
      eve.id,
    ])
    await db.query(`update team_members set role = 'viewer' where team_id = $1 and user_id = $1`, [id])
    await db.query(`insert into totp_secrets (user_id, sealed_secret, confirmed_at) values ($1, '\\x00', now())`, [id])
    mailing.mail.received.length = 0

    expect((await confirm(await requestToken({ ...ada, email }))).status).toBe(200)
    const signedIn = await signIn(newPassword, { ...ada, email })
    expect(signedIn.status, signedIn.text).toBe(200)
    expect((await server.anyone.as({ key: created.key }).get('/api/monitors')).status).toBe(401)
    expect(await db.query('select user_id, role from team_members where team_id = $1', [id])).toEqual([
      { user_id: id, role: 'owner' },
    ])
    // The account stays in the team that invited it.
    expect(await db.query('select role from team_members where team_id = $1 and user_id = $2', [eve.id, id])).toEqual([
      { role: 'viewer' },
    ])
  })

  it('works for 30 minutes, and is then deleted', async () => {
    const token = await requestToken()
    server.clock.advance({ minutes: 29 })
    const later = await requestToken()
    server.clock.advance({ minutes: 1 })
    expect((await confirm(token)).status).toBe(404)
    expect(await countLinks(ada.id)).toBe(2)
    await deleteExpired(server.services)
    expect(await countLinks(ada.id)).toBe(1)
    expect((await confirm(later)).status).toBe(200)
  })

  it('works for only one of several simultaneous requests, and ends the other links', async () => {
    const [first, second] = [await requestToken(), await requestToken()]
    const responses = await Promise.all([first, first, second].map((token) => confirm(token)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect(await countLinks(ada.id)).toBe(0)
  })

  it('ends when the user changes the password', async () => {
    const token = await requestToken()
    const passwords = { current_password: ada.password, new_password: newPassword }
    expect((await ada.session.put('/api/account/password', passwords)).status).toBe(200)
    expect((await confirm(token, 'a third long password')).status).toBe(404)
  })

  it('belongs to one account and one purpose', async () => {
    const grace = await server.createUser(`grace${++userCount}`)
    expect((await confirm(await requestToken())).status).toBe(200)
    expect((await signIn(grace.password, grace)).status).toBe(200)
    const token = await requestToken()
    expect((await grace.session.post('/api/confirm-email', { token })).status).toBe(404)
    expect((await server.anyone.post('/api/invitations/accept', { token, password: newPassword })).status).toBe(404)
  })

  it.each(['wrong', 'A'.repeat(43)])('with the token %s does not exist', async (token) => {
    expect((await confirm(token)).status).toBe(404)
  })

  it('is refused from pages of other sites', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await request(ada.email, headers)).status).toBe(403)
    const body = { token: await requestToken(), new_password: newPassword }
    expect((await server.anyone.post('/api/password-reset/confirm', body, { headers })).status).toBe(403)
  })

  it('always leads to the public URL, whatever host the request names', async () => {
    await request(ada.email, { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' })
    const { raw } = await mailing.receive(ada.email)
    expect(raw).not.toContain('evil.example')
  })
})

describe('a request for a link', () => {
  const unknownAddress = () => `unknown${++userCount}@example.com`

  it('gets the same response for known and unknown addresses', async () => {
    const address = unknownAddress()
    const [known, unknown] = [await request(ada.email), await request(address)]
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
    const names = ({ headers }: typeof known) => [...headers.keys()].sort()
    expect(names(known)).toEqual(names(unknown))
    await mailing.receive(ada.email)
    expect(mailing.mail.received.filter(({ to }) => to.includes(address))).toEqual([])
  })

  it('is answered before anything is looked up, stored or mailed', async () => {
    await server.services.db.transaction(async (q) => {
      // Statements about links and users would wait until this transaction ends.
      await q.query('lock table account_links, users in access exclusive mode')
      for (const email of [ada.email, unknownAddress()]) expect((await request(email)).status).toBe(202)
    })
    await mailing.receive(ada.email)
  })

  it('runs the same statements for known and unknown addresses', async () => {
    const { db } = server.services
    const record = async (email: string) => {
      const statements: string[] = []
      const recorder = new Proxy(db, {
        get(target, name) {
          if (name !== 'query') throw new Error(`unexpected use of ${String(name)}`)
          return (text: string, values: unknown[]) => {
            statements.push(text)
            return target.query(text, values)
          }
        },
      }) as Database
      await mailResetLink({ ...server.services, db: recorder }, email)
      return statements
    }
    const statements = await record(ada.email)
    expect(statements).toHaveLength(1)
    expect(await record(unknownAddress())).toEqual(statements)
  })

  it('mails an address two links in half an hour, so that one always works, and later requests look the same', async () => {
    server.clock.advance({ days: 1 })
    const responses = []
    for (let n = 0; n < 8; n++) responses.push(await request(ada.email))
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const tokens = []
    for (let n = 0; n < 2; n++) tokens.push(readToken(await mailing.receive(ada.email), 'reset-password'))
    expect(await countLinks(ada.id)).toBe(2)
    expect((await confirm(tokens[0] ?? '')).status).toBe(200)
    server.clock.advance({ minutes: 30 })
    await requestToken()
  })

  it('is limited by network, whether or not accounts have the addresses', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.99' }
    for (let n = 0; n < 20; n++) expect((await request(unknownAddress(), headers)).status).toBe(202)
    const refused = await request(ada.email, headers)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await request(ada.email, { 'x-forwarded-for': '203.0.113.98' })).status).toBe(202)
    await mailing.receive(ada.email)
  })

  it('is logged if the mail server refuses the email, without the address', async () => {
    const refusal = Promise.withResolvers<void>()
    mailing.mail.setHandlers({
      onRcptTo: (_address, _session, done) => {
        done(new Error('mailbox full'))
        refusal.resolve()
      },
    })
    expect((await request(ada.email)).status).toBe(202)
    await refusal.promise
    await expect.poll(() => server.logLines.join('')).toContain('mailbox full')
    mailing.mail.setHandlers({})
    expect(server.logLines.join('')).not.toContain(ada.email)
  })

  it('gets the same response without a mail server, and stores no link', async () => {
    const mute = await startTestServer()
    try {
      const bob = await mute.createUser('bob')
      const { status, body } = await mute.anyone.post('/api/password-reset', { email: bob.email })
      expect({ status, body }).toEqual({ status: 202, body: { data: { requested: true } } })
      expect(await mute.services.db.query('select user_id from account_links')).toEqual([])
    } finally {
      await mute.close()
    }
  })
})

describe('a link from the operator', () => {
  it('sets the password, but does not confirm the address', async () => {
    const { token, address } = await createResetLink(server.services.db, ada.email, {
      clock: server.clock,
      isMailed: false,
    })
    expect(address).toBe(ada.email)
    expect((await confirm(token)).status).toBe(200)
    const [row] = await server.services.db.query('select email_confirmed_at from users where id = $1', [ada.id])
    expect(row).toEqual({ email_confirmed_at: null })
  })
})
