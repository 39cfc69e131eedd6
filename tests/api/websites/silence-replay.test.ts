/** Replays the alerts about missing visits over a year of stored visits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import { createSeededRandom, drawVisits, insertPastVisits } from '../../support/past-visits.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { websitesPath } from '../../support/websites.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let server: TestServer
let owner: TestUser
let domainNumber = 0

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
})
afterAll(() => server.close())

/** Creates a website with about 400 visits a day, most of them in daytime. No visits arrive during the `stops`. */
async function createVisitedWebsite(user: TestUser, days: number, stops: { from: number; to: number }[] = []) {
  const domain = `site-${++domainNumber}.example.com`
  const { id } = (await user.session.post(websitesPath, { domain, time_zone: 'UTC' })).body.data
  const random = createSeededRandom(domainNumber)
  const countAt = (at: number) => {
    if (stops.some(({ from, to }) => at >= from && at < to)) return 0
    const hour = new Date(at).getUTCHours()
    return drawVisits(hour >= 8 && hour < 22 ? 2.2 : 0.3, random)
  }
  await insertPastVisits(server.services.db, id, { days, to: server.clock.now(), countAt })
  return { id: id as number, path: `${websitesPath}/${id}/silence/replay` }
}

describe('POST /api/v1/websites/{id}/silence/replay', () => {
  it('says when alerts would have been sent, and changes nothing', async () => {
    const from = Date.parse('2025-11-12T10:00:00Z')
    const { id, path } = await createVisitedWebsite(owner, 378, [{ from, to: from + 6 * HOUR_MS }])
    const response = await owner.session.post(path, {})
    expect(response.status).toBe(200)
    const { data } = response.body
    expect(data).toMatchObject({
      website_id: id,
      to: '2026-01-05T10:00:00.000Z',
      silence_alarms_a_year: 1,
      website_alarms_a_year: 1,
      exceeds_budget: false,
      basis: null,
    })
    expect(data.weeks_replayed).toBeGreaterThan(50)
    expect(Date.parse(data.to) - Date.parse(data.from)).toBeGreaterThanOrEqual(363 * DAY_MS)
    const stop = data.alarms.find(({ started_at }: { started_at: string }) => started_at.startsWith('2025-11-12T09:5'))
    expect(stop).toMatchObject({ alerted_at: expect.stringMatching(/^2025-11-12T1[0-2]/) })
    expect(stop.gap_minutes).toBeGreaterThanOrEqual(360)
    expect(stop.ended_at >= '2025-11-12T16:00').toBe(true)
    expect(data.detection_minutes.day).toBeGreaterThan(10)
    expect(data.detection_minutes.night).toBeGreaterThan(data.detection_minutes.day)
    const { watch_traffic, updated_at } = (await owner.session.get(`${websitesPath}/${id}`)).body.data
    expect({ watch_traffic, updated_at }).toEqual({ watch_traffic: false, updated_at: '2026-01-05T10:00:00.000Z' })
  })

  it('accepts another number of false alarms a year, which all websites with traffic alerts share equally', async () => {
    const user = await server.createUser('several')
    const { path } = await createVisitedWebsite(user, 60)
    const replayWithFewAlarms = (await user.session.post(path, { silence_alarms_a_year: 0.1 })).body.data
    const replayWithManyAlarms = (await user.session.post(path, { silence_alarms_a_year: 12 })).body.data
    expect(replayWithFewAlarms.detection_minutes.day).toBeGreaterThan(replayWithManyAlarms.detection_minutes.day)
    for (const domain of ['a.example.org', 'b.example.org', 'c.example.org'])
      await user.session.post(websitesPath, { domain, watch_traffic: true })
    const replayWithSharedLimit = (await user.session.post(path, { silence_alarms_a_year: 0.5 })).body.data
    expect(replayWithSharedLimit).toMatchObject({ silence_alarms_a_year: 0.5, website_alarms_a_year: 0.125 })
    const replayWithStoredLimit = (await user.session.call('POST', path)).body.data
    expect(replayWithStoredLimit).toMatchObject({ silence_alarms_a_year: 1, website_alarms_a_year: 0.25 })
  })

  it('has no result for a website with less than two weeks of visits', async () => {
    const { path } = await createVisitedWebsite(owner, 10)
    const emptyReplay = { exceeds_budget: false, alarms: [], weeks_replayed: 0, alarms_a_year: null }
    expect((await owner.session.post(path, {})).body.data).toMatchObject({
      ...emptyReplay,
      basis: 'too_little_history',
      detection_minutes: { day: null, night: null },
    })
    const { path: emptyPath } = await createVisitedWebsite(owner, 0)
    expect((await owner.session.post(emptyPath, {})).body.data).toMatchObject({
      ...emptyReplay,
      basis: 'too_little_history',
    })
  })

  it('leaves out times in which Belfry could not count visits', async () => {
    const from = Date.parse('2025-12-03T09:00:00Z')
    const stop = { from, to: from + 12 * HOUR_MS }
    const { path } = await createVisitedWebsite(owner, 120, [stop])
    const countStops = async () => {
      const { alarms } = (await owner.session.post(path, {})).body.data
      return alarms.filter(({ started_at }: { started_at: string }) => started_at.startsWith('2025-12-03')).length
    }
    expect(await countStops()).toBe(1)
    const gap = [new Date(stop.from), new Date(stop.to)]
    await server.services.db.query('insert into collection_gaps (started_at, ended_at) values ($1, $2)', gap)
    expect(await countStops()).toBe(0)
    await server.services.db.query('delete from collection_gaps')
  })

  it('needs websites:write and a website of the caller', async () => {
    const { path } = await createVisitedWebsite(owner, 0)
    const reader = await owner.withKey('websites:read')
    expectMissingScope(await reader.post(path, {}), 'websites:write')
    const stranger = await server.createUser('stranger')
    const unknownWebsiteResponse = await stranger.session.post(`${websitesPath}/999999/silence/replay`, {})
    expectNotFound(await stranger.session.post(path, {}), unknownWebsiteResponse)
    expect((await server.anyone.post(path, {})).status).toBe(401)
  })

  it.each([
    [{ silence_alarms_a_year: 13 }, '`silence_alarms_a_year` must be between 0.1 and 12.'],
    [{ silence_alarms_a_year: 'many' }, '`silence_alarms_a_year` must be a number.'],
  ])('rejects %j', async (body, message) => {
    const { path } = await createVisitedWebsite(owner, 0)
    const response = await owner.session.post(path, body)
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual({ silence_alarms_a_year: [message] })
  })

  it('is limited to 30 replays a minute', async () => {
    const user = await server.createUser('eager')
    const { path } = await createVisitedWebsite(user, 0)
    const responses = await Promise.all(Array.from({ length: 31 }, () => user.session.post(path, {})))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(30)
    const limitedResponse = responses.find(({ status }) => status === 429)
    expect(limitedResponse?.body.detail).toMatch(/^At most 30 replays a minute\. Try again in \d+ s\.$/)
  })
})
