/** GET /api/v1/stats/{id}/overview: intervals, compared periods, and days without stored visits. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ImportFile } from '../../../src/traffic/import-export/files/input-files.ts'
import { importPlausibleTotals } from '../../../src/traffic/import-export/plausible/import-totals.ts'
import { insertBatch } from '../../../src/traffic/inbox/store.ts'
import { createEventAt } from '../../support/inbox-events.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { createSite, fetchOverview } from '../../support/traffic.ts'

let server: TestServer
let ada: TestUser

/** It is Monday, 10:00 UTC. */
const today = '2026-01-05'

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
})
afterAll(() => server.close())

let siteCount = 0
const createOwnSite = () => createSite(ada, `overview-${siteCount++}.example.com`)

/** Adds a page view at each of these times, each by a different visitor. */
async function addViews(id: number, ...times: string[]) {
  const events = times.toSorted().map((time, index) => createEventAt(id, time, { visitor: index + 1 }))
  await insertBatch(server.services.db, events)
}

const fetch = (id: number, query: string) => fetchOverview(ada.session, id, query)
const pickCounts = (rows: { count: number | null }[]) => rows.map(({ count }) => count)

describe('the interval', () => {
  it('combines the days of the range into weeks or months, and the response names the slot that has not ended', async () => {
    const id = await createOwnSite()
    await addViews(
      id,
      '2025-12-27T12:00Z',
      '2025-12-29T12:00Z',
      '2026-01-01T12:00Z',
      '2026-01-04T12:00Z',
      '2026-01-05T09:59Z',
    )
    const { series } = await fetch(id, `from=2025-12-26&to=${today}&interval=week`)
    expect(series).toMatchObject({ unit: 'week', incomplete: '2026-01-05' })
    expect(series.visits).toEqual([
      { value: '2025-12-26', count: 1 },
      { value: '2025-12-29', count: 3 },
      { value: '2026-01-05', count: 1 },
    ])
    const months = await fetch(id, `from=2025-12-26&to=${today}&interval=month`)
    expect(months.series).toMatchObject({ unit: 'month', incomplete: '2026-01-01' })
    expect(months.series.views_per_visit).toEqual([
      { value: '2025-12-26', count: 1 },
      { value: '2026-01-01', count: 1 },
    ])
    const hours = await fetch(id, `from=2026-01-04&to=${today}&interval=hour`)
    expect(hours.series.incomplete).toBe('2026-01-05T10:00:00+00:00')
    expect(hours.series.bounce_rate.filter(({ count }: { count: number | null }) => count !== null)).toEqual([
      { value: '2026-01-04T12:00:00+00:00', count: 100 },
      { value: '2026-01-05T09:00:00+00:00', count: 100 },
    ])
    expect((await fetch(id, 'from=2026-01-04&to=2026-01-04')).series).toMatchObject({ unit: 'hour', incomplete: null })
  })

  it('`hour` is rejected for a range of more than 31 days', async () => {
    const id = await createOwnSite()
    const path = `/api/v1/stats/${id}/overview?interval=hour&to=${today}`
    expect((await ada.session.get(`${path}&from=2025-12-06`)).body.data.series.visits).toHaveLength(31 * 24)
    const response = await ada.session.get(`${path}&from=2025-12-05`)
    expect([response.status, response.body.errors]).toEqual([
      422,
      { interval: ['`interval=hour` is only possible for a range of at most 31 days. Use day, week or month.'] },
    ])
  })

  it.each([
    ['interval=minute', { interval: [expect.any(String)] }],
    ['compare=month', { compare: [expect.any(String)] }],
    ['match_weekday=true', { match_weekday: ['`match_weekday` requires `compare`.'] }],
    ['compare=year&match_weekday=maybe', { match_weekday: [expect.any(String)] }],
  ])('and the comparison must be valid: %s', async (query, errors) => {
    const response = await ada.session.get(`/api/v1/stats/${await createOwnSite()}/overview?${query}`)
    expect([response.status, response.body.errors]).toEqual([422, errors])
  })
})

