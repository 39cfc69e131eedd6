import type { SMTPServerAuthentication, SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { channelsPath, getSample } from '../../support/channels.ts'
import type { Client } from '../../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { type ReceivedMail, type SmtpReceiver, startSmtpReceiver } from '../../support/smtp-receiver.ts'

const from = 'Belfry <belfry@example.org>'
const password = 'pass/word@1'
const login = `bell:${encodeURIComponent(password)}@`

/** The servers of all tests share a database, because creating and dropping one for each takes time. */
let database: TestDatabase
let serverCount = 0
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

let openResources: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const resource of openResources.toReversed()) await resource.close()
  openResources = []
})

function closeAfterTest<T extends { close(): Promise<void> }>(resource: T): T {
  openResources.push(resource)
  return resource
}

const startReceiver = async (options?: SMTPServerOptions) => closeAfterTest(await startSmtpReceiver(options))

interface EmailTest {
  server: TestServer
  client: Client
  /** A POST to this path sends the test notification. */
  testPath: string
}

/** Starts a server with this SMTP URL and creates a channel. */
async function startEmailTest(url: string | undefined): Promise<EmailTest> {
  const env = url === undefined ? {} : { BELFRY_SMTP_URL: url, BELFRY_MAIL_FROM: from }
  const server = closeAfterTest(await startTestServer({ env, database }))
  // All tests use the same recipient, who gets only a few test emails a day.
  await server.services.db.query('delete from test_email_days')
  const client = await (await server.createUser(`ada${++serverCount}`)).withKey('providers:read', 'providers:write')
  const { body } = await client.post(channelsPath, { ...getSample('email'), name: 'Ops <all>' })
  return { server, client, testPath: `${channelsPath}/${body.data.id}/test` }
}

async function expectFailure({ server, client, testPath }: EmailTest, sentence: RegExp): Promise<void> {
  const response = await client.post(testPath)
  expect([response.status, response.body.code]).toEqual([502, 'provider_delivery_failed'])
  expect(response.body.detail).toMatch(sentence)
  for (const text of [response.text, ...server.logLines]) expect(text).not.toContain(password)
}

const getFirstMail = ({ received }: SmtpReceiver) => received[0] as ReceivedMail

const authenticate: SMTPServerOptions['onAuth'] = (auth: SMTPServerAuthentication, _session, done) => {
  if (auth.username === 'bell' && auth.password === password) done(null, { user: 'bell' })
  else done(new Error(`535 5.7.8 login ${auth.username} with ${auth.password} rejected`))
}

describe('a test notification by email', () => {
  it('arrives', async () => {
    const receiver = await startReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    const { client, testPath } = await startEmailTest(`smtp://127.0.0.1:${receiver.port}`)
    const response = await client.post(testPath)
    expect(response.status).toBe(200)
    expect(response.body.data).toEqual({
      success: true,
      provider_id: expect.any(Number),
      message: 'The mail server accepted the message: 250 queued as 12345',
    })
    const { from: sender, to, mail, raw, usesTls } = getFirstMail(receiver)
    expect([sender, to, usesTls]).toEqual(['belfry@example.org', ['ops@example.com'], false])
    expect(mail.from).toMatchObject({ name: 'Belfry', address: 'belfry@example.org' })
    expect(mail.to).toMatchObject([{ address: 'ops@example.com' }])
    expect(mail.subject).toBe('Test notification ✅')
    expect(mail.text).toMatch(/^Test notification ✅\n/)
    expect(mail.text).toContain('(Ops <all>)')
    expect(mail.html).toContain('(Ops &lt;all&gt;)')
    expect(mail.messageId).toMatch(/^<[0-9a-f-]{36}@example\.org>$/)
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  })

  // A mail server on this machine may have any certificate.
  it('uses STARTTLS and the login', async () => {
    const receiver = await startReceiver({ onAuth: authenticate })
    const { client, testPath } = await startEmailTest(`smtp://${login}127.0.0.1:${receiver.port}`)
    expect((await client.post(testPath)).status).toBe(200)
    expect(getFirstMail(receiver)).toMatchObject({ usesTls: true, user: 'bell' })
  })

  it('uses TLS from the start', async () => {
    const receiver = await startReceiver({ onAuth: authenticate, secure: true })
    const { client, testPath } = await startEmailTest(`smtps://${login}127.0.0.1:${receiver.port}`)
    expect((await client.post(testPath)).status).toBe(200)
    expect(getFirstMail(receiver)).toMatchObject({ usesTls: true, user: 'bell' })
  })

  it('rejects a self-signed certificate if the operator requires a valid one', async () => {
    const receiver = await startReceiver({ secure: true })
    const url = `smtps://127.0.0.1:${receiver.port}?tls.rejectUnauthorized=true`
    await expectFailure(await startEmailTest(url), /certificate/)
    expect(receiver.received).toEqual([])
  })

  it('is not sent if TLS is required and not available', async () => {
    const receiver = await startReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    await expectFailure(await startEmailTest(`smtp://127.0.0.1:${receiver.port}?requireTLS=true`), /TLS/)
    expect(receiver.received).toEqual([])
  })

  it('reports a wrong login without showing it', async () => {
    const receiver = await startReceiver({ onAuth: authenticate, secure: true })
    const wrongUrl = `smtps://bell:${encodeURIComponent(`${password}x`)}@127.0.0.1:${receiver.port}?tls.rejectUnauthorized=false`
    await expectFailure(await startEmailTest(wrongUrl), /rejected Belfry's login \(535\)\.$/)
  })

  it.each([
    [550, 'no such user here'],
    [450, 'mailbox busy, try later'],
  ])('reports that the recipient was rejected with %i', async (responseCode, reason) => {
    const reject: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
      done(Object.assign(new Error(reason), { responseCode }))
    const receiver = await startReceiver({ onRcptTo: reject })
    const url = `smtp://127.0.0.1:${receiver.port}?ignoreTLS=true`
    await expectFailure(await startEmailTest(url), new RegExp(`The mail server responded: ${responseCode} ${reason}`))
  })

  it('reports a refused connection', async () => {
    const receiver = await startReceiver()
    const emailTest = await startEmailTest(`smtp://127.0.0.1:${receiver.port}`)
    await receiver.close()
    openResources = openResources.filter((resource) => resource !== receiver)
    await expectFailure(emailTest, /The mail server could not be reached: connection refused/)
  })

  it('reports an unknown host', async () => {
    await expectFailure(await startEmailTest('smtp://mail.invalid'), /could not be reached: .*(host|resolved)/)
  })

  it('reports missing settings', async () => {
    await expectFailure(await startEmailTest(undefined), /an admin has to set its mail server/)
  })
})
