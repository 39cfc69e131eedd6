/** The parts of the overview that only visible rows need: the first rows, and response times. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_SECONDS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import type { Overview } from '../../web/lib/overview.ts'
import { filterRows, groupRows } from '../../web/pages/overview/rows.ts'
import { addChecks } from '../support/check-results.ts'
import { addIncident, addMonitoredPeriod, createMonitor, setFirstStatus } from '../support/monitors.ts'
import { readOverview } from '../support/overview.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, sendView } from '../support/traffic.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

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
    expect(await readOverview(owner, '?limit=22')).toEqual(fullOverview)
    expect(fullOverview.summary).toMatchObject({
      up: 1,
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
    // The downtime is 3,456 s of four monitored days, which is 1%.
    expect((await readOverview(owner)).summary).toMatchObject({ uptime_percent: 99, has_downtime: true })
    expect((await readOverview(owner, '?limit=2')).summary.uptime_percent).toBe(99)
    expect((await readOverview(owner, '?limit=1')).summary.uptime_percent).toBe(null)
  })

  it.each(['0', '1001', 'many', ''])('reject the limit %j', async (limit) => {
    const owner = await server.createUser(`limited${limit}`)
    const response = await owner.session.get(`/api/overview?limit=${limit}`)
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual(['limit'])
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