describe('the compared period', () => {
  it('counts until the same time of the day if the range contains today', async () => {
    onTestFinished(() => server.clock.reset())
    const id = await createOwnSite()
    await addViews(
      id,
      '2026-01-03T20:00Z',
      '2026-01-04T09:59Z',
      '2026-01-04T10:00Z',
      '2026-01-05T08:00Z',
      '2026-01-05T09:00Z',
    )
    const { previous, change, totals } = await fetch(id, `from=${today}&to=${today}&compare=previous`)
    expect(totals.visitors).toBe(2)
    expect(previous).toMatchObject({
      from: '2026-01-04',
      to: '2026-01-04',
      until: '2026-01-04T10:00:00.000Z',
      totals: { visitors: 1, pageviews: 1, visits: 1, bounce_rate: 100, views_per_visit: 1 },
      series: { unit: 'hour', incomplete: null },
    })
    expect(change).toMatchObject({ visitors: 100, pageviews: 100, views_per_visit: 0 })
    // The totals of the previous day end at 10:00, but its series covers the whole day.
    expect(pickCounts(previous.series.visitors).slice(9, 12)).toEqual([1, 1, 0])
    const twoDays = await fetch(id, `from=2026-01-04&to=${today}&compare=previous`)
    expect(twoDays.previous).toMatchObject({
      from: '2026-01-02',
      until: '2026-01-03T10:00:00.000Z',
      totals: { visitors: 0 },
    })
    const endedDay = await fetch(id, 'from=2026-01-04&to=2026-01-04&compare=previous')
    expect(endedDay).toMatchObject({ previous: { until: null, totals: { visitors: 1 } }, change: { visitors: 100 } })
    // Just after midnight, nobody has come yet on either day.
    server.clock.advance({ hours: 14, seconds: 5 })
    const midnight = await fetch(id, 'from=2026-01-06&to=2026-01-06&compare=previous')
    expect(midnight.previous).toMatchObject({ until: '2026-01-05T00:00:05.000Z', totals: { visitors: 0 } })
    expect(Object.values(midnight.change)).toEqual(Array(7).fill(null))
  })

  it('can be a year earlier, and have the same weekdays', async () => {
    const id = await createOwnSite()
    await addViews(
      id,
      '2026-01-05T09:00Z',
      '2025-12-29T09:00Z',
      '2025-01-05T09:00Z',
      '2025-01-06T08:00Z',
      '2025-01-06T09:00Z',
    )
    const fetchPrevious = async (query: string) => (await fetch(id, `from=${today}&to=${today}&${query}`)).previous
    expect(await fetchPrevious('compare=year')).toMatchObject({ from: '2025-01-05', totals: { visitors: 1 } })
    expect(await fetchPrevious('compare=year&match_weekday=true')).toMatchObject({
      from: '2025-01-06',
      to: '2025-01-06',
      until: '2025-01-06T10:00:00.000Z',
      totals: { visitors: 2 },
    })
    expect(await fetchPrevious('compare=previous&match_weekday=1')).toMatchObject({
      from: '2025-12-29',
      totals: { visitors: 1 },
    })
    expect(await fetchPrevious('compare=previous&match_weekday=false')).toMatchObject({ from: '2026-01-04' })
    const weeks = await fetch(id, `from=2025-12-29&to=${today}&interval=week&compare=year`)
    expect(weeks.previous.series.visitors).toEqual([
      { value: '2024-12-29', count: 0 },
      { value: '2025-01-05', count: 1 },
    ])
  })
})

describe('a filter by event', () => {
  it('selects visits with the event, and counts their page views', async () => {
    const id = await createOwnSite()
    const day = '2026-01-04'
    await insertBatch(server.services.db, [
      createEventAt(id, `${day}T08:00Z`, { visitor: 1, page: '/' }),
      createEventAt(id, `${day}T08:01Z`, { visitor: 1, page: '/pricing' }),
      createEventAt(id, `${day}T08:02Z`, { visitor: 1, kind: 'custom', name: 'signup', page: '/pricing' }),
      createEventAt(id, `${day}T08:02:30Z`, { visitor: 1, kind: 'custom', name: 'download', page: '/pricing' }),
      createEventAt(id, `${day}T09:00Z`, { visitor: 2, page: '/' }),
    ])
    const { totals, panels, series } = await fetch(id, `from=${day}&to=${day}&filter=event:signup`)
    expect(totals).toEqual({
      visitors: 1,
      pageviews: 2,
      visits: 1,
      events: 1,
      bounce_rate: null,
      visit_duration: 150,
      views_per_visit: 2,
    })
    expect(panels.page).toEqual([
      { value: '/', count: 1 },
      { value: '/pricing', count: 1 },
    ])
    expect(panels.event).toEqual([{ value: 'signup', count: 1 }])
    expect(pickCounts(series.pageviews)[8]).toBe(2)
    expect(new Set(pickCounts(series.bounce_rate))).toEqual(new Set([null]))
  })
})

describe('days that were imported as totals', () => {
  function createCsvFile(name: string, text: string): ImportFile {
    const bytes = Buffer.from(text)
    return {
      name,
      bytes: bytes.length,
      async *read() {
        yield bytes
      },
    }
  }

  it('are compared only as whole days, because their visits are not stored', async () => {
    const rows = ['2025-01-03,10,20,5,10,600', '2025-01-04,10,30,5,10,600', '2025-01-05,8,8,8,8,0']
    const text = `"date","visitors","pageviews","bounces","visits","visit_duration"\n${rows.join('\n')}\n`
    const domain = 'imported.example.com'
    const id = await createSite(ada, domain)
    expect((await fetch(id, '')).website.first_day).toBe(null)
    await importPlausibleTotals(server.services, {
      site: { id, domain, timeZone: 'UTC' },
      files: [{ table: 'visitors', file: createCsvFile('imported_visitors_20250101_20250131.csv', text) }],
      mayAddToExistingDays: false,
    })
    await addViews(id, '2026-01-04T08:00Z', '2026-01-04T08:00:01Z', '2026-01-05T08:00Z')
    const overview = await fetch(id, `from=2026-01-04&to=${today}&compare=year&interval=week`)
    expect(overview.website.first_day).toBe('2025-01-03')
    expect(overview.previous).toMatchObject({
      until: null,
      totals: { visitors: 18, pageviews: 38, visits: 18, bounce_rate: 72.2, visit_duration: 33, views_per_visit: 2.1 },
    })
    expect(overview.previous.series.visits).toEqual([
      { value: '2025-01-04', count: 10 },
      { value: '2025-01-05', count: 8 },
    ])
    // The change compares 2026-01-04 with 2025-01-04. It leaves out today: the imported totals of 2025-01-05 have no
    // hours, so they can't be compared with a part of a day.
    expect(overview.change).toMatchObject({ visitors: -80, pageviews: -93.3, bounce_rate: 100 })
    const oneDay = await fetch(id, `from=${today}&to=${today}&compare=year`)
    expect(oneDay.previous).toMatchObject({ until: null, totals: { visitors: 8 } })
    expect(Object.values(oneDay.change)).toEqual(Array(7).fill(null))
  })
})
