import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { localDayAt } from '../../src/lib/local-day.ts'
import { DAY_SECONDS } from '../../src/shared/time.ts'
import { decodeOverview } from '../../web/lib/overview.ts'
import { addIncident, addMonitoredPeriod, createMonitor, monitorsPath, setFirstStatus } from '../support/monitors.ts'
import { readOverview } from '../support/overview.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, fetchOverview, sendView } from '../support/traffic.ts'

const HOUR_SECONDS = 3_600
let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const readMonitors = async (user: TestUser, query?: string) => (await readOverview(user, query)).monitors
const readWebsites = async (user: TestUser) => (await readOverview(user)).websites

describe('the overview', () => {
  it('of a new user contains the range of days, and no websites or monitors', async () => {
    expect(await readOverview(await server.createUser('new'))).toEqual({
      now: Date.parse('2026-01-05T10:00:00.000Z'),
      days: { from: '2025-10-08', to: '2026-01-05', time_zone: 'UTC' },
      is_complete: true,
      websites: [],
      monitors: [],
      summary: {
        up: 0,
        down: 0,
        pending: 0,
        paused: 0,
        visitors_now: 0,
        visitors_today: 0,
        visitors_yesterday: 0,
        uptime_percent: null,
        has_downtime: false,
        monitored_since: null,
        monitored_seconds: 0,
      },
    })
  })

  it('uses the days of the requested time zone, in canonical spelling', async () => {
    const { days } = await readOverview(await server.createUser('zoned'), '?time_zone=pacific/kiritimati')
    expect(days).toEqual({ from: '2025-10-09', to: '2026-01-06', time_zone: 'Pacific/Kiritimati' })
  })

  it.each(['Mars/Olympus', '', '+01:00', 'x'.repeat(101)])('rejects the time zone %j', async (zone) => {
    const { session } = await server.createUser(`refused${zone.length}`)
    const response = await session.get(`/api/overview?time_zone=${encodeURIComponent(zone)}`)
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual(['time_zone'])
  })

  it('requires a session', async () => {
    const person = await server.createUser('keyed')
    const keyClient = await person.withKey()
    expect((await keyClient.get('/api/overview')).status).toBe(403)
    expect((await server.anyone.get('/api/overview')).status).toBe(401)
  })

  it('allows only GET and HEAD', async () => {
    const { session } = await server.createUser('header')
    const response = await session.post('/api/overview', {})
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await session.call('HEAD', '/api/overview')).toMatchObject({ status: 200, text: '' })
  })
})

