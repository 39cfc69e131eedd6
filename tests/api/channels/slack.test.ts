import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ChannelFixture, channelsPath, getSample, startChannelFixture } from '../../support/channels.ts'
import type { Client } from '../../support/client.ts'
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const secretPath = '/services/T0123/B4567/s3cr3tWebhookPath'

let fixture: ChannelFixture

beforeAll(async () => {
  fixture = await startChannelFixture(() => ({ BELFRY_URL: 'https://stats.example.com' }))
})
afterAll(() => fixture.close())
beforeEach(() => {
  fixture.receiver.received.length = 0
  fixture.receiver.respondWith(200, 'ok')
  fixture.server.clock.advance({ minutes: 1 })
})

const createSlack = (fields: object = {}) =>
  fixture.createChannel({ provider_type: 'slack', webhook_url: fixture.receiver.address + secretPath, ...fields })

async function expectFailure(testPath: string, sentence: string | RegExp): Promise<void> {
  const response = await fixture.client.post(testPath)
  expect([response.status, response.body.code]).toEqual([502, 'provider_delivery_failed'])
  expect(response.body.detail).toMatch(sentence)
  expect(response.text).not.toContain('s3cr3tWebhookPath')
  for (const line of fixture.server.logLines) expect(line).not.toContain('s3cr3tWebhookPath')
}

describe('a test notification by Slack', () => {
  it('arrives', async () => {
    const response = await fixture.client.post(
      await createSlack({ channel: '#ops', username: 'Bell', name: 'A <b> & <!channel>' }),
    )
    expect(response.status).toBe(200)
    expect(response.body.data).toMatchObject({ success: true, message: 'Slack accepted the message: ok' })
    const [request] = fixture.receiver.received
    expect(request).toMatchObject({ method: 'POST', path: secretPath })
    expect(request?.headers['content-type']).toBe('application/json')
    expect(request?.headers['x-belfry-message-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(request?.body ?? '')).toEqual({
      text: 'Test notification 🔔\nThis is a test from Belfry at https://stats.example.com, sent through Slack (A &lt;b&gt; &amp; &lt;!channel&gt;). No action needed.',
      // A test notification has blocks, as alerts do, so that users notice before the first alert if their webhook
      // rejects blocks.
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Test notification 🔔' } },
        {
          type: 'section',
          text: {
            type: 'plain_text',
            text: 'This is a test from Belfry at https://stats.example.com, sent through Slack (A <b> & <!channel>). No action needed.',
          },
        },
        { type: 'context', elements: [{ type: 'plain_text', text: 'Sent by Belfry' }] },
      ],
      channel: '#ops',
      username: 'Bell',
    })
    expect(fixture.receiver.received).toHaveLength(1)
  })

  it('omits channel and user name if they are not set', async () => {
    await fixture.client.post(await createSlack())
    expect(Object.keys(JSON.parse(fixture.receiver.received[0]?.body ?? ''))).toEqual(['text', 'blocks'])
  })

  it.each([
    [404, 'no_service'],
    [403, 'action_prohibited'],
    [429, 'slow down'],
    [500, 'oops'],
    [503, ''],
  ])('reports the status code %i %s', async (status, reason) => {
    fixture.receiver.respondWith(status, reason)
    await expectFailure(
      await createSlack(),
      new RegExp(`^Slack responded with ${status}${reason && `: ${reason}`}\\.$`),
    )
  })

  it('redacts secrets that the response repeats', async () => {
    fixture.receiver.handleWith((response, { path }) =>
      response.writeHead(400).end(`no hook at ${path} (s3cr3tWebhookPath)`),
    )
    await expectFailure(await createSlack(), /: no hook at … \(…\)\.$/)
    fixture.receiver.handleWith((response, { path }) => response.end(`welcome at ${path}`))
    const response = await fixture.client.post(await createSlack())
    expect(response.body.data.message).toBe('Slack accepted the message: welcome at …')
  })

  it('does not follow redirects, which would turn the POST into a GET', async () => {
    const otherReceiver = await startHttpReceiver()
    fixture.receiver.respondWith(302, '', { location: otherReceiver.address })
    await expectFailure(await createSlack(), /^Slack responded with 302\.$/)
    expect(otherReceiver.received).toEqual([])
    await otherReceiver.close()
  })

  it('reads only the start of a long response', async () => {
    fixture.receiver.handleWith((response) => {
      const writeUntilFull = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.writeHead(500).on('drain', writeUntilFull)
      writeUntilFull()
    })
    await expectFailure(await createSlack(), /^Slack responded with 500: x{200}…\.$/)
  })

  it('reports a closed connection', async () => {
    fixture.receiver.handleWith((response) => response.socket?.destroy())
    await expectFailure(await createSlack(), /^Slack could not be reached: /)
  })

  it.each([
    ['HTTP/1.1 000 Nope\r\n\r\n', 'an invalid status code'],
    ['SSH-2.0-OpenSSH_9.6\r\n', 'another protocol'],
  ])('reports a response that is not HTTP (%j: %s)', async (bytes) => {
    fixture.receiver.handleWith((response) => response.socket?.end(bytes))
    await expectFailure(await createSlack(), /^Slack could not be reached: /)
  })

  it('redacts secrets before it shortens the response', async () => {
    fixture.receiver.respondWith(400, `${'y'.repeat(180)} at ${secretPath}`)
    await expectFailure(await createSlack(), /^Slack responded with 400: y{180} at …\.$/)
  })

  it('reports a refused connection', async () => {
    const closedReceiver = await startHttpReceiver()
    await closedReceiver.close()
    const testPath = await fixture.createChannel({
      provider_type: 'slack',
      webhook_url: `${closedReceiver.address}/hook`,
    })
    await expectFailure(testPath, /^Slack could not be reached: connection refused\.$/)
  })

  it('does not wait for a slow response body', async () => {
    fixture.receiver.handleWith(async (response) => {
      response.writeHead(200)
      while (response.write('.')) await delay(200)
    })
    const startedAt = performance.now()
    expect((await fixture.client.post(await createSlack())).body.data.message).toMatch(
      /^Slack accepted the message: \.+$/,
    )
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })
})

