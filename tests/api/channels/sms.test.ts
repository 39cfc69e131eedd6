import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteExpired } from '../../../src/app/delete-expired.ts'
import { addMember } from '../../support/authorization/things.ts'
import { type ChannelFixture, channelsPath, getSample, startChannelFixture } from '../../support/channels.ts'
import { startTestServer } from '../../support/server.ts'

const account = 'AC0123456789'
const secret = 'smsT0kenOfTheOperator'

let fixture: ChannelFixture

beforeAll(async () => {
  fixture = await startChannelFixture(({ address }) => ({
    BELFRY_PRIVATE_TARGETS: '',
    BELFRY_SMS_URL: `${address}/2010-04-01/Accounts/${account}/Messages.json`,
    BELFRY_SMS_ACCOUNT: account,
    BELFRY_SMS_TOKEN: secret,
    BELFRY_SMS_FROM: '+15005550006',
    BELFRY_SMS_DAILY: '3',
  }))
})
afterAll(() => fixture.close())
beforeEach(() => {
  fixture.receiver.received.length = 0
  fixture.server.clock.advance({ days: 1 })
  fixture.receiver.respondWith(201, { sid: 'SM1', status: 'queued' })
})

const createSms = () => fixture.createChannel(getSample('sms'))

async function expectFailure(sentence: RegExp): Promise<void> {
  const response = await fixture.client.post(await createSms())
  expect([response.status, response.body.code]).toEqual([502, 'provider_delivery_failed'])
  expect(response.body.detail).toMatch(sentence)
  for (const text of [response.text, ...fixture.server.logLines]) expect(text).not.toContain(secret)
}

describe('a test notification by SMS', () => {
  it('arrives', async () => {
    const response = await fixture.client.post(await fixture.createChannel({ ...getSample('sms'), name: 'Ada & co' }))
    expect([response.status, response.body.data.message]).toEqual([200, 'The SMS service accepted the message: queued'])
    const [request] = fixture.receiver.received
    expect(request).toMatchObject({ method: 'POST', path: `/2010-04-01/Accounts/${account}/Messages.json` })
    expect(request?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`${account}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      'x-belfry-message-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      To: '+4915112345678',
      From: '+15005550006',
      Body: 'Test notification\nThis is a test from Belfry, sent through SMS (Ada & co). No action needed.',
    })
  })

  it.each([
    [400, 'The number is not valid.'],
    [401, 'Authenticate'],
    [429, 'Too many'],
    [500, 'Oops'],
  ])('reports the status code %i %s', async (status, message) => {
    fixture.receiver.respondWith(status, { code: 21_211, message, status })
    await expectFailure(new RegExp(`^The SMS service responded with ${status}: ${message}\\.$`))
  })

  it("redacts the operator's login", async () => {
    fixture.receiver.handleWith((response, { headers }) =>
      response.writeHead(401).end(`wrong login: ${headers.authorization} for ${account} ${secret}`),
    )
    await expectFailure(/^The SMS service responded with 401: wrong login: Basic … for … …\.$/)
  })

  it('reports a missing setting', async () => {
    const server = await startTestServer()
    const client = (await server.createUser('ada')).session
    const { body } = await client.post(channelsPath, getSample('sms'))
    const response = await client.post(`${channelsPath}/${body.data.id}/test`)
    expect([response.status, response.body.detail]).toEqual([
      502,
      "This server can't send text messages: BELFRY_SMS_URL is not set.",
    ])
    await server.close()
  })
})

describe('text messages', () => {
  const sendTest = async () => (await fixture.client.post(await createSms())).status

  it('are limited to BELFRY_SMS_DAILY per user and day', async () => {
    expect([await sendTest(), await sendTest(), await sendTest(), await sendTest()]).toEqual([200, 200, 200, 429])
    const rejectedResponse = await fixture.client.post(await createSms())
    expect(rejectedResponse.body.detail).toBe("You've reached the daily limit of 3 text messages (BELFRY_SMS_DAILY).")
    expect(rejectedResponse.headers.get('retry-after')).toBe(String(14 * 3_600))
    expect(fixture.receiver.received).toHaveLength(3)
    const otherSession = await (await fixture.server.createUser('other')).session
    const { body } = await otherSession.post(channelsPath, getSample('sms'))
    expect((await otherSession.post(`${channelsPath}/${body.data.id}/test`)).status).toBe(200)
    fixture.server.clock.advance({ hours: 14 })
    expect(await sendTest()).toBe(200)
  })

  it('of deleted and left teams count towards the new teams of the same person', async () => {
    const { server } = fixture
    const eve = await server.createUser('eve')
    const other = await server.createUser('witness')
    const createTeam = async () => (await eve.session.post('/api/teams', { name: 'Next' })).body.data.id as number
    const sendTests = async (teamId: number, count: number) => {
      await eve.session.put('/api/session', { team_id: teamId })
      const { id } = (await eve.session.post(channelsPath, getSample('sms'))).body.data
      const statuses: number[] = []
      for (let n = 0; n < count; n++) statuses.push((await eve.session.post(`${channelsPath}/${id}/test`)).status)
      await eve.session.delete(`${channelsPath}/${id}`)
      return statuses
    }
    const first = await createTeam()
    expect(await sendTests(first, 2)).toEqual([200, 200])
    expect((await eve.session.delete(`/api/teams/${first}`)).status).toBe(200)
    expect(await sendTests(await createTeam(), 2)).toEqual([200, 429])
    // Her own team has existed before, and keeps its own count.
    expect(await sendTests(eve.id, 3)).toEqual([200, 200, 200])

    await addMember(server, eve, other.id, 'owner')
    for (const { id } of (await eve.session.get('/api/teams')).body.data) {
      if (id !== eve.id) await eve.session.delete(`/api/teams/${id}`)
    }
    expect((await eve.session.delete(`/api/teams/${eve.id}/members/${eve.id}`)).status).toBe(200)
    const [{ id: last }] = (await eve.session.get('/api/teams')).body.data
    expect(await sendTests(last, 1)).toEqual([429])
    server.clock.advance({ days: 1 })
    expect(await sendTests(last, 1)).toEqual([200])
  })

  it('that were rejected do not count towards the limit', async () => {
    fixture.receiver.respondWith(500, 'oops')
    expect([await sendTest(), await sendTest()]).toEqual([502, 502])
    fixture.receiver.respondWith(201, {})
    expect([await sendTest(), await sendTest(), await sendTest()]).toEqual([200, 200, 200])
  })

  it('that may have been accepted count towards the limit', async () => {
    fixture.receiver.handleWith((response) => response.socket?.destroy())
    expect(await sendTest()).toBe(502)
    fixture.receiver.respondWith(201, {})
    expect([await sendTest(), await sendTest(), await sendTest()]).toEqual([200, 200, 429])
  })

  it('are counted correctly when sent concurrently', async () => {
    const testPaths = await Promise.all([createSms(), createSms(), createSms(), createSms(), createSms()])
    const responses = await Promise.all(testPaths.map((testPath) => fixture.client.post(testPath)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429])
  })

  it('are counted per day, and counts of past days are deleted', async () => {
    await sendTest()
    fixture.server.clock.advance({ days: 1 })
    await sendTest()
    await deleteExpired(fixture.server.services)
    const days = await fixture.server.services.db.query('select day::text from sms_days')
    expect(days).toEqual([{ day: fixture.server.clock.now().toISOString().slice(0, 10) }])
  })
})