describe('the monitors of the overview', () => {
  it('have tags and the end of a maintenance in progress, and websites have tags', async () => {
    const owner = await server.createUser('tagger')
    const { id } = await createMonitor(owner.session, { tags: ['Shop', 'a "b", {c}'] })
    const { id: endedId } = await createMonitor(owner.session)
    await createSite(owner, 'tagged.example', { tags: ['eu'] })
    await server.services.db.query(
      `update monitors set maintenance_until = $2::timestamptz + case id when $1 then interval '1 hour' else interval '0' end
        where id = any ($3)`,
      [id, server.clock.now(), [id, endedId]],
    )
    const noMaintenance = { tags: [], maintenance_until: null }
    expect(await readMonitors(owner)).toMatchObject([
      { id: endedId, ...noMaintenance },
      { id, tags: ['Shop', 'a "b", {c}'], maintenance_until: '2026-01-05T11:00:00.000Z' },
    ])
    expect(await readWebsites(owner)).toMatchObject([{ domain: 'tagged.example', tags: ['eu'] }])
  })

  it('have the same fields as in the list of monitors, newest first', async () => {
    const owner = await server.createUser('lister')
    const shop = await createMonitor(owner.session, { interval: 30 })
    const ping = await createMonitor(owner.session, {
      friendly_name: 'Box "<b>"',
      url: 'box.example.org',
      type: 'ping',
    })
    await setFirstStatus(server, shop.id, 'down')
    const [incident] = (await owner.session.get('/api/incidents')).body.data
    await owner.session.post(`/api/incidents/${incident.id}/acknowledge`)
    const noHistory = {
      website_id: null,
      is_sample: false,
      uptime_percent: null,
      days: '',
      tags: [],
      maintenance_until: null,
      monitored_since: null,
      monitored_seconds: 0,
    }
    expect(await readMonitors(owner)).toEqual([
      {
        ...noHistory,
        id: ping.id,
        friendly_name: 'Box "<b>"',
        url: 'box.example.org',
        type: 'ping',
        status: 'pending',
        status_changed_at: '2026-01-05T10:00:00.000Z',
        down_since: null,
        incident_id: null,
        acknowledged_at: null,
        interval: 60,
        last_checked_at: null,
        last_response_ms: null,
        last_error: null,
      },
      {
        ...noHistory,
        id: shop.id,
        friendly_name: 'Shop',
        url: 'https://example.com/',
        type: 'http',
        status: 'down',
        status_changed_at: '2026-01-05T10:00:00.000Z',
        down_since: '2026-01-05T10:00:00.000Z',
        incident_id: incident.id,
        acknowledged_at: '2026-01-05T10:00:00.000Z',
        interval: 30,
        last_checked_at: '2026-01-05T10:00:00.000Z',
        last_response_ms: 87,
        last_error: 'Response took longer than 10 s',
      },
    ])
  })

  it('have uptime bars for 90 days, with ongoing incidents lasting until now', async () => {
    const owner = await server.createUser('barred')
    const { id } = await createMonitor(owner.session)
    await addMonitoredPeriod(server, id, { from: 200 * DAY_SECONDS, to: 85 * DAY_SECONDS })
    await addMonitoredPeriod(server, id, { from: 2 * DAY_SECONDS })
    await addIncident(server, id, { from: 100 * DAY_SECONDS, to: 95 * DAY_SECONDS })
    await addIncident(server, id, { from: 86 * DAY_SECONDS, to: 86 * DAY_SECONDS - 90 })
    await addIncident(server, id, { from: 11 * HOUR_SECONDS })
    const [monitor] = await readMonitors(owner)
    expect(monitor?.days).toBe('0-4,87-89;3:90:1,88:3600:1,89:36000:1:36000')
    const [berlin] = await readMonitors(owner, '?time_zone=Europe/Berlin')
    expect(berlin?.days).toMatch(/,89:39600:1:39600$/)
  })

  it('have the same uptime as the list of incidents for the same period', async () => {
    const owner = await server.createUser('even')
    const { id } = await createMonitor(owner.session)
    await addMonitoredPeriod(server, id, { from: 25 * DAY_SECONDS, to: 12 * DAY_SECONDS })
    await addMonitoredPeriod(server, id, { from: 7 * DAY_SECONDS })
    await addIncident(server, id, { from: 25 * DAY_SECONDS + 60, to: 24 * DAY_SECONDS })
    await addIncident(server, id, { from: 6 * DAY_SECONDS, to: 6 * DAY_SECONDS - 12_345 })
    await addIncident(server, id, { from: 777 })
    const { meta } = (await owner.session.get(`${monitorsPath}/${id}/incidents?window=30d`)).body
    const [monitor] = await readMonitors(owner)
    expect(monitor?.uptime_percent).toBe(meta.uptime_percent)
    expect(meta.uptime_percent).toBeLessThan(99)
  })

  it('belong to the website of their host or of its nearest parent domain', async () => {
    const owner = await server.createUser('host')
    const stranger = await server.createUser('hostess')
    const apexId = await createSite(owner, 'acme.example')
    const shopId = await createSite(owner, 'shop.acme.example')
    await createSite(stranger, 'blog.acme.example')
    const targets = [
      ['https://acme.example/', apexId],
      ['https://WWW.Acme.Example:8443/x', apexId],
      ['https://eu.shop.acme.example./', shopId],
      ['https://blog.acme.example/', apexId],
      ['https://notacme.example/', null],
      ['https://evil.test/?acme.example', null],
    ] as const
    for (const [url] of targets) await createMonitor(owner.session, { url })
    await createMonitor(owner.session, { url: 'db.shop.acme.example', type: 'ping' })
    await createMonitor(owner.session, { url: '2001:db8::7', type: 'ping' })
    const monitors = await readMonitors(owner)
    expect(monitors.map(({ website_id }) => website_id).toReversed()).toEqual([
      ...targets.map(([, id]) => id),
      shopId,
      null,
    ])
  })

  it('are visible only to their owner', async () => {
    const [owner, stranger] = [await server.createUser('mine'), await server.createUser('theirs')]
    const { id } = await createMonitor(owner.session)
    await addMonitoredPeriod(server, id, { from: DAY_SECONDS })
    expect(await readMonitors(stranger)).toEqual([])
  })
})

