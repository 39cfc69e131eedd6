import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Sender, sampleOf, startSender, token } from '../../support/providers.ts'

let sender: Sender

beforeAll(async () => {
  // The operator's own server needs no permission.
  sender = await startSender(({ address }) => ({ BELFRY_TELEGRAM_API: `${address}/api/`, BELFRY_PRIVATE_TARGETS: '' }))
})
afterAll(() => sender.close())
beforeEach(() => {
  sender.receiver.received.length = 0
  sender.server.clock.advance({ minutes: 1 })
})

async function expectFailure(sentence: RegExp): Promise<void> {
  const answer = await sender.client.post(await sender.make(sampleOf('telegram')))
  expect([answer.status, answer.body.code]).toEqual([502, 'provider_delivery_failed'])
  expect(answer.body.detail).toMatch(sentence)
  for (const text of [answer.text, ...sender.server.logged]) expect(text).not.toMatch(/ABC-DEF1234ghIkl/)
}

describe('a test by Telegram', () => {
  it('arrives', async () => {
    sender.receiver.answerWith(200, { ok: true, result: { message_id: 5 } })
    const answer = await sender.client.post(await sender.make({ ...sampleOf('telegram'), name: '<b>A</b> & co' }))
    expect([answer.status, answer.body.data.message]).toEqual([200, 'Telegram took the message: ok'])
    const [request] = sender.receiver.received
    expect(request).toMatchObject({ method: 'POST', path: `/api/bot${token}/sendMessage` })
    expect(request?.headers['x-belfry-message-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(request?.body ?? '')).toEqual({
      chat_id: '-1001234567890',
      text: 'Test notification 🧪\nBelfry reaches you through Telegram (&lt;b&gt;A&lt;/b&gt; &amp; co). There is nothing to do.',
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    })
  })

  it.each([
    [400, 'Bad Request: chat not found'],
    [401, 'Unauthorized'],
    [403, 'Forbidden: bot was kicked from the group chat'],
    [429, 'Too Many Requests: retry after 5'],
  ])('says that it was refused with %i %s', async (status, description) => {
    sender.receiver.answerWith(status, { ok: false, error_code: status, description })
    await expectFailure(new RegExp(`^Telegram answered ${status}: ${description}\\.$`))
  })

  it('says that the service is out of order', async () => {
    sender.receiver.answerWith(502, '<html>Bad gateway</html>')
    await expectFailure(/^Telegram answered 502\.$/)
  })

  it('does not take any page for Telegram', async () => {
    sender.receiver.answerWith(200, 'welcome')
    await expectFailure(/^Telegram answered 200\.$/)
  })

  it('takes strange answers for what they are', async () => {
    sender.receiver.answerWith(400, { ok: false, description: { toString: 1 } })
    await expectFailure(/^Telegram answered 400: \{"toString":1\}\.$/)
  })

  it('repeats no token that the other side repeats', async () => {
    sender.receiver.answer((response, { path }) =>
      response.writeHead(404).end(JSON.stringify({ ok: false, description: `nothing at ${path}` })),
    )
    await expectFailure(/^Telegram answered 404: nothing at .*…/)
  })
})
