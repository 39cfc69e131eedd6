/** The settings `quiet_days` and `holidays` of a website, and what the replay says about days with few visits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSeededRandom, drawVisits, insertPastVisits } from '../../support/past-visits.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { websitesPath } from '../../support/websites.ts'

let server: TestServer
let owner: TestUser
let domainNumber = 0

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
})
afterAll(() => server.close())

const createWebsite = async (fields: object = {}, user = owner) =>
  (await user.session.post(websitesPath, { domain: `site-${++domainNumber}.example.com`, time_zone: 'UTC', ...fields }))
    .body.data
const patch = (id: number, json: object) => owner.session.call('PATCH', `${websitesPath}/${id}`, { json })

describe('the quiet days of a website', () => {
  it('are empty by default', async () => {
    expect(await createWebsite()).toMatchObject({ quiet_days: [], holidays: null })
  })

  it('can be set on creation, changed and cleared, and are listed', async () => {
    const { id } = await createWebsite({ quiet_days: ['2026-12-31', '2026-12-24', '2026-12-24'], holidays: 'de' })
    const storedFields = { quiet_days: ['2026-12-24', '2026-12-31'], holidays: 'DE' }
    expect((await owner.session.get(`${websitesPath}/${id}`)).body.data).toMatchObject(storedFields)
    const { data } = (await owner.session.get(websitesPath)).body
    expect(data.find((website: { id: number }) => website.id === id)).toMatchObject(storedFields)
    expect((await patch(id, { favorite: true })).body.data).toMatchObject(storedFields)
    expect((await patch(id, { holidays: null })).body.data).toMatchObject({ ...storedFields, holidays: null })
    expect((await patch(id, { quiet_days: [] })).body.data).toMatchObject({ quiet_days: [], holidays: null })
  })

  it('can be sent by a form', async () => {
    const { id } = await createWebsite()
    const form = { quiet_days: ['2026-12-24', '2026-12-31'], holidays: 'AT' }
    const response = await owner.session.call('PUT', `${websitesPath}/${id}`, { form })
    expect(response.body.data).toMatchObject({ quiet_days: ['2026-12-24', '2026-12-31'], holidays: 'AT' })
    const clearResponse = await owner.session.call('PUT', `${websitesPath}/${id}`, { form: { holidays: '' } })
    expect(clearResponse.body.data).toMatchObject({ quiet_days: ['2026-12-24', '2026-12-31'], holidays: null })
  })

  it.each([
    [
      { quiet_days: ['24.12.2026'] },
      'quiet_days',
      '`quiet_days` must contain only dates as YYYY-MM-DD, not "24.12.2026".',
    ],
    [
      { holidays: 'Germany' },
      'holidays',
      '`holidays` must be the two-letter code of a country whose public holidays Belfry knows, such as DE or US.',
    ],
  ])('reject %j', async (fields, field, message) => {
    const { id } = await createWebsite()
    for (const response of [
      await patch(id, fields),
      await owner.session.post(websitesPath, { domain: 'refused.example.com', ...fields }),
      await owner.session.post(`${websitesPath}/${id}/silence/replay`, fields),
    ]) {
      expect([response.status, response.body.errors]).toEqual([422, { [field]: [message] }])
    }
  })
})

describe('the replay of a website with public holidays', () => {
  const holidays =
    '2024-12-25 2024-12-26 2025-01-01 2026-01-01 2025-04-18 2025-04-21 2025-05-01 2025-05-29 2025-06-09 2025-10-03 2025-12-25 2025-12-26'.split(
      ' ',
    )

  it('suggests to exclude the public holidays, and alerts about missing visits are refused otherwise', async () => {
    const { id } = await createWebsite()
    const random = createSeededRandom(5)
    const countAt = (at: number) => {
      const time = new Date(at)
      const isOpen = time.getUTCDay() % 6 !== 0 && time.getUTCHours() >= 8 && time.getUTCHours() < 18
      const isHoliday = holidays.includes(time.toISOString().slice(0, 10))
      return drawVisits((isOpen ? 5 : 0.3) * (isHoliday ? 0.06 : 1), random)
    }
    await insertPastVisits(server.services.db, id, { days: 378, to: server.clock.now(), countAt })
    const replayPath = `${websitesPath}/${id}/silence/replay`
    const { data } = (await owner.session.post(replayPath, {})).body
    expect(data).toMatchObject({ exceeds_budget: true, suggested_holidays: 'DE', suggested_quiet_days: [] })
    expect(data.quiet_day_alarms).toBeGreaterThanOrEqual(2)
    expect((await patch(id, { watch_traffic: true })).body.errors.watch_traffic[0]).toMatch(
      /on days with few visits, such as public holidays\. Set `holidays` to DE, and list other such days as `quiet_days`\.$/,
    )
    const replayWithHolidays = (await owner.session.post(replayPath, { holidays: 'DE' })).body.data
    expect(replayWithHolidays).toMatchObject({ exceeds_budget: false, quiet_day_alarms: 0 })
    expect((await patch(id, { watch_traffic: true, holidays: 'DE' })).body.data).toMatchObject({ watch_traffic: true })
  })
})
