import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settleCounts } from '../../../src/storage/settle-counts.ts'
import { path, type Sender, sampleOf, startSender } from '../../support/providers.ts'
import { startTestServer } from '../../support/server.ts'

let sender: Sender

beforeAll(async () => {
  sender = await startSender(() => ({}))
})
afterAll(() => sender.close())

const make = () => sender.make({ ...sampleOf('slack'), webhook_url: sender.receiver.address })

const times = async (count: number, test: string) => {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push((await sender.client.post(test)).status)
  return statuses
}

describe('test notifications', () => {
  it('are at most 5 a minute for a provider', async () => {
    const test = await make()
    expect(await times(5, test)).toEqual([200, 200, 200, 200, 200])
    const refused = await sender.client.post(test)
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(refused.body.detail).toBe('At most 5 test notifications a minute for this provider. Try again in 60 s.')
    expect(sender.receiver.received).toHaveLength(5)
    sender.server.clock.advance({ minutes: 1 })
    expect(await times(1, test)).toEqual([200])
  })

  it('are at most 20 a minute for a user', async () => {
    sender.server.clock.advance({ minutes: 1 })
    for (let n = 0; n < 4; n++) expect(await times(5, await make())).toEqual([200, 200, 200, 200, 200])
    const last = await make()
    const refused = await sender.client.post(last)
    expect([refused.status, refused.body.detail]).toEqual([429, expect.stringContaining('20 test notifications')])
    sender.server.clock.advance({ minutes: 1 })
    expect(await times(5, last)).toEqual([200, 200, 200, 200, 200])
  })

  it('that failed count too', async () => {
    sender.server.clock.advance({ minutes: 1 })
    sender.receiver.answerWith(500, 'oops')
    expect(await times(6, await make())).toEqual([502, 502, 502, 502, 502, 429])
  })

  it('are counted together by two nodes', async () => {
    sender.server.clock.advance({ minutes: 1 })
    sender.receiver.answerWith(200, 'ok')
    const { database, clock, services } = sender.server
    const node = await startTestServer({ database, clock, env: { BELFRY_PRIVATE_TARGETS: 'allow' } })
    const test = await make()
    await times(3, test)
    await settleCounts(services.db, services.counter)
    const there = node.anyone.as(sender.client.credentials)
    expect((await there.post(test)).status).toBe(200)
    await settleCounts(node.services.db, node.services.counter)
    expect([(await there.post(test)).status, (await there.post(test)).status]).toEqual([200, 429])
    await node.close()
  })

  it('take no body that they do not know, and no other method', async () => {
    sender.server.clock.advance({ minutes: 1 })
    const test = await make()
    const answer = await sender.client.call('GET', test)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    expect(
      (await sender.client.call('POST', test, { body: '<x/>', headers: { 'content-type': 'text/xml' } })).status,
    ).toBe(415)
    expect((await sender.client.post(test, {})).status).toBe(200)
    expect((await sender.client.post(`${path}/999999/test`)).status).toBe(404)
  })
})
