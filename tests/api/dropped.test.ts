import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteExpired } from '../../src/app/delete-expired.ts'
import { readDropCounts } from '../../src/traffic/dropped/store.ts'
import { deleteRemovedTraffic } from '../../src/traffic/retention/removal.ts'
import { expectMissingScope, expectNotFound } from '../support/access.ts'
import type { Client } from '../support/client.ts'
import { TestClock } from '../support/clock.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, sendEvent } from '../support/traffic.ts'

const bot = { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }
const prefetch = { headers: { 'sec-purpose': 'prefetch' } }
const excludedVisitor = { address: '203.0.113.9' }
const waitOptions = { timeout: 15_000, interval: 50 }

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
  clock.reset()
  domain = `site-${++siteCount}.example.com`
  id = await createSite(owner, domain, { exclude_ips: '203.0.113.0/24', time_zone: 'Pacific/Auckland' })
})

const createPageView = (domains = domain) => ({ n: 'pageview', u: `https://${domain}/`, d: domains })
const getPath = (websiteId: number | string, query = '') => `/api/v1/websites/${websiteId}/dropped${query}`
const readDropped = async (query = '', client: Client = owner.session) => (await client.get(getPath(id, query))).body

/** Waits, because the server saves drop counts about a second after an event. */
async function readWhenTotalIs(total: number, query = '') {
  await vi.waitFor(async () => expect((await readDropped(query)).meta.total).toBe(total), waitOptions)
  return readDropped(query)
}

describe('the counts of dropped events', () => {
  it('are grouped by reason and by day in the time zone of the website', async () => {
    // It is 11 p.m. in Auckland, so two hours later it is the next day there.
    await sendEvent(server, createPageView(), excludedVisitor)
    for (let n = 0; n < 3; n++) await sendEvent(server, createPageView(), bot)
    clock.advance({ hours: 2 })
    await sendEvent(server, createPageView(), prefetch)
    await sendEvent(server, createPageView(), bot)
    await sendEvent(server, { ...createPageView(), r: 'https://www.semalt.com/' })
    await sendEvent(server, createPageView())
    const query = '?from=2026-01-04&to=2026-01-06'
    const createSeries = (...counts: number[]) => counts.map((count, n) => ({ value: `2026-01-0${4 + n}`, count }))
    expect(await readWhenTotalIs(7, query)).toEqual({
      data: [
        { reason: 'bot', count: 4, series: createSeries(0, 3, 1) },
        { reason: 'prefetch', count: 1, series: createSeries(0, 0, 1) },
        { reason: 'spam_referrer', count: 1, series: createSeries(0, 0, 1) },
        { reason: 'ip', count: 1, series: createSeries(0, 1, 0) },
      ],
      meta: { from: '2026-01-04', to: '2026-01-06', total: 7 },
    })
    expect((await readDropped('?from=2026-01-06&to=2026-01-06')).meta.total).toBe(3)
  })

  it('cover the last 30 days in the time zone of the website by default', async () => {
    const { data, meta } = await readDropped()
    const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
      .toZonedDateTimeISO('Pacific/Auckland')
      .toPlainDate()
    expect(meta).toEqual({ from: today.subtract({ days: 29 }).toString(), to: today.toString(), total: 0 })
    expect(data.map(({ series }: { series: unknown[] }) => series.length)).toEqual([30, 30, 30, 30])
  })

  it('belong to each website that dropped the event, and to none if no website matches', async () => {
    const unfilteredSiteId = await createSite(owner, `open.${domain}`)
    const response = await sendEvent(
      server,
      createPageView(`${domain},open.${domain},nobody.example.org`),
      excludedVisitor,
    )
    expect(response.headers.get('x-belfry-dropped')).toBe(null)
    expect((await sendEvent(server, createPageView('nobody.example.org'))).headers.get('x-belfry-dropped')).toBe(
      'unknown_site',
    )
    await readWhenTotalIs(1)
    expect((await owner.session.get(getPath(unfilteredSiteId))).body.meta.total).toBe(0)
    expect(await server.services.db.query(`select from dropped_events where reason = 'unknown_site'`)).toEqual([])
  })

  it('add up over events that arrive at the same time and later', async () => {
    await Promise.all(Array.from({ length: 60 }, () => sendEvent(server, createPageView(), bot)))
    await readWhenTotalIs(60)
    await Promise.all(Array.from({ length: 40 }, () => sendEvent(server, createPageView(), bot)))
    await readWhenTotalIs(100)
  })

  it('are deleted with the website', async () => {
    await sendEvent(server, createPageView(), bot)
    await readWhenTotalIs(1)
    await owner.session.delete(`/api/v1/websites/${id}`)
    expect((await owner.session.get(getPath(id))).status).toBe(404)
    await deleteRemovedTraffic(server.services)
    expect(await server.services.db.query('select from dropped_events where website_id = $1', [id])).toEqual([])
  })

  it('are deleted after a year', async () => {
    await server.services.db.query(
      `insert into dropped_events (website_id, day, reason, count)
       select $1, ($2::timestamptz - age * interval '1 day')::date, 'bot', 1 from unnest(array[0, 364, 368]) age`,
      [id, clock.now()],
    )
    await deleteExpired(server.services)
    expect((await readDropped('?from=2024-01-01&to=2026-12-31')).meta.total).toBe(2)
  })
})

describe('GET /api/v1/websites/:id/dropped', () => {
  it.each([
    ['?from=yesterday', 'from'],
    ['?to=2026-02-30', 'to'],
    ['?from=2026-01-02&to=2026-01-01', 'from'],
    ['?from=1990-01-01&to=2026-01-01', 'from'],
  ])('rejects %s with an error for the field', async (query, field) => {
    const response = await owner.session.get(getPath(id, query))
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual([field])
  })

  it('requires websites:read or a session of the owner', async () => {
    expect((await (await owner.withKey('websites:read')).get(getPath(id))).status).toBe(200)
    expectMissingScope(await (await owner.withKey('websites:write')).get(getPath(id)), 'websites:read')
    expect((await server.anyone.get(getPath(id))).status).toBe(401)
  })

  it('shows nothing to other users, even if the statistics are public', async () => {
    const stranger = await server.createUser('stranger', { isAdmin: true })
    expectNotFound(await stranger.session.get(getPath(id)), await stranger.session.get(getPath(999_999)))
    expectNotFound(await owner.session.get(getPath('x')), await owner.session.get(getPath(999_999)))
    await sendEvent(server, createPageView(), bot)
    await readWhenTotalIs(1)
    const range = { websiteId: id, from: '2026-01-01', to: '2026-12-31' }
    expect(await readDropCounts(server.services.db.asVisitor(owner.id, id), range)).toEqual([])
  })
})
