import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ChannelFixture, getSample, sampleToken, startChannelFixture } from '../../support/channels.ts'

let fixture: ChannelFixture

beforeAll(async () => {
  // BELFRY_PRIVATE_TARGETS applies only to URLs from users. BELFRY_TELEGRAM_API comes from the operator, so it can be a
  // loopback address although no private targets are allowed.
  fixture = await startChannelFixture(({ address }) => ({
    BELFRY_TELEGRAM_API: `${address}/api/`,
    BELFRY_PRIVATE_TARGETS: '',
  }))
})
afterAll(() => fixture.close())
beforeEach(() => {
  fixture.receiver.received.length = 0
  fixture.server.clock.advance({ minutes: 1 })
})

async function expectFailure(sentence: RegExp): Promise<void> {
  const response = await fixture.client.post(await fixture.createChannel(getSample('telegram')))
  expect([response.status, response.body.code]).toEqual([502, 'provider_delivery_failed'])
  expect(response.body.detail).toMatch(sentence)
  for (const text of [response.text, ...fixture.server.logLines]) expect(text).not.toMatch(/ABC-DEF1234ghIkl/)
}

describe('a test notification by Telegram', () => {
  it('arrives', async () => {
    fixture.receiver.respondWith(200, { ok: true, result: { message_id: 5 } })
    const response = await fixture.client.post(
      await fixture.createChannel({ ...getSample('telegram'), name: '<b>A</b> & co' }),
    )
    expect([response.status, response.body.data.message]).toEqual([200, 'Telegram accepted the message: message 5'])
    const [request] = fixture.receiver.received
    expect(request).toMatchObject({ method: 'POST', path: `/api/bot${sampleToken}/sendMessage` })
    expect(request?.headers['x-belfry-message-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(request?.body ?? '')).toEqual({
      chat_id: '-1001234567890',
      text: 'Test notification 🧪\nThis is a test from Belfry, sent through Telegram (&lt;b&gt;A&lt;/b&gt; &amp; co). No action needed.',
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    })
  })

  it.each([
    [400, 'Bad Request: chat not found'],
    [401, 'Unauthorized'],
    [403, 'Forbidden: bot was kicked from the group chat'],
    [429, 'Too Many Requests: retry after 5'],
  ])('reports the status code %i %s', async (status, description) => {
    fixture.receiver.respondWith(status, { ok: false, error_code: status, description })
    await expectFailure(new RegExp(`^Telegram responded with ${status}: ${description}\\.$`))
  })

  it('reports a gateway error', async () => {
    fixture.receiver.respondWith(502, '<html>Bad gateway</html>')
    await expectFailure(/^Telegram responded with 502\.$/)
  })

  it('does not mistake an ordinary website for Telegram', async () => {
    fixture.receiver.respondWith(200, 'welcome')
    await expectFailure(/^Telegram responded with 200\.$/)
  })

  it('shows a description that is not a string', async () => {
    fixture.receiver.respondWith(400, { ok: false, description: { toString: 1 } })
    await expectFailure(/^Telegram responded with 400: \{"toString":1\}\.$/)
  })

  it('redacts a token that the response repeats', async () => {
    fixture.receiver.handleWith((response, { path }) =>
      response.writeHead(404).end(JSON.stringify({ ok: false, description: `nothing at ${path}` })),
    )
    await expectFailure(/^Telegram responded with 404: nothing at .*…/)
  })
})
