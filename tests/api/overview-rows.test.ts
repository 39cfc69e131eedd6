/** The parts of the overview that only visible rows need: the first rows, and response times. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_SECONDS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import type { Overview } from '../../web/lib/overview.ts'
import { filterRows, groupRows } from '../../web/pages/overview/rows.ts'
import { addChecks } from '../support/check-results.ts'
import { addIncident, addMonitoredPeriod, createMonitor, insertMonitors, setFirstStatus } from '../support/monitors.ts'
import { readOverview } from '../support/overview.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { joinTeam } from '../support/teams.ts'
import { createSite, sendView } from '../support/traffic.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** The server sends up to 100 rows at once, whatever the limit is. */
const addManyRows = ({ id }: TestUser, count = 100) => insertMonitors(server, id, count)

const listRowKeys = (overview: Overview) => filterRows(groupRows(overview), '', 'all').map(({ key }) => key)

describe('the first rows of the overview', () => {
  it('are the same as in the full overview, in the same order, with the summary of all rows', async () => {
    const owner = await server.createUser('rows')
    for (const domain of ['a.example', 'b.example', 'shop-10.example', 'shop-9.example', 'z.example']) {
      await createSite(owner, domain, { favorite: domain === 'z.example' })
    }
    await sendView(server, 'a.example', '/', { address: '81.2.69.1' })
    const addMonitor = async (friendly_name: string, url: string) =>
      (await createMonitor(owner.session, { friendly_name, url })).id
    await addMonitor('Zebra', 'https://www.a.example/')
    await addMonitor('Alpha', 'https://api.a.example/')
    const downId = await addMonitor('Basket', 'https://b.example/basket')
    await addMonitor('Élan', 'https://elsewhere.test/')
    const pingId = (await createMonitor(owner.session, { url: 'box.test', type: 'ping' })).id
    for (let n = 12; n > 0; n--) await addMonitor(`Node ${n}`, `https://node-${n}.shop-9.example/`)
    await addManyRows(owner, 79)
    await setFirstStatus(server, downId, 'down')
    await setFirstStatus(server, pingId, 'up')
    const fullOverview = await readOverview(owner)
    expect(fullOverview.is_complete).toBe(true)
    for (const limit of [1, 2, 5, 8, 15]) {
      const firstRows = await readOverview(owner, `?limit=${limit}`)
      expect(firstRows.is_complete).toBe(false)
      const keys = listRowKeys(firstRows)
      expect(keys).toEqual(listRowKeys(fullOverview).slice(0, keys.length))
      expect(keys.length).toBeGreaterThanOrEqual(Math.min(limit, 10))
      expect(keys.length).toBeLessThanOrEqual(limit + 1)
      expect(firstRows.summary).toEqual({ ...fullOverview.summary, uptime_percent: null, has_downtime: false })
      for (const monitor of firstRows.monitors) expect(fullOverview.monitors).toContainEqual(monitor)
      for (const website of firstRows.websites) expect(fullOverview.websites).toContainEqual(website)
    }
    expect(await readOverview(owner, '?limit=101')).toEqual(fullOverview)
    expect(fullOverview.summary).toMatchObject({
      up: 80,
      down: 1,
      pending: 15,
      paused: 0,
      visitors_now: 1,
      visitors_today: 1,
    })
  })

  it('have a total uptime only if they include all monitors', async () => {
    const owner = await server.createUser('total')
    const [busyMonitor, quietMonitor] = [await createMonitor(owner.session), await createMonitor(owner.session)]
    await addMonitoredPeriod(server, busyMonitor.id, { from: 3 * DAY_SECONDS })
    await addMonitoredPeriod(server, quietMonitor.id, { from: DAY_SECONDS })
    await addIncident(server, busyMonitor.id, { from: DAY_SECONDS, to: DAY_SECONDS - 3_456 })
    await addManyRows(owner, 98)
    // The downtime is 3,456 s of four monitored days, which is 1%.
    expect((await readOverview(owner)).summary).toMatchObject({ uptime_percent: 99, has_downtime: true })
    expect((await readOverview(owner, '?limit=1')).summary.uptime_percent).toBe(99)
    await addManyRows(owner, 1)
    expect((await readOverview(owner, '?limit=1')).summary.uptime_percent).toBe(null)
  })

  it.each(['0', '1001', 'many', ''])('reject the limit %j', async (limit) => {
    const owner = await server.createUser(`limited${limit}`)
    const response = await owner.session.get(`/api/overview?limit=${limit}`)
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual(['limit'])
  })
})

