/** GET /api/v1/stats/{id} and its overview: parameters, sorting, paging and CSV. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { panelNames, seriesNames, statisticsNames } from '../../../src/traffic/stats/schema.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { createSite, fetchOverview, fetchStatistics, sendEvent, sendView } from '../../support/traffic.ts'

const domain = 'example.com'
let server: TestServer
let ada: TestUser
let id: number

/** Page n has n views, each by a different visitor. */
const PAGE_COUNT = 27

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
  id = await createSite(ada, domain)
  for (let page = 1; page <= PAGE_COUNT; page++) {
    for (let n = 0; n < page; n++) {
      await sendView(server, domain, `/Page-${String(page).padStart(2, '0')}`, { address: `81.2.${page}.${n + 1}` })
    }
  }
  for (const n of ['=SUM(A1)', '+1', '-1', '@x', 'plain, "quoted"', 'two\nlines']) {
    await sendEvent(server, { n, u: `https://${domain}/`, d: domain }, { address: '81.2.69.1' })
  }
})
afterAll(() => server.close())

const getStatistics = (query: string) => ada.session.get(`/api/v1/stats/${id}?${query}`)

describe('a panel', () => {
  it('lists the largest counts first, in pages with links', async () => {
    const { body } = await getStatistics('name=page&page=2')
    expect(body.data.map(({ value }: { value: string }) => value)).toEqual(
      Array.from({ length: 10 }, (_, n) => `/Page-${17 - n}`).map((value) => value.replace(/-(\d)$/, '-0$1')),
    )
    expect(body.meta).toMatchObject({
      current_page: 2,
      last_page: 3,
      per_page: 10,
      from: 11,
      to: 20,
      total: PAGE_COUNT,
    })
    expect(body.links.next).toBe(`${server.address}/api/v1/stats/${id}?name=page&page=3`)
    expect((await getStatistics('name=page&page=9')).body.meta).toMatchObject({
      from: null,
      to: null,
      total: PAGE_COUNT,
    })
    expect((await getStatistics('name=page&per_page=100')).body.data).toHaveLength(PAGE_COUNT)
  })

  it('can be sorted by count and by value, in both directions', async () => {
    const fetchFirstValue = async (query: string) => (await getStatistics(`name=page&${query}`)).body.data[0].value
    expect(await fetchFirstValue('sort_by=count')).toBe('/Page-27')
    expect(await fetchFirstValue('sort_by=count&sort=asc')).toBe('/Page-01')
    expect(await fetchFirstValue('sort_by=value')).toBe('/Page-01')
    expect(await fetchFirstValue('sort_by=value&sort=desc')).toBe('/Page-27')
  })

  it('can be searched, ignoring case and without wildcards', async () => {
    const countMatches = async (search: string) =>
      (await getStatistics(`name=page&search=${encodeURIComponent(search)}`)).body.meta.total
    expect(await countMatches('PAGE-1')).toBe(10)
    expect(await countMatches('%')).toBe(0)
    expect(await countMatches('_')).toBe(0)
    expect(await countMatches(' 27 ')).toBe(1)
  })

  it('has details of each row, by which it can be sorted', async () => {
    const fetchRows = async (query: string) => (await getStatistics(`name=page&details=true&${query}`)).body.data
    const details = { visits: 27, pageviews: 27, bounce_rate: 100, visit_duration: 0 }
    expect((await fetchRows('sort_by=visits'))[0]).toEqual({ value: '/Page-27', count: 27, visitors: 27, ...details })
    expect((await fetchRows('sort_by=pageviews&sort=asc&search=page'))[0]).toMatchObject({ value: '/Page-01' })
    // All pages have the same bounce rate, so the largest count comes first.
    expect((await fetchRows('sort_by=bounce_rate&page=2'))[0]).toMatchObject({ value: '/Page-17', visitors: 17 })
    const [event] = (await getStatistics('name=event&details=true&sort_by=visitors')).body.data
    expect(event).toMatchObject({ count: 1, visitors: 1, pageviews: 0, bounce_rate: null, visit_duration: 0 })
    const [continent] = (await getStatistics('name=continent&details=true&sort_by=visits')).body.data
    expect(continent).toMatchObject({ value: 'Europe', count: continent.visitors, pageviews: expect.any(Number) })
  })

  // Totals are all that is known of days that were imported from Plausible, and of visits that have been deleted.
  it('has only the details that follow from the count if not all visits of the range are stored', async () => {
    const importedId = await createSite(ada, 'imported.example.com')
    await sendView(server, 'imported.example.com', '/')
    const { db, rollup } = server.services
    await rollup.rollUpAll()
    await db.query('update traffic_days set visits = visits + 1 where website_id = $1', [importedId])
    const fetchRow = async (name: string) =>
      (await fetchStatistics(ada.session, importedId, `name=${name}&details=true&sort_by=bounce_rate`))[0]
    const unknown = { visitors: null, visits: null, pageviews: null, bounce_rate: null, visit_duration: null }
    expect(await fetchRow('page')).toEqual({ ...unknown, value: '/', count: 1, pageviews: 1 })
    expect(await fetchRow('landing_page')).toEqual({ ...unknown, value: '/', count: 1, visitors: 1 })
  })

  it.each(panelNames)('exists for %s', async (name) => {
    expect((await getStatistics(`name=${name}`)).status).toBe(200)
  })
})

