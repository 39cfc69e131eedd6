import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tidy } from '../../../src/app/housekeeping.ts'
import { path, type Sender, sampleOf, startSender } from '../../support/providers.ts'
import { startTestServer } from '../../support/server.ts'

const account = 'AC0123456789'
const secret = 'smsT0kenOfTheOperator'

let sender: Sender

beforeAll(async () => {
  sender = await startSender(({ address }) => ({
    BELFRY_PRIVATE_TARGETS: '',
    BELFRY_SMS_URL: `${address}/2010-04-01/Accounts/${account}/Messages.json`,
    BELFRY_SMS_ACCOUNT: account,
    BELFRY_SMS_TOKEN: secret,
    BELFRY_SMS_FROM: '+15005550006',
    BELFRY_SMS_DAILY: '3',
  }))
})
afterAll(() => sender.close())
beforeEach(() => {
  sender.receiver.received.length = 0
  sender.server.clock.advance({ days: 1 })
  sender.receiver.answerWith(201, { sid: 'SM1', status: 'queued' })
})

const test = () => sender.make(sampleOf('sms'))

async function expectFailure(sentence: RegExp): Promise<void> {
  const answer = await sender.client.post(await test())
  expect([answer.status, answer.body.code]).toEqual([502, 'provider_delivery_failed'])
  expect(answer.body.detail).toMatch(sentence)
  for (const text of [answer.text, ...sender.server.logged]) expect(text).not.toContain(secret)
}

describe('a test by SMS', () => {
  it('arrives', async () => {
    const answer = await sender.client.post(await sender.make({ ...sampleOf('sms'), name: 'Ada & co' }))
    expect([answer.status, answer.body.data.message]).toEqual([200, 'SMS took the message: queued'])
    const [request] = sender.receiver.received
    expect(request).toMatchObject({ method: 'POST', path: `/2010-04-01/Accounts/${account}/Messages.json` })
    expect(request?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`${account}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      'x-belfry-message-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      To: '+4915112345678',
      From: '+15005550006',
      Body: 'Test notification\nBelfry reaches you through SMS (Ada & co). There is nothing to do.',
    })
  })

  it.each([
    [400, 'The number is not valid.'],
    [401, 'Authenticate'],
    [429, 'Too many'],
    [500, 'Oops'],
  ])('says that it was refused with %i %s', async (status, message) => {
    sender.receiver.answerWith(status, { code: 21_211, message, status })
    await expectFailure(new RegExp(`^The SMS service answered ${status}: ${message}\\.$`))
  })

  it('repeats nothing of the operator’s login', async () => {
    sender.receiver.answer((response, { headers }) =>
      response.writeHead(401).end(`wrong login: ${headers.authorization} for ${account} ${secret}`),
    )
    await expectFailure(/^The SMS service answered 401: wrong login: Basic … for … …\.$/)
  })

  it('says which setting is missing', async () => {
    const server = await startTestServer()
    const client = (await server.person('ada')).session
    const { body } = await client.post(path, sampleOf('sms'))
    const answer = await client.post(`${path}/${body.data.id}/test`)
    expect([answer.status, answer.body.detail]).toEqual([
      502,
      'This server cannot send text messages yet: BELFRY_SMS_URL is not set.',
    ])
    await server.close()
  })
})

describe('text messages', () => {
  const sent = async () => (await sender.client.post(await test())).status

  it('end for the day at BELFRY_SMS_DAILY, for each user', async () => {
    expect([await sent(), await sent(), await sent(), await sent()]).toEqual([200, 200, 200, 429])
    const refused = await sender.client.post(await test())
    expect(refused.body.detail).toBe('At most 3 text messages a day (BELFRY_SMS_DAILY).')
    expect(refused.headers.get('retry-after')).toBe(String(14 * 3_600))
    expect(sender.receiver.received).toHaveLength(3)
    const other = await (await sender.server.person('other')).session
    const { body } = await other.post(path, sampleOf('sms'))
    expect((await other.post(`${path}/${body.data.id}/test`)).status).toBe(200)
    sender.server.clock.advance({ hours: 14 })
    expect(await sent()).toBe(200)
  })

  it('that were not taken do not count', async () => {
    sender.receiver.answerWith(500, 'oops')
    expect([await sent(), await sent()]).toEqual([502, 502])
    sender.receiver.answerWith(201, {})
    expect([await sent(), await sent(), await sent()]).toEqual([200, 200, 200])
  })

  it('that may have been taken do count', async () => {
    sender.receiver.answer((response) => response.socket?.destroy())
    expect(await sent()).toBe(502)
    sender.receiver.answerWith(201, {})
    expect([await sent(), await sent(), await sent()]).toEqual([200, 200, 429])
  })

  it('sent at the same moment are counted all the same', async () => {
    const tests = await Promise.all([test(), test(), test(), test(), test()])
    const answers = await Promise.all(tests.map((one) => sender.client.post(one)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429])
  })

  it('of past days are forgotten', async () => {
    await sent()
    sender.server.clock.advance({ days: 1 })
    await sent()
    await tidy(sender.server.services)
    const days = await sender.server.services.db.query('select day::text from sms_days')
    expect(days).toEqual([{ day: sender.server.clock.now().toISOString().slice(0, 10) }])
  })
})
