/** People whose address somebody else entered get few test emails, and can block emails from this server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { channelsPath } from '../../support/channels.ts'
import type { Client } from '../../support/client.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../../support/smtp-receiver.ts'

let mail: SmtpReceiver
let server: TestServer
let [ada, bob]: Client[] = []
beforeAll(async () => {
  mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
  server = await startTestServer({
    env: {
      BELFRY_URL: 'https://stats.example.net',
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      BELFRY_MAIL_FROM: 'belfry@example.net',
      BELFRY_MAIL_DOMAINS: 'example.com, Example.ORG',
    },
  })
  ;[ada, bob] = [(await server.createUser('ada')).session, (await server.createUser('bob')).session]
})
afterAll(async () => {
  await server.close()
  await mail.close()
})

/** Each test starts a day later, so that earlier test emails no longer count. */
beforeEach(() => {
  server.clock.advance({ hours: 24 })
  mail.received.length = 0
  mail.setHandlers({})
})

const sendTest = (user: Client | undefined, address: string) =>
  (user as Client).post(`${channelsPath}/test`, { provider_type: 'email', recipient_email: address })

describe('test emails', () => {
  it('are limited to 3 a day for an address, from all users together', async () => {
    for (const user of [ada, bob, ada]) expect((await sendTest(user, 'stranger@example.com')).status).toBe(200)
    for (const address of ['stranger@example.com', 'Stranger@Example.com', 'stranger+tag@example.com']) {
      const response = await sendTest(bob, address)
      expect([response.status, response.body.detail]).toEqual([
        429,
        'This address has received 3 test emails today, which is the limit. Try again tomorrow.',
      ])
      expect(Number(response.headers.get('retry-after'))).toBe(14 * 3600)
    }
    expect((await sendTest(bob, 'other@example.com')).status).toBe(200)
    expect(mail.received).toHaveLength(4)
    server.clock.advance({ hours: 14 })
    expect((await sendTest(bob, 'stranger@example.com')).status).toBe(200)
  })

  it('do not count towards the limit if the mail server rejects them', async () => {
    mail.setHandlers({ onRcptTo: (_address, _session, done) => done(new Error('no such user')) })
    for (const user of [ada, bob, ada, bob]) expect((await sendTest(user, 'missing@example.com')).status).toBe(502)
    mail.setHandlers({})
    expect((await sendTest(ada, 'missing@example.com')).status).toBe(200)
  })
})

describe('the link in a test email', () => {
  it('blocks all emails from the server once the recipient confirms, until the recipient allows them again', async () => {
    await sendTest(ada, 'ops@example.com')
    const { text = '', html = '' } = mail.received[0]?.mail ?? {}
    const [link = ''] = /https:\/\/stats\.example\.net\S+/.exec(text.slice(text.indexOf('-- \n'))) ?? []
    expect(html).toContain(`href="${link}"`)
    const { pathname, search } = new URL(link)
    const path = `${pathname}${search}`
    const readPage = async () => (await server.anyone.get(path)).text
    expect(await readPage()).toContain('<h1>Block all emails from this server?</h1>')
    expect((await sendTest(ada, 'ops@example.com')).status).toBe(200)

    expect((await server.anyone.call('POST', path, { form: { action: 'block' } })).text).toContain('Emails blocked')
    expect(await readPage()).toContain('<h1>Emails blocked</h1>')
    const response = await sendTest(bob, 'OPS@example.com')
    expect([response.status, response.body.detail]).toEqual([
      502,
      'The recipient has blocked all emails from this server.',
    ])
    await expect(
      server.services.messageSender.sendEmail({ id: 'report', to: 'ops@example.com', subject: '', text: '' }),
    ).rejects.toMatchObject({ permanent: true })
    expect(mail.received).toHaveLength(2)

    await server.anyone.call('POST', path, { form: { action: 'unblock' } })
    expect((await sendTest(bob, 'ops@example.com')).status).toBe(200)
  })

  it('is rejected unless this server created it', async () => {
    for (const token of ['', 'x', 'x.y', `${'A'.repeat(43)}.${'A'.repeat(43)}`]) {
      const response = await server.anyone.call('POST', `/api/block-emails?token=${token}`, {
        form: { action: 'block' },
      })
      expect([token, response.status]).toEqual([token, 404])
    }
    expect(await server.services.db.query('select from blocked_recipients')).toEqual([])
  })
})

describe('BELFRY_MAIL_DOMAINS', () => {
  it('limits email channels to addresses of the listed domains', async () => {
    const create = (recipient_email: string) => ada?.post(channelsPath, { provider_type: 'email', recipient_email })
    expect((await create('a@EXAMPLE.org'))?.status).toBe(201)
    for (const address of ['a@example.net', 'a@mail.example.com', 'a@notexample.com']) {
      const response = await create(address)
      expect([response?.status, response?.body.errors]).toEqual([
        422,
        {
          recipient_email: ['`recipient_email` must be an address at example.com, example.org (BELFRY_MAIL_DOMAINS).'],
        },
      ])
    }
    expect((await sendTest(ada, 'a@example.net')).status).toBe(422)
  })
})