describe('a server that stops during a test notification', () => {
  it('reports immediately that it is stopping', async () => {
    const stoppingFixture = await startChannelFixture(() => ({}))
    const requestArrival = Promise.withResolvers<void>()
    stoppingFixture.receiver.handleWith(() => requestArrival.resolve())
    const testPath = await stoppingFixture.createChannel({
      provider_type: 'slack',
      webhook_url: stoppingFixture.receiver.address,
    })
    const response = stoppingFixture.client.post(testPath)
    await requestArrival.promise
    await stoppingFixture.close()
    expect(await response).toMatchObject({ status: 502, body: { detail: 'The server is stopping.' } })
    expect(stoppingFixture.server.logLines.filter((line) => line.startsWith('{"level":"error"'))).toEqual([])
  })
})

describe('a webhook on a private address', () => {
  let receiver: HttpReceiver
  let server: TestServer
  let client: Client

  beforeAll(async () => {
    receiver = await startHttpReceiver()
    server = await startTestServer()
    client = (await server.createUser('ada')).session
  })
  afterAll(async () => {
    await server.close()
    await receiver.close()
  })

  it.each([
    'https://127.0.0.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://0x7f.1',
    'https://2130706433',
    'https://localhost',
    'https://0.0.0.0',
    'https://10.1.2.3',
    'https://169.254.169.254',
  ])('such as %s is not called, and the error names the setting that allows it', async (origin) => {
    const port = new URL(receiver.address).port
    const { body } = await client.post(channelsPath, {
      ...getSample('slack'),
      webhook_url: `${origin}:${port}${secretPath}`,
    })
    const response = await client.post(`${channelsPath}/${body.data.id}/test`)
    expect(response.status).toBe(502)
    expect(response.body.detail).toContain('BELFRY_PRIVATE_TARGETS')
    expect(response.body.detail).toContain(new URL(origin).hostname.replace(/[[\]]/g, ''))
    expect(response.text).not.toContain('s3cr3tWebhookPath')
    expect(receiver.received).toEqual([])
  })

  it('is called if the operator allows it', async () => {
    const receiver = await startHttpReceiver()
    const server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: '10.0.0.0/8, 127.0.0.1' } })
    const client = (await server.createUser('ada')).session
    const { body } = await client.post(channelsPath, { ...getSample('slack'), webhook_url: receiver.address })
    expect((await client.post(`${channelsPath}/${body.data.id}/test`)).status).toBe(200)
    expect(receiver.received).toHaveLength(1)
    await server.close()
    await receiver.close()
  })
})
