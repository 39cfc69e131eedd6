import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { expectMissingScope, expectNotFound } from '../support/access.ts'
import { TestClock } from '../support/clock.ts'
import { createEventAt } from '../support/inbox-events.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, fetchStatistics, sendView } from '../support/traffic.ts'
import { TurnMeter } from '../support/turn-meter.ts'

let server: TestServer
let clock: TestClock
let owner: TestUser
let siteCount = 0
let domain: string
let id: number

beforeAll(async () => {
  clock = new TestClock()
  server = await startTestServer({ clock })
  owner = await server.createUser('owner')
})
afterAll(() => server.close())
beforeEach(async () => {
  domain = `site-${++siteCount}.example.com`
  id = await createSite(owner, domain)
})

const getPath = (websiteId: number | string, excludedParams?: string) =>
  `/api/v1/websites/${websiteId}/exclusions${excludedParams === undefined ? '' : `?exclude_params=${encodeURIComponent(excludedParams)}`}`

async function preview(excludedParams?: string, websiteId = id) {
  const response = await owner.session.get(getPath(websiteId, excludedParams))
  expect(response.status, response.text).toBe(200)
  return response.body
}

async function viewPages(pages: Record<string, number>, viewedDomain = domain, eventFields = {}): Promise<void> {
  for (const [page, times] of Object.entries(pages)) {
    for (let n = 0; n < times; n++) await sendView(server, viewedDomain, page, { fields: eventFields })
  }
}

describe('a preview of ignored URL parameters', () => {
  it('shows which pages would merge, and how many pages each ignored parameter matches', async () => {
    await viewPages({
      '/shop': 3,
      '/shop?sid=a': 2,
      '/shop?sid=b': 1,
      '/shop?page=2&sid=a': 1,
      '/shop?page=2': 1,
      '/about?sid=a': 1,
      '/other?q=1': 1,
    })
    expect(await preview('sid\n\nsession*')).toEqual({
      data: [
        { value: '/shop', count: 6, pages: 3, merged: ['/shop?sid=a', '/shop?sid=b'] },
        { value: '/shop?page=2', count: 2, pages: 2, merged: ['/shop?page=2&sid=a'] },
        { value: '/about', count: 1, pages: 1, merged: ['/about?sid=a'] },
      ],
      meta: {
        from: '2025-12-30',
        to: '2026-01-05',
        pages_before: 7,
        pages_after: 4,
        looked_at: 6,
        complete: true,
        lines: [
          { line: 'sid', pages: 4, views: 5 },
          { line: 'session*', pages: 0, views: 0 },
        ],
        seen: [
          { name: 'sid', pages: 4, views: 5 },
          { name: 'page', pages: 2, views: 2 },
          { name: 'q', pages: 1, views: 1 },
        ],
      },
    })
  })

  it('lists the parameters of the pages even if no parameter is ignored', async () => {
    await viewPages({ '/?a=1&b=2&a=3': 2, '/?b=1': 1, '/plain': 1 })
    for (const excludedParams of [undefined, '', '\n \n']) {
      const { data, meta } = await preview(excludedParams)
      expect(data).toEqual([])
      expect(meta).toMatchObject({ pages_before: 3, pages_after: 3, lines: [] })
      expect(meta.seen).toEqual([
        { name: 'b', pages: 2, views: 3 },
        { name: 'a', pages: 1, views: 2 },
      ])
    }
  })

  it('names parameters in the form in which the setting expects them', async () => {
    await viewPages({ '/?a%20b=1&c%2Ad&e%26f&g%25h&i%2Bj&größe=1&filter[size]=1': 1 })
    const { meta } = await preview()
    const names: string[] = meta.seen.map(({ name }: { name: string }) => name)
    expect(names).toContain('größe')
    expect(names).toContain('filter[size]')
    const { data, meta: metaOfNames } = await preview(names.join('\n'))
    expect(metaOfNames.lines).toEqual(names.map((line) => ({ line, pages: 1, views: 1 })))
    expect(data).toMatchObject([{ value: '/', count: 1, pages: 1 }])
  })

  it('shows the ten largest merged pages, with five examples each', async () => {
    const pages = Array.from({ length: 12 }, (_, shop) =>
      Array.from({ length: shop + 1 }, (_, n) => `/${shop}?sid=${n}`),
    ).flat()
    const views = pages.map((page) => createEventAt(id, '2026-01-05T09:00:00Z', { page }))
    await insertBatch(server.services.db, views)
    const { data, meta } = await preview('sid')
    expect(data.map(({ value, pages }: { value: string; pages: number }) => [value, pages])).toEqual(
      Array.from({ length: 10 }, (_, n) => [`/${11 - n}`, 12 - n]),
    )
    expect(data[0].merged).toEqual([0, 1, 2, 3, 4].map((n) => `/11?sid=${n}`))
    expect(meta).toMatchObject({ pages_before: 78, pages_after: 12 })
  })

  it('covers the last seven days in the time zone of the website, both packed days and newer ones', async () => {
    const eventTimes = ['2025-12-29T12:00:00Z', '2025-12-30T12:00:00Z', '2026-01-04T12:00:00Z', '2026-01-05T09:00:00Z']
    const events = eventTimes.map((time, n) => createEventAt(id, time, { page: `/?sid=${n}` }))
    await insertBatch(server.services.db, events)
    await server.services.rollup.rollUpAll()
    await packDays(server.services)
    const { data, meta } = await preview('sid')
    expect(data).toEqual([{ value: '/', count: 3, pages: 3, merged: ['/?sid=1', '/?sid=2', '/?sid=3'] }])
    expect([meta.from, meta.to, meta.pages_before]).toEqual(['2025-12-30', '2026-01-05', 3])
    // In this time zone it is already the next day, so the week begins a day later.
    await owner.session.put(`/api/v1/websites/${id}`, { time_zone: 'Pacific/Kiritimati' })
    expect((await preview('sid')).meta).toMatchObject({ from: '2025-12-31', to: '2026-01-06', pages_before: 2 })
  })

  describe('with the lines', () => {
    const pages = {
      '/': 1,
      '/?sid=1': 2,
      '/?track_id=x&sid=2&page=1': 1,
      '/?page=1&&sid=3': 1,
      '/?page=1': 1,
      '/caf%C3%A9?sid=%C3%A4&größe=1': 2,
      '/café': 1,
      '//double/?sid': 1,
      '/?filter%5Bsize%5D=1&filter[color]=2': 1,
      '/#/route?sid=1&page=2': 1,
      '/#/route?page=2': 1,
    }
    let previewedSiteId: number

    beforeAll(async () => {
      previewedSiteId = await createSite(owner, 'previewed.example.com')
      await viewPages(pages, 'previewed.example.com', { h: 1 })
    })

    it.each(['sid', 'track_*', 'sid\ntrack_*\npage', '*', '&', 'gr%C3%B6%C3%9Fe', 'filter[*'])(
      '%j shows the same pages as collecting events with these lines',
      async (excludedParams) => {
        const collectedSiteId = await createSite(owner, `collected.${domain}`, { exclude_params: excludedParams })
        await viewPages(pages, `collected.${domain}`, { h: 1 })
        const { data, meta } = await preview(excludedParams, previewedSiteId)
        const collectedPages = await fetchStatistics(owner.session, collectedSiteId, 'name=page&per_page=100')
        expect(meta.pages_after).toBe(collectedPages.length)
        for (const { value, count } of data) expect(collectedPages).toContainEqual({ value, count })
        expect(data.length).toBeGreaterThan(0)
      },
    )
  })

  it('examines a limited number of the most viewed pages, and says that the number was limited', async () => {
    // Stores the counts, because rolling up as many events would take a second. The two pages that are added last have the most
    // views.
    await server.services.db.query(
      `with pages as (
         select n as id, '/?sid=' || case when n > 20100 then 79897 + n else n end as value,
                case when n > 20100 then 3 else 1 end as views
           from generate_series(1, 20102) n
       ), stored as (
         insert into traffic_values (website_id, id, kind, value) select $1, id, 1, value from pages
       )
       insert into traffic_counts (website_id, day, dimension, value, count)
       select $1, '2026-01-05', 1, id, views from pages`,
      [id],
    )
    const { data, meta } = await preview('sid')
    expect(meta).toMatchObject({ pages_before: 20_102, looked_at: 20_000, complete: false, pages_after: 103 })
    expect(data[0].merged.slice(0, 2)).toEqual(['/?sid=99998', '/?sid=99999'])
  })
})