describe('the order of the first rows', () => {
  const listFirstKeys = async (owner: TestUser) => listRowKeys(await readOverview(owner, '?limit=3'))
  const listAllKeys = async (owner: TestUser) => listRowKeys(await readOverview(owner))

  it('follows each change of a monitor or website, also if another server made the change', async () => {
    const owner = await server.createUser('changing')
    for (const domain of ['b.example.net', 'c.example.net', 'd.example.net']) await createSite(owner, domain)
    const [{ id }] = [await createMonitor(owner.session, { friendly_name: 'Basket', url: 'https://b.example.net/' })]
    const addOther = (friendly_name: string) =>
      createMonitor(owner.session, { friendly_name, url: 'https://elsewhere.test/' })
    await addOther('Zebra')
    await addManyRows(owner)
    const { db } = server.services
    const changes: [what: string, change: () => Promise<unknown>][] = [
      ['name', () => owner.session.put(`/api/monitors/${id}`, { friendly_name: 'Azure' })],
      ['URL', () => owner.session.put(`/api/monitors/${id}`, { url: 'https://elsewhere.test/a' })],
      ['type', () => owner.session.put(`/api/monitors/${id}`, { type: 'ping', url: 'd.example.net' })],
      ['status', () => setFirstStatus(server, id, 'down')],
      ['new monitor', () => addOther('Aardvark')],
      ['new website', () => createSite(owner, 'a.example.net')],
      ['favorite', () => createSite(owner, 'z.example.net', { favorite: true })],
      ['another server', () => db.query(`update monitors set friendly_name = 'Bee' where id = $1`, [id])],
      ['deleted monitor', () => owner.session.delete(`/api/monitors/${id}`)],
    ]
    let keys = await listFirstKeys(owner)
    for (const [what, change] of changes) {
      await change()
      const allKeys = await listAllKeys(owner)
      keys = await listFirstKeys(owner)
      expect(keys, what).toEqual(allKeys.slice(0, keys.length))
    }
    expect(keys).toHaveLength(3)
  })

  it('is the same for members whether or not a guest has requested the overview in the meantime', async () => {
    const owner = await server.createUser('host')
    const guest = await server.createUser('visitor')
    const shared = await createSite(owner, 'z.guests.example')
    await createSite(owner, 'a.guests.example')
    await addManyRows(owner)
    await joinTeam(server, owner.id, guest, 'viewer')
    const shares = { role: 'guest', access: 'edit', website_ids: [shared] }
    await owner.session.call('PATCH', `/api/teams/${owner.id}/members/${guest.id}`, { json: shares })
    const expectOnlyShared = async () => {
      const overview = await readOverview(guest, '?limit=3')
      expect(overview.is_complete).toBe(true)
      expect(overview.websites.map(({ id }) => id)).toEqual([shared])
      expect(overview.summary).toMatchObject({ up: 0, pending: 0 })
    }
    await expectOnlyShared()
    const keys = await listFirstKeys(owner)
    expect(keys).toEqual((await listAllKeys(owner)).slice(0, keys.length))
    expect(keys).toHaveLength(3)
    await expectOnlyShared()
  })

  it('has a version that only such changes change', async () => {
    const owner = await server.createUser('versioned')
    const { id } = await createMonitor(owner.session, { friendly_name: 'Basket' })
    const { db } = server.services
    const readVersion = async () => {
      const [row] = await db.query<{ version: string }>('select version from monitor_counts where user_id = $1', [
        owner.id,
      ])
      return row?.version
    }
    const version = await readVersion()
    await setFirstStatus(server, id, 'down')
    expect((await owner.session.put(`/api/monitors/${id}`, { friendly_name: 'Basket', interval: 120 })).status).toBe(
      200,
    )
    expect(await readVersion()).toBe(version)
    await owner.session.put(`/api/monitors/${id}`, { friendly_name: 'Cart' })
    const newVersion = await readVersion()
    expect(newVersion).not.toBe(version)
    await owner.session.delete(`/api/monitors/${id}`)
    expect(await readVersion()).not.toBe(newVersion)
  })
})

