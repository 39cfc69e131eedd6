/** Receivers that accept a connection but never complete a response. Each test waits 10 seconds, so they run concurrently. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelsPath, getSample } from '../../support/channels.ts'
import type { Client } from '../../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../../support/smtp-receiver.ts'

const secretPath = '/services/T0123/B4567/s3cr3tWebhookPath'

let slowMailServer: Server
const slowMailSockets: Socket[] = []
let silentMailServer: SmtpReceiver
let silentWebhook: HttpReceiver
let database: TestDatabase
/** A Belfry server uses one mail server, so each mail server needs its own Belfry server. */
let serverWithSlowMail: TestServer
let serverWithSilentMail: TestServer
let keyClient: Client

beforeAll(async () => {
  // This server sends something every 300 ms, so it is never silent for long.
  slowMailServer = createServer((socket) => {
    slowMailSockets.push(socket.on('error', () => {}))
    const timer = setInterval(() => socket.write('220-wait\r\n'), 300)
    socket.on('close', () => clearInterval(timer))
  }).listen(0, '127.0.0.1')
  await once(slowMailServer, 'listening')
  // This server never sends "220 ready".
  silentMailServer = await startSmtpReceiver({ onConnect: () => {} })
  silentWebhook = await startHttpReceiver()
  silentWebhook.handleWith(() => {})
  database = await createTestDatabase()
  const startServer = (mailPort: number) =>
    startTestServer({
      database,
      env: {
        BELFRY_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
        BELFRY_MAIL_FROM: 'Belfry <belfry@example.org>',
        BELFRY_PRIVATE_TARGETS: 'allow',
      },
    })
  serverWithSlowMail = await startServer((slowMailServer.address() as AddressInfo).port)
  serverWithSilentMail = await startServer(silentMailServer.port)
  keyClient = await (await serverWithSlowMail.createUser('ada')).withKey('providers:read', 'providers:write')
})
afterAll(async () => {
  await Promise.all([serverWithSlowMail.close(), serverWithSilentMail.close()])
  await Promise.all([silentMailServer.close(), silentWebhook.close(), database.drop()])
  slowMailServer.close()
})

interface TimeoutCase {
  server: TestServer
  channel: object
  sentence: RegExp
  maxMs: number
}

async function expectTimeout({ server, channel, sentence, maxMs }: TimeoutCase): Promise<void> {
  const client = server.anyone.as(keyClient.credentials)
  const startedAt = performance.now()
  const { body } = await client.post(channelsPath, channel)
  const response = await client.post(`${channelsPath}/${body.data.id}/test`)
  expect([response.status, response.body.code]).toEqual([502, 'provider_delivery_failed'])
  expect(response.body.detail).toMatch(sentence)
  expect(performance.now() - startedAt).toBeLessThan(maxMs)
  for (const text of [response.text, ...server.logLines]) expect(text).not.toContain('s3cr3tWebhookPath')
}

const expectEmailTimeout = (server: TestServer) =>
  expectTimeout({ server, channel: getSample('email'), sentence: /did not respond in time/, maxMs: 14_000 })

describe.concurrent('a test notification', () => {
  it('by email times out after 10 seconds and closes its connection', async () => {
    await expectEmailTimeout(serverWithSlowMail)
    if (!slowMailSockets[0]?.closed) await once(slowMailSockets[0] as Socket, 'close')
  })

  it('by email times out if the mail server sends no greeting', () => expectEmailTimeout(serverWithSilentMail))

  it('by Slack times out after 10 seconds', () =>
    expectTimeout({
      server: serverWithSilentMail,
      channel: { ...getSample('slack'), webhook_url: silentWebhook.address + secretPath },
      sentence: /^Slack did not respond in time\.$/,
      maxMs: 13_000,
    }))
})