it('a preview does not block other requests, however many parameters the pages have', async () => {
  const { db, rollup } = server.services
  let parameterCount = 0
  const createPage = () => `/?${Array.from({ length: 200 }, () => (parameterCount++).toString(36)).join('&')}`
  await insertBatch(
    db,
    Array.from({ length: 900 }, () => createEventAt(id, '2026-01-05T09:00:00Z', { page: createPage(), visitor: 1 })),
  )
  await rollup.rollUpAll()
  const excludedParams = Array.from({ length: 100 }, (_, n) => `name-${n}`).join('\n')
  const meter = new TurnMeter()
  const longestTurnsMs: number[] = []
  // Node can compile code or collect garbage during any of the previews. The one with the shortest turns counts.
  for (let n = 0; n < 3; n++) {
    meter.take()
    expect((await preview(excludedParams)).meta).toMatchObject({ looked_at: 900, complete: true })
    longestTurnsMs.push(meter.take())
  }
  meter.stop()
  // The longest turn takes about 8 ms. A preview that never yields to the event loop blocks it for about 300 ms.
  expect(Math.min(...longestTurnsMs)).toBeLessThan(100)
})

describe('GET /api/v1/websites/:id/exclusions', () => {
  it('rejects invalid lines and names them', async () => {
    const response = await owner.session.get(getPath(id, 'sid\na=b\n\nx y'))
    expect(response.status).toBe(422)
    expect(response.body.errors.exclude_params).toEqual([
      expect.stringContaining('line 2 is not a parameter name'),
      expect.stringContaining('line 4 is not a parameter name'),
    ])
    const tooManyLinesResponse = await owner.session.get(
      getPath(id, Array.from({ length: 101 }, (_, n) => n).join('\n')),
    )
    expect(tooManyLinesResponse.body.errors.exclude_params).toEqual(['`exclude_params` must have at most 100 lines.'])
    expect((await owner.session.get(`${getPath(id, 'a')}&exclude_params=b`)).status).toBe(422)
  })

  it('requires websites:read or a session of the owner', async () => {
    expect((await (await owner.withKey('websites:read')).get(getPath(id, 'sid'))).status).toBe(200)
    expectMissingScope(await (await owner.withKey('websites:write')).get(getPath(id, 'sid')), 'websites:read')
    expect((await server.anyone.get(getPath(id, 'sid'))).status).toBe(401)
  })

  it('shows nothing to other users, even if the statistics are public', async () => {
    const stranger = await server.createUser('stranger', { isAdmin: true })
    for (const excludedParams of ['sid', 'a=b']) {
      expectNotFound(
        await stranger.session.get(getPath(id, excludedParams)),
        await stranger.session.get(getPath(999_999)),
      )
    }
    expectNotFound(await owner.session.get(getPath('x')), await owner.session.get(getPath(999_999)))
  })
})