describe('the visitors in the summary of the first rows', () => {
  it('are counted when the page is requested, for one request of rows within two seconds', async () => {
    const owner = await server.createUser('prepared')
    await createSite(owner, 'one.example.com')
    await createSite(owner, 'two.example.com')
    await addManyRows(owner)
    const readVisitors = async () => (await readOverview(owner, '?limit=1')).summary.visitors_today
    const visit = (address: string) => sendView(server, 'two.example.com', '/', { address })
    await visit('81.2.69.1')
    expect(await readVisitors()).toBe(1)
    await owner.session.get('/')
    await visit('81.2.69.2')
    expect(await readVisitors()).toBe(1)
    expect(await readVisitors()).toBe(2)
    await owner.session.get('/')
    await visit('81.2.69.3')
    server.clock.advance({ seconds: 2 })
    expect(await readVisitors()).toBe(3)
  })

  it('leave out the sample website, and add up all time zones', async () => {
    const owner = await server.createUser('zones')
    await createSite(owner, 'zone-utc.example', { time_zone: 'UTC' })
    await createSite(owner, 'zone-east.example', { time_zone: 'Pacific/Kiritimati' })
    await createSite(owner, 'zone-west.example', { time_zone: 'Pacific/Pago_Pago' })
    for (const domain of ['zone-utc.example', 'zone-east.example', 'zone-west.example']) {
      await sendView(server, domain, '/', { address: '81.2.69.7' })
    }
    expect((await owner.session.put('/api/sample-data')).status).toBeLessThan(300)
    await addManyRows(owner)
    const { summary } = await readOverview(owner)
    expect(summary).toMatchObject({ visitors_now: 3, visitors_today: 3 })
    const first = await readOverview(owner, '?limit=1')
    expect(first.is_complete).toBe(false)
    expect(first.summary).toMatchObject({ visitors_now: 3, visitors_today: 3, visitors_yesterday: 0, paused: 0 })
    const stranger = await server.createUser('elsewhere')
    await createSite(stranger, 'strange-1.example')
    await createSite(stranger, 'strange-2.example')
    await addManyRows(stranger)
    expect((await readOverview(stranger, '?limit=1')).summary).toMatchObject({ visitors_now: 0, visitors_today: 0 })
  })
})

describe('the response times of the overview', () => {
  const readTimes = ({ session }: TestUser, ids: string) => session.get(`/api/overview/response-times?monitors=${ids}`)

  it('are the average of each hour, from rolled-up hours and from checks that are not rolled up yet', async () => {
    const owner = await server.createUser('timed')
    const [shop, fresh, young] = [
      await createMonitor(owner.session),
      await createMonitor(owner.session),
      await createMonitor(owner.session),
    ]
    const { db } = server.services
    const now = server.clock.now().getTime()
    const hour = (hoursAgo: number) => new Date(Math.floor(now / HOUR_MS) * HOUR_MS - hoursAgo * HOUR_MS)
    await db.query(
      `insert into check_hours (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
       select user_id, id, start, 12, 2, 1205, '{50,60}', '{6,4}' from monitors, unnest($2::timestamptz[]) start where id = $1`,
      [shop.id, [hour(30), hour(23), hour(1)]],
    )
    const check = (at: number, ms: number | null) => ({ at: new Date(at), ms, cause: ms === null ? 'timeout' : null })
    const recentChecks = [check(hour(1).getTime() + MINUTE_MS, 120), check(now, 200), check(now, null), check(now, 301)]
    await addChecks(db, shop.id, recentChecks)
    // A new monitor also has averages of 5 minutes.
    const step = 5 * MINUTE_MS
    const currentStep = Math.floor(now / step) * step
    await addChecks(db, young.id, [check(currentStep - 2 * step, 10), check(currentStep - step, null), check(now, 20)])
    await addChecks(db, young.id, [check(currentStep, 30)])
    const { body } = await readTimes(owner, `${shop.id},${fresh.id},${young.id}`)
    const hoursWithoutChecks = new Array(21).fill(null)
    expect(body.data).toEqual({
      starts_at: hour(23).toISOString(),
      recent_starts_at: new Date(currentStep - 23 * step).toISOString(),
      monitors: expect.arrayContaining([
        // The last full hour has ten rolled-up responses that took 1,205 ms together, and one of 120 ms.
        { id: shop.id, hours: [121, ...hoursWithoutChecks, 120, 251], recent: null },
        { id: young.id, hours: expect.any(Array), recent: [...hoursWithoutChecks, 10, null, 25] },
      ]),
    })
    expect(body.data.monitors).toHaveLength(2)
    const stranger = await server.createUser('untimed')
    expect((await readTimes(stranger, `${shop.id}`)).body.data.monitors).toEqual([])
  })

  it.each(['', '0', '1,', 'abc', Array(101).fill(1).join(',')])('reject the monitors %j', async (ids) => {
    const owner = await server.createUser(`times${ids.length}`)
    const response = await readTimes(owner, ids)
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual(['monitors'])
  })
})
