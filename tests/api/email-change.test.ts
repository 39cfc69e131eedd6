/** Changing and confirming the email address of an account. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mailConfirmationLink } from '../../src/account-links/email-change.ts'
import { deleteExpired } from '../../src/app/delete-expired.ts'
import type { Database } from '../../src/storage/database.ts'
import { type MailingServer, PUBLIC_URL, readToken, startMailingServer } from '../support/mailed-links.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

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
  mailing.mail.received.length = 0
  ada = await server.createUser(`ada${++userCount}`)
})

const newAddress = () => `new${++userCount}@example.com`

const change = (email: string, user = ada, password = user.password) =>
  user.session.put('/api/account/email', { email, current_password: password })

const confirm = (token: string, user = ada) => user.session.post('/api/confirm-email', { token })

async function requestToken(email: string, user = ada): Promise<string> {
  const { status, text } = await change(email, user)
  expect(status, text).toBe(202)
  return readToken(await mailing.receive(email), 'confirm-email')
}

const readAccount = async ({ session } = ada) => (await session.get('/api/account')).body.data

const listTeamNames = async ({ session } = ada) =>
  (await session.get('/api/teams')).body.data.map(({ name }: { name: string }) => name)

describe('a new address', () => {
  it('applies after a link in an email has confirmed it, and the old address gets a notice', async () => {
    const email = newAddress()
    expect((await change(email)).body).toEqual({ data: { requested: true } })
    const received = await mailing.receive(email)
    expect(received.mail.subject).toBe('Confirm your email address')
    expect(received.mail.text).toContain(`Confirm that ${email} is the address of your Belfry account at ${PUBLIC_URL}`)
    expect(await readAccount()).toMatchObject({ email: ada.email, email_confirmed_at: null })
    const token = readToken(received, 'confirm-email')
    const confirmed = await confirm(token)
    expect(confirmed.body, confirmed.text).toEqual({ data: { confirmed: true, email } })
    expect(await readAccount()).toMatchObject({ email, email_confirmed_at: server.clock.now().toISOString() })
    const notice = await mailing.receive(ada.email)
    expect(notice.mail.subject).toBe('The email address of your Belfry account was changed')
    expect(notice.mail.text).toContain(`was changed from ${ada.email} to ${email}`)
    const signIn = (address: string) => server.anyone.post('/api/session', { email: address, password: ada.password })
    expect((await signIn(email)).status).toBe(200)
    expect((await signIn(ada.email)).status).toBe(401)
    expect((await confirm(token)).status).toBe(404)
  })

  it('renames the own team if it is called like the old address, and no other team', async () => {
    const email = newAddress()
    await ada.session.post('/api/teams', { name: 'Shop' })
    await confirm(await requestToken(email))
    expect(await listTeamNames()).toEqual([email, 'Shop'])
    await ada.session.call('PATCH', `/api/teams/${ada.id}`, { json: { name: 'My own' } })
    await confirm(await requestToken(newAddress()))
    expect(await listTeamNames()).toEqual(['My own', 'Shop'])
  })

  it('shows immediately in the session that opens the link', async () => {
    const email = newAddress()
    expect((await ada.session.get('/api/session')).body.data.user.email).toBe(ada.email)
    expect((await confirm(await requestToken(email))).status).toBe(200)
    expect((await ada.session.get('/api/session')).body.data.user.email).toBe(email)
  })

  it('can differ from the old one only in case', async () => {
    const email = ada.email.replace('ada', 'Ada')
    expect((await confirm(await requestToken(email))).status).toBe(200)
    expect((await readAccount()).email).toBe(email)
  })

  it('needs the password', async () => {
    const refused = await change(newAddress(), ada, 'wrong horse battery')
    expect(refused.status).toBe(422)
    expect(refused.body.errors).toEqual({ current_password: ['`current_password` is incorrect.'] })
    expect((await (await ada.withKey()).put('/api/account/email', {})).status).toBe(403)
    for (let n = 0; n < 9; n++) expect((await change(newAddress(), ada, 'wrong horse battery')).status).toBe(422)
    expect((await change(newAddress())).status).toBe(429)
  })

  it('is refused without a mail server', async () => {
    const mute = await startTestServer()
    try {
      const bob = await mute.createUser('bob')
      const refused = await bob.session.put('/api/account/email', {
        email: newAddress(),
        current_password: bob.password,
      })
      expect(refused.body).toMatchObject({ status: 409, detail: expect.stringContaining("can't send links by email") })
      expect((await bob.session.post('/api/account/confirm-email')).status).toBe(409)
    } finally {
      await mute.close()
    }
  })

  it('must be in a domain to which the server sends email', async () => {
    const strict = await startMailingServer({ BELFRY_MAIL_DOMAINS: 'example.com' })
    try {
      const bob = await strict.server.createUser('bob')
      const changeTo = (email: string) =>
        bob.session.put('/api/account/email', { email, current_password: bob.password })
      expect((await changeTo('bob@elsewhere.example')).body.errors.email[0]).toContain('BELFRY_MAIL_DOMAINS')
      expect((await changeTo('bob2@example.com')).status).toBe(202)
      const body = { email: 'eve@elsewhere.example', role: 'viewer' }
      const invited = await bob.session.post(`/api/teams/${bob.id}/invitations`, body)
      expect(invited.body.data).toMatchObject({
        is_mailed: false,
        mail_problem: expect.stringContaining('this domain'),
      })
    } finally {
      await strict.close()
    }
  })
})

describe('an address that has an account', () => {
  it('gets a notice instead of a link, and the response is the same', async () => {
    const grace = await server.createUser(`grace${++userCount}`)
    const [taken, free] = [await change(grace.email.toUpperCase()), await change(newAddress())]
    expect([taken.status, taken.text]).toEqual([free.status, free.text])
    const notice = await mailing.receive(grace.email)
    expect(notice.mail.subject).toBe('Your email address already has an account')
    expect(notice.mail.text).toContain('Nothing was changed.')
    expect(notice.raw).not.toContain('/confirm-email/')
    expect(notice.raw).not.toContain(ada.email)
    expect(await readAccount()).toMatchObject({ email: ada.email })
  })

  it('is answered before anything is looked up or mailed', async () => {
    const grace = await server.createUser(`grace${++userCount}`)
    const email = newAddress()
    await server.services.db.transaction(async (q) => {
      await q.query('lock table account_links in access exclusive mode')
      for (const address of [grace.email, email]) expect((await change(address)).status).toBe(202)
    })
    await Promise.all([mailing.receive(grace.email), mailing.receive(email)])
  })

  it('is looked up with the same statements as any other', async () => {
    const grace = await server.createUser(`grace${++userCount}`)
    const { db } = server.services
    const record = async (email: string) => {
      const texts: string[] = []
      const recorder = new Proxy(db, {
        get(target, name) {
          if (name !== 'batch') throw new Error(`unexpected use of ${String(name)}`)
          return (...statements: { text: string }[]) => {
            texts.push(...statements.map(({ text }) => text))
            return target.batch(...statements)
          }
        },
      }) as Database
      await mailConfirmationLink({ ...server.services, db: recorder }, ada.id, email)
      return texts
    }
    const texts = await record(grace.email)
    expect(texts).toHaveLength(2)
    expect(await record(newAddress())).toEqual(texts)
  })

  it('can not be confirmed if it got the account only after the link', async () => {
    const email = `taken${++userCount}@example.com`
    const token = await requestToken(email)
    await server.createUser(`taken${userCount}`)
    expect((await confirm(token)).body).toMatchObject({ status: 409, code: 'conflict' })
    expect(await readAccount()).toMatchObject({ email: ada.email, email_confirmed_at: null })
  })
})

describe('a link to confirm an address', () => {
  it('works for 24 hours, and is then deleted', async () => {
    const token = await requestToken(newAddress())
    server.clock.advance({ hours: 24 })
    expect((await confirm(token)).status).toBe(404)
    await deleteExpired(server.services)
    expect(await server.services.db.query('select from account_links where user_id = $1', [ada.id])).toEqual([])
  })

  it('works once at the same time', async () => {
    const token = await requestToken(newAddress())
    const responses = await Promise.all([confirm(token), confirm(token), confirm(token)])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404])
  })

  it('ends with a change of the password or of the address, so that nobody who knew the old password can use it', async () => {
    const token = await requestToken(newAddress())
    const passwords = { current_password: ada.password, new_password: 'another fine password' }
    expect((await ada.session.put('/api/account/password', passwords)).status).toBe(200)
    expect((await confirm(token)).status).toBe(404)

    const grace = await server.createUser(`grace${++userCount}`)
    const [first, second] = [await requestToken(newAddress(), grace), await requestToken(newAddress(), grace)]
    expect((await confirm(second, grace)).status).toBe(200)
    expect((await confirm(first, grace)).status).toBe(404)
  })

  it('works only in a session of the account, so that nobody confirms the account of a stranger', async () => {
    const token = await requestToken(newAddress())
    const eve = await server.createUser(`eve${++userCount}`)
    expect((await server.anyone.post('/api/confirm-email', { token })).status).toBe(401)
    expect((await confirm(token, eve)).body).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await confirm(token)).status).toBe(200)
  })

  it('is refused from pages of other sites, and with a wrong token', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const token = await requestToken(newAddress())
    expect((await ada.session.post('/api/confirm-email', { token }, { headers })).status).toBe(403)
    expect((await confirm('wrong')).status).toBe(404)
    // It is for another purpose.
    const reset = { token, new_password: 'another fine password' }
    expect((await server.anyone.post('/api/password-reset/confirm', reset)).status).toBe(404)
    expect((await confirm(token)).status).toBe(200)
  })

  it('confirms the current address', async () => {
    expect((await ada.session.post('/api/account/confirm-email')).status).toBe(202)
    const token = readToken(await mailing.receive(ada.email), 'confirm-email')
    expect((await confirm(token)).body.data).toEqual({ confirmed: true, email: ada.email })
    expect(await readAccount()).toMatchObject({
      email: ada.email,
      email_confirmed_at: server.clock.now().toISOString(),
    })
    expect(mailing.mail.received.filter(({ to }) => to.includes(ada.email))).toEqual([])
  })

  it('is mailed to an address five times a day', async () => {
    for (let n = 0; n < 5; n++) expect((await ada.session.post('/api/account/confirm-email')).status).toBe(202)
    const refused = await ada.session.post('/api/account/confirm-email')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
