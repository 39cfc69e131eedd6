import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { syncRateCounts } from '../../../src/storage/rate-counts.ts'
import { type ChannelFixture, channelsPath, getSample, startChannelFixture } from '../../support/channels.ts'
import { startTestServer } from '../../support/server.ts'

let fixture: ChannelFixture

beforeAll(async () => {
  fixture = await startChannelFixture(() => ({}))
})
afterAll(() => fixture.close())
beforeEach(() => {
  // The limits are per minute, so the messages of earlier tests no longer count.
  fixture.server.clock.advance({ minutes: 1 })
  fixture.receiver.received.length = 0
  fixture.receiver.respondWith(200, 'ok')
})

const createSlack = () => fixture.createChannel({ ...getSample('slack'), webhook_url: fixture.receiver.address })

const sendTests = async (count: number, testPath: string) => {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push((await fixture.client.post(testPath)).status)
  return statuses
}

describe('test notifications', () => {
  it('are limited to 5 per minute for a channel', async () => {
    const testPath = await createSlack()
    expect(await sendTests(5, testPath)).toEqual([200, 200, 200, 200, 200])
    const rejectedResponse = await fixture.client.post(testPath)
    expect([rejectedResponse.status, rejectedResponse.body.code]).toEqual([429, 'rate_limited'])
    expect(rejectedResponse.headers.get('retry-after')).toBe('60')
    expect(rejectedResponse.body.detail).toBe(
      'Limit of 5 test notifications per minute for this notification channel reached. Try again in 60 s.',
    )
    expect(fixture.receiver.received).toHaveLength(5)
    fixture.server.clock.advance({ minutes: 1 })
    expect(await sendTests(1, testPath)).toEqual([200])
  })

  it('are limited to 20 per minute for a user', async () => {
    for (let n = 0; n < 4; n++) expect(await sendTests(5, await createSlack())).toEqual([200, 200, 200, 200, 200])
    const lastTestPath = await createSlack()
    const rejectedResponse = await fixture.client.post(lastTestPath)
    expect([rejectedResponse.status, rejectedResponse.body.detail]).toEqual([
      429,
      expect.stringContaining('20 test notifications'),
    ])
    fixture.server.clock.advance({ minutes: 1 })
    expect(await sendTests(5, lastTestPath)).toEqual([200, 200, 200, 200, 200])
  })

  it('count towards the limit even if they fail', async () => {
    fixture.receiver.respondWith(500, 'oops')
    expect(await sendTests(6, await createSlack())).toEqual([502, 502, 502, 502, 502, 429])
  })

  it('share their limits across nodes', async () => {
    const { database, clock, services } = fixture.server
    const node = await startTestServer({ database, clock, env: { BELFRY_PRIVATE_TARGETS: 'allow' } })
    const testPath = await createSlack()
    await sendTests(3, testPath)
    await syncRateCounts(services.db, services.counter)
    const otherClient = node.anyone.as(fixture.client.credentials)
    expect((await otherClient.post(testPath)).status).toBe(200)
    await syncRateCounts(node.services.db, node.services.counter)
    expect([(await otherClient.post(testPath)).status, (await otherClient.post(testPath)).status]).toEqual([200, 429])
    await node.close()
  })

  it('accept only POST and known body types', async () => {
    const testPath = await createSlack()
    const response = await fixture.client.call('GET', testPath)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    expect(
      (await fixture.client.call('POST', testPath, { body: '<x/>', headers: { 'content-type': 'text/xml' } })).status,
    ).toBe(415)
    expect((await fixture.client.post(testPath, {})).status).toBe(200)
    expect((await fixture.client.post(`${channelsPath}/999999/test`)).status).toBe(404)
  })
})