describe('the websites of the overview', () => {
  it('show visitors now, today and on the last 30 days, including events just received', async () => {
    const owner = await server.createUser('counter')
    const quietId = await createSite(owner, 'quiet.example', { privacy: 1 })
    const busyId = await createSite(owner, 'busy.example', { favorite: true, time_zone: 'Asia/Tokyo' })
    onTestFinished(() => server.clock.reset())
    // In Tokyo it is 19:00 now. The first view is yesterday, the second earlier today.
    server.clock.advance({ hours: -20 })
    await sendView(server, 'busy.example', '/', { address: '81.2.69.1' })
    server.clock.advance({ hours: 19 })
    await sendView(server, 'busy.example', '/', { address: '81.2.69.2' })
    server.clock.advance({ hours: 1 })
    await sendView(server, 'busy.example', '/', { address: '81.2.69.3' })
    await sendView(server, 'busy.example', '/again', { address: '81.2.69.3' })
    const noVisitors = new Array<number>(30).fill(0)
    const [firstWebsite, secondWebsite, ...others] = await readWebsites(owner)
    expect(firstWebsite).toEqual({
      id: busyId,
      domain: 'busy.example',
      favorite: true,
      privacy: 0,
      time_zone: 'Asia/Tokyo',
      is_sample: false,
      tags: [],
      has_traffic: true,
      visitors_now: 1,
      visitors_today: 2,
      visitors: [...noVisitors.slice(2), 1, 2],
    })
    expect(secondWebsite).toEqual({
      id: quietId,
      domain: 'quiet.example',
      favorite: false,
      privacy: 1,
      time_zone: 'UTC',
      is_sample: false,
      tags: [],
      has_traffic: false,
      visitors_now: 0,
      visitors_today: 0,
      visitors: noVisitors,
    })
    expect(others).toEqual([])
    const statistics = await fetchOverview(owner.session, busyId)
    expect(statistics.visitors_now).toBe(1)
    expect(statistics.series.visitors.map(({ count }: { count: number }) => count)).toEqual(firstWebsite?.visitors)
  })

  it('report traffic even if it was long ago', async () => {
    const owner = await server.createUser('old')
    await createSite(owner, 'old.example')
    onTestFinished(() => server.clock.reset())
    await sendView(server, 'old.example', '/')
    expect((await readWebsites(owner))[0]).toMatchObject({ has_traffic: true, visitors_today: 1 })
    server.clock.advance({ days: 20 })
    expect((await readWebsites(owner))[0]?.visitors).toEqual([...new Array(9).fill(0), 1, ...new Array(20).fill(0)])
    server.clock.advance({ days: 20 })
    const noVisitors = new Array(30).fill(0)
    expect((await readWebsites(owner))[0]).toMatchObject({ has_traffic: true, visitors_now: 0, visitors: noVisitors })
  })

  it('are visible only to their owner, and so is their traffic', async () => {
    const [owner, stranger] = [await server.createUser('site'), await server.createUser('sightseer')]
    await createSite(owner, 'public.example', { privacy: 0 })
    const strangersWebsiteId = await createSite(stranger, 'own.example')
    await sendView(server, 'public.example', '/')
    expect((await readWebsites(stranger)).map(({ id }) => id)).toEqual([strangersWebsiteId])
    const { db } = server.services
    const today = localDayAt('UTC', server.clock.now().getTime()).day
    const query = { text: 'select website_id from own_traffic($1, now())', values: [today] }
    const response = await stranger.session.get('/api/session')
    expect(response.status).toBe(200)
    const [{ id: sessionId } = { id: 0 }] = await db.query<{ id: number }>(
      'select id from sessions where user_id = $1',
      [stranger.id],
    )
    const tenant = db.as({ teamId: stranger.id, userId: stranger.id, keyId: null, sessionId })
    expect((await tenant.batch(query))[0]?.rows).toEqual([{ website_id: strangersWebsiteId }])
    // Without a caller, the SQL function own_traffic returns nothing, even to the server itself.
    expect(await db.query(query.text, query.values)).toEqual([])
    // The function itself may read the rows of all users, but the statement after it may not.
    const [, laterResult] = await tenant.batch(query, { text: 'select looks_across_users() as across' })
    expect(laterResult?.rows).toEqual([{ across: false }])
  })
})

describe('a long response', () => {
  it('is compressed if the client accepts gzip, with the same content', async () => {
    const owner = await server.createUser('long')
    for (let n = 0; n < 20; n++) await createMonitor(owner.session, { friendly_name: `Shop ${n}` })
    const requestWith = async (encoding: string) => {
      const response = await fetch(`${server.address}/api/overview`, {
        headers: { cookie: `belfry_session=${owner.session.credentials.cookie}`, 'accept-encoding': encoding },
      })
      expect(response.headers.get('vary')).toContain('Accept-Encoding')
      expect(response.headers.get('cache-control')).toBe('no-store')
      return { encoding: response.headers.get('content-encoding'), text: await response.text() }
    }
    const uncompressedResponse = await requestWith('identity')
    expect(uncompressedResponse.encoding).toBe(null)
    expect(decodeOverview(JSON.parse(uncompressedResponse.text).data).monitors).toHaveLength(20)
    expect(await requestWith('br;q=1, gzip;q=0.5')).toEqual({ encoding: 'gzip', text: uncompressedResponse.text })
    expect(await requestWith('gzip;q=0')).toEqual({ encoding: null, text: uncompressedResponse.text })
  })
})
