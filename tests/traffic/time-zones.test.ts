/** Days and hours follow the website's time zone, which has daylight saving time and which its owner can change. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { TestClock } from '../support/clock.ts'
import { expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { moveClockTo } from '../support/reports.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createSite, fetchOverview, fetchStatistics, sendEvent, sendView } from '../support/traffic.ts'

let server: TestServer
let queryRows: QueryRows
let ownerCount = 0

beforeAll(async () => {
  server = await startTestServer({ clock: new TestClock(new Date('2026-01-01T00:00:00Z')) })
  queryRows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(() => server?.close())

/** Creates a new owner for each test, because each moves the clock to another month and sessions expire. */
const createOwner = () => server.createUser(`owner-${ownerCount++}`)

const query = (id: number, name: string, range: string) => fetchStatistics(server.anyone, id, `name=${name}&${range}`)
const sumCounts = (rows: { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0)

describe('midnight in the time zone of the website', () => {
  it('starts a new visitor and a new visit, to the millisecond', async () => {
    moveClockTo(server.clock, '2026-01-05T18:20:00.000Z')
    const id = await createSite(await createOwner(), 'kolkata.example.com', { time_zone: 'Asia/Kolkata' })
    await sendView(server, 'kolkata.example.com', '/evening')
    moveClockTo(server.clock, '2026-01-05T18:29:59.999Z')
    await sendView(server, 'kolkata.example.com', '/last')
    moveClockTo(server.clock, '2026-01-05T18:30:00.000Z')
    // The visitor still views the last page of the evening, which does not start a visit on the new day.
    const engagement = { n: 'engagement', u: 'https://kolkata.example.com/last', d: 'kolkata.example.com', e: 600_000 }
    expect((await sendEvent(server, engagement)).status).toBe(202)
    expect((await fetchOverview(server.anyone, id, 'from=2026-01-06&to=2026-01-06')).totals.visits).toBe(0)
    await sendView(server, 'kolkata.example.com', '/first')
    const range = 'from=2026-01-05&to=2026-01-06'
    for (const name of ['visitors', 'pageviews']) {
      const perDay = name === 'visitors' ? [1, 1] : [2, 1]
      expect((await query(id, name, range)).map(({ count }) => count)).toEqual(perDay)
    }
    expect((await fetchOverview(server.anyone, id, range)).totals).toMatchObject({
      visitors: 2,
      visits: 2,
      pageviews: 3,
    })
    const [firstDayRange, secondDayRange] = ['from=2026-01-05&to=2026-01-05', 'from=2026-01-06&to=2026-01-06']
    expect(await query(id, 'exit_page', firstDayRange)).toEqual([{ value: '/last', count: 1 }])
    expect(await query(id, 'landing_page', secondDayRange)).toEqual([{ value: '/first', count: 1 }])
    const hours = await query(id, 'pageviews_hours', range)
    expect(hours.filter(({ count }) => count > 0)).toEqual([
      { value: '2026-01-05T23:00:00+05:30', count: 2 },
      { value: '2026-01-06T00:00:00+05:30', count: 1 },
    ])
    await expectCountsMatchEvents(queryRows)
  })
})

describe.each([
  { hours: 23, day: '2026-03-29', start: '2026-03-28T23:00:00Z', entriesAtTwo: 0 },
  { hours: 25, day: '2026-10-25', start: '2026-10-24T22:00:00Z', entriesAtTwo: 2 },
])('a day of $hours hours', ({ hours, day, start, entriesAtTwo }) => {
  it('has that many entries by hour, with the right counts', async () => {
    const domain = `berlin-${hours}.example.com`
    moveClockTo(server.clock, start)
    const id = await createSite(await createOwner(), domain, { time_zone: 'Europe/Berlin' })
    for (let hour = 0; hour < hours; hour++) {
      // Hour 0 gets one view, and each later hour one more than the hour before.
      for (let n = 0; n <= hour; n++) await sendView(server, domain, '/')
      server.clock.advance({ hours: 1 })
    }
    await sendView(server, domain, '/next-day')
    const range = `from=${day}&to=${day}`
    const expectHours = async () => {
      const views = await query(id, 'pageviews_hours', range)
      expect(views.map(({ count }) => count)).toEqual(Array.from({ length: hours }, (_, hour) => hour + 1))
      expect(new Set(views.map(({ value }) => value)).size).toBe(hours)
      expect(views.filter(({ value }) => value.startsWith(`${day}T02:`))).toHaveLength(entriesAtTwo)
      expect((await query(id, 'visitors_hours', range)).map(({ count }) => count)).toEqual(Array(hours).fill(1))
      const { series, totals } = await fetchOverview(server.anyone, id, range)
      expect([series.unit, series.pageviews]).toEqual(['hour', views])
      expect(totals).toMatchObject({ visitors: 1, pageviews: (hours * (hours + 1)) / 2 })
    }
    await expectHours()
    server.clock.advance({ days: 3 })
    await packDays(server.services)
    await expectHours()
    await expectCountsMatchEvents(queryRows)
  })
})

describe('changing the time zone during a day', () => {
  async function startSite(domain: string, timeZone: string) {
    const owner = await createOwner()
    const id = await createSite(owner, domain, { time_zone: timeZone })
    const setZone = async (zone: string) => {
      expect((await owner.session.put(`/api/v1/websites/${id}`, { time_zone: zone })).status).toBe(200)
    }
    return { id, setZone, viewPage: (path: string) => sendView(server, domain, path) }
  }

  it('loses nothing: earlier days keep their counts, and the totals are right', async () => {
    moveClockTo(server.clock, '2026-11-04T10:00:00Z')
    const { id, setZone, viewPage } = await startSite('moves.example.com', 'UTC')
    for (let n = 0; n < 4; n++) await viewPage('/before')
    server.clock.advance({ days: 1 })
    const range = 'from=2026-11-03&to=2026-11-06'
    for (let n = 0; n < 5; n++) await viewPage('/utc')
    // In Los Angeles it is 2 a.m. on the same day, and in Kiritimati it is midnight of the next day.
    await setZone('America/Los_Angeles')
    for (let n = 0; n < 3; n++) await viewPage('/west')
    await setZone('Pacific/Kiritimati')
    for (let n = 0; n < 2; n++) await viewPage('/east')
    await setZone('UTC')
    await viewPage('/home')
    expect((await query(id, 'pageviews', range)).map(({ count }) => count)).toEqual([0, 4, 9, 2])
    expect((await query(id, 'visitors', range)).map(({ count }) => count)).toEqual([0, 1, 1, 1])
    expect(sumCounts(await query(id, 'page', range))).toBe(15)
    expect(sumCounts(await query(id, 'pageviews_hours', range))).toBe(15)
    // The visitor never leaves, so each day has one visit.
    const { totals } = await fetchOverview(server.anyone, id, range)
    expect(totals).toMatchObject({ visitors: 3, visits: 3, pageviews: 15 })
    await expectCountsMatchEvents(queryRows)
  })

  it('counts events of a 25th hour in the last hour when the day has only 24 hours in the new zone', async () => {
    // It is the 25th hour of the day in Berlin. The same day has 24 hours in Lagos.
    moveClockTo(server.clock, '2027-10-31T22:30:00Z')
    const { id, setZone, viewPage } = await startSite('long-day.example.com', 'Europe/Berlin')
    for (let n = 0; n < 6; n++) await viewPage('/')
    const range = 'from=2027-10-31&to=2027-10-31'
    expect((await query(id, 'pageviews_hours', range)).at(-1)).toEqual({ value: '2027-10-31T23:00:00+01:00', count: 6 })
    await setZone('Africa/Lagos')
    const hours = await query(id, 'pageviews_hours', range)
    expect(hours).toHaveLength(24)
    expect(hours.at(-1)).toEqual({ value: '2027-10-31T23:00:00+01:00', count: 6 })
    expect((await fetchOverview(server.anyone, id, range)).totals.pageviews).toBe(6)
    await expectCountsMatchEvents(queryRows)
  })
})