describe('a series', () => {
  it.each(seriesNames)('of %s is returned on one page', async (name) => {
    const { body } = await getStatistics(`name=${name}&from=2026-01-04&to=2026-01-06&per_page=10`)
    expect(body.data).toHaveLength(name.endsWith('_hours') ? 72 : 3)
    expect(body.meta.last_page).toBe(1)
    const total = body.data.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
    expect(total).toBe(name.startsWith('visitors') ? 379 : 378)
  })

  it('of hours can cover 366 days', async () => {
    const data = await fetchStatistics(ada.session, id, 'name=visitors_hours&from=2025-01-05&to=2026-01-05')
    expect([data.length, data[0]?.value, data.at(-1)?.value]).toEqual([
      366 * 24,
      '2025-01-05T00:00:00+00:00',
      '2026-01-05T23:00:00+00:00',
    ])
  })

  it('covers the last 30 days by default', async () => {
    const { data } = (await getStatistics('name=visitors')).body
    expect([data.length, data[0].value, data.at(-1).value]).toEqual([30, '2025-12-07', '2026-01-05'])
    expect(await fetchStatistics(ada.session, id, 'name=pageviews&from=2030-01-01&to=2030-01-01')).toEqual([
      { value: '2030-01-01', count: 0 },
    ])
  })
})

describe('an overview', () => {
  it('contains totals, series and panels, and compares with the previous period', async () => {
    const currentOverview = await fetchOverview(ada.session, id, 'from=2026-01-05&to=2026-01-05&compare=previous')
    expect(currentOverview).toMatchObject({
      website: { id, domain, time_zone: 'UTC' },
      totals: { visitors: 379, pageviews: 378, visits: 379, events: 6, bounce_rate: 99.7, visit_duration: 0 },
      previous: { from: '2026-01-04', to: '2026-01-04', totals: { visitors: 0, bounce_rate: null } },
      change: { visitors: null, pageviews: null },
      visitors_now: 379,
    })
    expect(Object.keys(currentOverview.panels).sort()).toEqual([...panelNames].sort())
    expect(currentOverview.series.unit).toBe('hour')
    const nextOverview = await fetchOverview(ada.session, id, 'from=2026-01-06&to=2026-01-06&compare=previous')
    expect(nextOverview.change).toMatchObject({ visitors: -100, pageviews: -100, bounce_rate: null })
    expect((await fetchOverview(ada.session, id)).previous).toBe(null)
  })

  it('counts the current visitors', async () => {
    onTestFinished(() => server.clock.reset())
    const newId = await createSite(ada, 'now.example.com')
    const countCurrentVisitors = async () => (await fetchOverview(ada.session, newId)).visitors_now
    for (const address of ['81.2.69.1', '81.2.69.2']) await sendView(server, 'now.example.com', '/', { address })
    expect(await countCurrentVisitors()).toBe(2)
    server.clock.advance({ minutes: 6 })
    expect(await countCurrentVisitors()).toBe(0)
    await sendView(server, 'now.example.com', '/now')
    expect(await countCurrentVisitors()).toBe(1)
  })
})

