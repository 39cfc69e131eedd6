import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startHttpReceiver } from '../../support/http-receiver.ts'
import { path, type Sender, sampleOf, startSender } from '../../support/providers.ts'
import { startTestServer } from '../../support/server.ts'

const secretPath = '/services/T0123/B4567/s3cr3tWebhookPath'

let sender: Sender

beforeAll(async () => {
  sender = await startSender(() => ({ BELFRY_URL: 'https://stats.example.com' }))
})
afterAll(() => sender.close())
beforeEach(() => {
  sender.receiver.received.length = 0
  sender.server.clock.advance({ minutes: 1 })
})

const make = (more: object = {}) =>
  sender.make({ provider_type: 'slack', webhook_url: sender.receiver.address + secretPath, ...more })

async function expectFailure(test: string, sentence: string | RegExp): Promise<void> {
  const answer = await sender.client.post(test)
  expect([answer.status, answer.body.code]).toEqual([502, 'provider_delivery_failed'])
  expect(answer.body.detail).toMatch(sentence)
  expect(answer.text).not.toContain('s3cr3tWebhookPath')
  for (const line of sender.server.logged) expect(line).not.toContain('s3cr3tWebhookPath')
}

describe('a test by Slack', () => {
  it('arrives', async () => {
    sender.receiver.answerWith(200, 'ok')
    const answer = await sender.client.post(
      await make({ channel: '#ops', username: 'Bell', name: 'A <b> & <!channel>' }),
    )
    expect(answer.status).toBe(200)
    expect(answer.body.data).toMatchObject({ success: true, message: 'Slack took the message: ok' })
    const [request] = sender.receiver.received
    expect(request).toMatchObject({ method: 'POST', path: secretPath })
    expect(request?.headers['content-type']).toBe('application/json')
    expect(request?.headers['x-belfry-message-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(request?.body ?? '')).toEqual({
      text: 'Test notification 🔔\nBelfry at https://stats.example.com reaches you through Slack (A &lt;b&gt; &amp; &lt;!channel&gt;). There is nothing to do.',
      channel: '#ops',
      username: 'Bell',
    })
    expect(sender.receiver.received).toHaveLength(1)
  })

  it('leaves channel and name to the webhook where they are not set', async () => {
    await sender.client.post(await make())
    expect(Object.keys(JSON.parse(sender.receiver.received[0]?.body ?? ''))).toEqual(['text'])
  })

  it.each([
    [404, 'no_service'],
    [403, 'action_prohibited'],
    [429, 'slow down'],
    [500, 'oops'],
    [503, ''],
  ])('says that it was refused with %i %s', async (status, words) => {
    sender.receiver.answerWith(status, words)
    await expectFailure(await make(), new RegExp(`^Slack answered ${status}${words && `: ${words}`}\\.$`))
  })

  it('repeats no secret that the other side repeats', async () => {
    sender.receiver.answer((response, { path }) =>
      response.writeHead(400).end(`no hook at ${path} (s3cr3tWebhookPath)`),
    )
    await expectFailure(await make(), /: no hook at … \(…\)\.$/)
    sender.receiver.answer((response, { path }) => response.end(`welcome at ${path}`))
    const answer = await sender.client.post(await make())
    expect(answer.body.data.message).toBe('Slack took the message: welcome at …')
  })

  it('follows no redirect, which would turn the message into a question', async () => {
    const elsewhere = await startHttpReceiver()
    sender.receiver.answerWith(302, '', { location: elsewhere.address })
    await expectFailure(await make(), /^Slack answered 302\.$/)
    expect(elsewhere.received).toEqual([])
    await elsewhere.close()
  })

  it('reads no more of an answer than it needs', async () => {
    sender.receiver.answer((response) => {
      const pour = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.writeHead(500).on('drain', pour)
      pour()
    })
    await expectFailure(await make(), /^Slack answered 500: x{200}…\.$/)
  })

  it('says that the connection was cut', async () => {
    sender.receiver.answer((response) => response.socket?.destroy())
    await expectFailure(await make(), /^Slack was not reached: /)
  })

  it.each([
    ['HTTP/1.1 000 Nope\r\n\r\n', 'a status that is none'],
    ['SSH-2.0-OpenSSH_9.6\r\n', 'another protocol'],
  ])('says that the other side speaks no HTTP (%j: %s)', async (bytes) => {
    sender.receiver.answer((response) => response.socket?.end(bytes))
    await expectFailure(await make(), /^Slack was not reached: /)
  })

  it('keeps what could be half a secret out of what it shortens', async () => {
    sender.receiver.answerWith(400, `${'y'.repeat(180)} at ${secretPath}`)
    await expectFailure(await make(), /^Slack answered 400: y{180} at …\.$/)
  })

  it('says that nobody listens', async () => {
    const gone = await startHttpReceiver()
    await gone.close()
    const test = await sender.make({ provider_type: 'slack', webhook_url: `${gone.address}/hook` })
    await expectFailure(test, /^Slack was not reached: connection refused\.$/)
  })

  it('waits 10 seconds and no longer', async () => {
    sender.receiver.answer(() => {})
    const from = performance.now()
    await expectFailure(await make(), /^Slack did not answer in time\.$/)
    expect(performance.now() - from).toBeLessThan(13_000)
  })

  it('waits no longer for words once the status is here', async () => {
    sender.receiver.answer(async (response) => {
      response.writeHead(200)
      while (response.write('.')) await pause(200)
    })
    const from = performance.now()
    expect((await sender.client.post(await make())).body.data.message).toMatch(/^Slack took the message: \.+$/)
    expect(performance.now() - from).toBeLessThan(5_000)
  })
})

describe('a server that stops during a test', () => {
  it('says so, at once', async () => {
    const stopping = await startSender(() => ({}))
    const asked = Promise.withResolvers<void>()
    stopping.receiver.answer(() => asked.resolve())
    const test = await stopping.make({ provider_type: 'slack', webhook_url: stopping.receiver.address })
    const answer = stopping.client.post(test)
    await asked.promise
    await stopping.close()
    expect(await answer).toMatchObject({ status: 502, body: { detail: 'This server is stopping.' } })
    expect(stopping.server.logged.filter((line) => line.startsWith('{"level":"error"'))).toEqual([])
  })
})

describe('a webhook on a private address', () => {
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
  ])('%s is not dialled, and the answer names the setting', async (origin) => {
    const receiver = await startHttpReceiver()
    const server = await startTestServer()
    const client = (await server.person('ada')).session
    const port = new URL(receiver.address).port
    const { body } = await client.post(path, { ...sampleOf('slack'), webhook_url: `${origin}:${port}${secretPath}` })
    const answer = await client.post(`${path}/${body.data.id}/test`)
    expect(answer.status).toBe(502)
    expect(answer.body.detail).toContain('BELFRY_PRIVATE_TARGETS')
    expect(answer.body.detail).toContain(new URL(origin).hostname.replace(/[[\]]/g, ''))
    expect(answer.text).not.toContain('s3cr3tWebhookPath')
    expect(receiver.received).toEqual([])
    await server.close()
    await receiver.close()
  })

  it('is dialled where the operator lists it', async () => {
    const receiver = await startHttpReceiver()
    const server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: '10.0.0.0/8, 127.0.0.1' } })
    const client = (await server.person('ada')).session
    const { body } = await client.post(path, { ...sampleOf('slack'), webhook_url: receiver.address })
    expect((await client.post(`${path}/${body.data.id}/test`)).status).toBe(200)
    expect(receiver.received).toHaveLength(1)
    await server.close()
    await receiver.close()
  })
})
