import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { SMTPServerAuthentication, SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { path, sampleOf } from '../../support/providers.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { type ReceivedMail, type SmtpReceiver, startSmtpReceiver } from '../../support/smtp-receiver.ts'

const from = 'Belfry <belfry@example.org>'
const password = 'pass/word@1'
const login = `bell:${encodeURIComponent(password)}@`

let running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.toReversed()) await one.close()
  running = []
})

function closedLater<T extends { close(): Promise<void> }>(one: T): T {
  running.push(one)
  return one
}

const receive = async (options?: SMTPServerOptions) => closedLater(await startSmtpReceiver(options))

interface Sender {
  server: TestServer
  client: Client
  test: string
}

/** A server that sends this way, and the test of a provider of somebody there. */
async function startSender(url: string | undefined): Promise<Sender> {
  const env = url === undefined ? {} : { BELFRY_SMTP_URL: url, BELFRY_MAIL_FROM: from }
  const server = closedLater(await startTestServer({ env }))
  const client = await (await server.person('ada')).withKey('providers:read', 'providers:write')
  const { body } = await client.post(path, { ...sampleOf('email'), name: 'Ops <all>' })
  return { server, client, test: `${path}/${body.data.id}/test` }
}

async function expectFailure({ server, client, test }: Sender, sentence: RegExp): Promise<void> {
  const answer = await client.post(test)
  expect([answer.status, answer.body.code]).toEqual([502, 'provider_delivery_failed'])
  expect(answer.body.detail).toMatch(sentence)
  for (const text of [answer.text, ...server.logged]) expect(text).not.toContain(password)
}

const firstOf = ({ received }: SmtpReceiver) => received[0] as ReceivedMail

const signIn: SMTPServerOptions['onAuth'] = (auth: SMTPServerAuthentication, _session, done) => {
  if (auth.username === 'bell' && auth.password === password) done(null, { user: 'bell' })
  else done(new Error(`535 5.7.8 ${auth.username} may not enter with ${auth.password}`))
}

describe('a test by e-mail', () => {
  it('arrives', async () => {
    const receiver = await receive({ disabledCommands: ['AUTH', 'STARTTLS'] })
    const { client, test } = await startSender(`smtp://127.0.0.1:${receiver.port}`)
    const answer = await client.post(test)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({
      success: true,
      provider_id: expect.any(Number),
      message: 'E-mail took the message: 250 queued as 12345',
    })
    const { from: sender, to, mail, raw, secure } = firstOf(receiver)
    expect([sender, to, secure]).toEqual(['belfry@example.org', ['ops@example.com'], false])
    expect(mail.from).toMatchObject({ name: 'Belfry', address: 'belfry@example.org' })
    expect(mail.to).toMatchObject([{ address: 'ops@example.com' }])
    expect(mail.subject).toBe('Test notification ✅')
    expect(mail.text).toMatch(/^Test notification ✅\n/)
    expect(mail.text).toContain('(Ops <all>)')
    expect(mail.messageId).toMatch(/^<[0-9a-f-]{36}@example\.org>$/)
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  })

  it('is encrypted by STARTTLS and signs in', async () => {
    const receiver = await receive({ onAuth: signIn })
    const { client, test } = await startSender(
      `smtp://${login}127.0.0.1:${receiver.port}?requireTLS=true&tls.rejectUnauthorized=false`,
    )
    expect((await client.post(test)).status).toBe(200)
    expect(firstOf(receiver)).toMatchObject({ secure: true, user: 'bell' })
  })

  it('is encrypted from the start', async () => {
    const receiver = await receive({ onAuth: signIn, secure: true })
    const { client, test } = await startSender(
      `smtps://${login}127.0.0.1:${receiver.port}?tls.rejectUnauthorized=false`,
    )
    expect((await client.post(test)).status).toBe(200)
    expect(firstOf(receiver)).toMatchObject({ secure: true, user: 'bell' })
  })

  it('does not trust a certificate that nobody signed', async () => {
    const receiver = await receive({ secure: true })
    await expectFailure(await startSender(`smtps://127.0.0.1:${receiver.port}`), /certificate/)
    expect(receiver.received).toEqual([])
  })

  it('does not send where it is told to encrypt and cannot', async () => {
    const receiver = await receive({ disabledCommands: ['AUTH', 'STARTTLS'] })
    await expectFailure(await startSender(`smtp://127.0.0.1:${receiver.port}?requireTLS=true`), /TLS/)
    expect(receiver.received).toEqual([])
  })

  it('says that the login is wrong, and not which', async () => {
    const receiver = await receive({ onAuth: signIn, secure: true })
    const wrong = `smtps://bell:${encodeURIComponent(`${password}x`)}@127.0.0.1:${receiver.port}?tls.rejectUnauthorized=false`
    await expectFailure(await startSender(wrong), /refused to let this server sign in \(535\)\.$/)
  })

  it.each([
    [550, 'no such user here'],
    [450, 'mailbox busy, try later'],
  ])('says that the recipient was refused with %i', async (responseCode, words) => {
    const refuse: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
      done(Object.assign(new Error(words), { responseCode }))
    const receiver = await receive({ onRcptTo: refuse })
    const url = `smtp://127.0.0.1:${receiver.port}?ignoreTLS=true`
    await expectFailure(await startSender(url), new RegExp(`The mail server answered: ${responseCode} ${words}`))
  })

  it('says that nobody listens', async () => {
    const receiver = await receive()
    const sender = await startSender(`smtp://127.0.0.1:${receiver.port}`)
    await receiver.close()
    running = running.filter((one) => one !== receiver)
    await expectFailure(sender, /The mail server was not reached: connection refused/)
  })

  it('says that there is no such server', async () => {
    await expectFailure(await startSender('smtp://mail.invalid'), /was not reached: .*(host|resolved)/)
  })

  it('says which settings are missing', async () => {
    await expectFailure(await startSender(undefined), /BELFRY_SMTP_URL and BELFRY_MAIL_FROM are not set/)
  })

  it('waits 10 seconds and no longer, and leaves nothing behind', async () => {
    // A word now and then: it is never silent for long.
    const sockets: Socket[] = []
    const drips = createServer((socket) => {
      sockets.push(socket.on('error', () => {}))
      const timer = setInterval(() => socket.write('220-wait\r\n'), 300)
      socket.on('close', () => clearInterval(timer))
    }).listen(0, '127.0.0.1')
    await once(drips, 'listening')
    const { port } = drips.address() as AddressInfo
    const from = performance.now()
    await expectFailure(await startSender(`smtp://127.0.0.1:${port}`), /did not answer in time/)
    expect(performance.now() - from).toBeLessThan(14_000)
    if (!sockets[0]?.closed) await once(sockets[0] as Socket, 'close')
    drips.close()
  })

  it('waits no longer for a greeting', async () => {
    // Nobody ever hears "220 ready".
    const receiver = await receive({ onConnect: () => {} })
    const from = performance.now()
    await expectFailure(await startSender(`smtp://127.0.0.1:${receiver.port}`), /did not answer in time/)
    expect(performance.now() - from).toBeLessThan(14_000)
  })
})