describe('a panel or series as CSV', () => {
  it('contains every row, and no formula that a spreadsheet would run', async () => {
    const fetchCsv = async (query: string, accept = 'text/csv') =>
      ada.session.get(`/api/v1/stats/${id}?${query}`, { headers: { accept } })
    const response = await fetchCsv('name=event&sort_by=value')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="[a-z0-9.-]+-event-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv"$/,
    )
    expect(response.text).toBe(
      'event,count\r\n\'+1,1\r\n\'-1,1\r\n\'=SUM(A1),1\r\n\'@x,1\r\n"plain, ""quoted""",1\r\n"two\nlines",1\r\n',
    )
    expect((await fetchCsv('name=page&details=true&search=27')).text).toBe(
      'page,count,visitors,visits,pageviews,bounce_rate,visit_duration\r\n/Page-27,27,27,27,27,100,0\r\n',
    )
    expect((await fetchCsv('name=event&details=true&search=plain')).text).toMatch(/,1,1,1,0,,0\r\n$/)
    expect((await fetchCsv('name=page&filter=page:/P*')).text.split('\r\n')).toHaveLength(PAGE_COUNT + 2)
    expect((await fetchCsv('name=visitors&from=2026-01-05&to=2026-01-05')).text).toMatch(
      /^day,count\r\n2026-01-05,\d+\r\n$/,
    )
    expect((await fetchCsv('name=visitors_hours&from=2026-01-05&to=2026-01-05')).text).toMatch(
      /^hour,count\r\n2026-01-05T00:00:00/,
    )
    expect((await fetchCsv('name=page', 'application/json, text/csv')).body.data).toHaveLength(10)
    expect((await fetchCsv('name=page', '*/*')).body.data).toHaveLength(10)
  })
})

describe('an invalid request', () => {
  it.each([
    ['', { name: ['`name` is required.'] }],
    ['name=colour', { name: [expect.stringMatching(/^`name` must be one of/)] }],
    ['name=page&from=2026-02-30', { from: ['`from` must be a day such as 2026-01-05.'] }],
    ['name=page&from=today&to=x', { from: [expect.any(String)], to: [expect.any(String)] }],
    ['name=page&from=2026-01-06&to=2026-01-05', { from: ['`from` must not be after `to`.'] }],
    [
      'name=page&from=2000-01-01&to=2026-01-05',
      { from: ['The range from `from` to `to` must have at most 3660 days.'] },
    ],
    [
      'name=visitors_hours&from=2025-01-04&to=2026-01-05',
      { from: ['The range from `from` to `to` must have at most 366 days.'] },
    ],
    ['name=page&sort_by=size', { sort_by: [expect.any(String)] }],
    ['name=page&sort_by=visitors', { sort_by: ['`sort_by=visitors` requires `details`.'] }],
    ['name=visitors&details=true', { details: ['`details` is only available for panels, not for visitors.'] }],
    ['name=page&sort=up', { sort: [expect.any(String)] }],
    ['name=page&per_page=7', { per_page: [expect.any(String)] }],
    ['name=page&page=0', { page: [expect.any(String)] }],
    ['name=page&filter=page', { filter: [expect.stringMatching(/^`filter` must be a name and a value/)] }],
    ['name=page&filter=visitors:1', { filter: [expect.any(String)] }],
    [`name=page${'&filter=page:/'.repeat(21)}`, { filter: ['`filter` must not be repeated more than 20 times.'] }],
  ])('with %s is rejected', async (query, errors) => {
    const response = await getStatistics(query)
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual(errors)
  })

  it('for an unknown website gets status 404, and with another method 405', async () => {
    for (const path of ['/api/v1/stats/999', '/api/v1/stats/0', '/api/v1/stats/x', '/api/v1/stats/x/overview']) {
      expect((await ada.session.get(`${path}?name=page`)).status).toBe(404)
    }
    expect((await ada.session.post(`/api/v1/stats/${id}`)).status).toBe(405)
  })
})

describe('the names of panels and series', () => {
  it('are the names of the public API', () => {
    expect([...statisticsNames].sort()).toEqual(
      'visitors pageviews visitors_hours pageviews_hours page landing_page exit_page referrer source campaign continent country region city language browser os device resolution event hostname'
        .split(' ')
        .sort(),
    )
  })
})
