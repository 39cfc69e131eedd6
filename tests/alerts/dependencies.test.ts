/** While the parent of a monitor is down, incidents of the monitor are recorded but not announced. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AnnouncementFixture, startAnnouncementFixture } from '../support/announcements.ts'

let fixture: AnnouncementFixture
beforeAll(async () => {
  fixture = await startAnnouncementFixture()
})
afterAll(() => fixture.close())

let router: number
let shop: number

/** The shop depends on the router. Both are up. */
beforeEach(async () => {
  await fixture.renew()
  router = await fixture.addMonitor('router')
  shop = await fixture.addMonitor('shop', { depends_on: router })
  await fixture.step()
})

const change = (id: number, fields: object) => fixture.alerts.owner.session.put(`/api/monitors/${id}`, fields)

describe('if a monitor and its parent are down', () => {
  it('only the parent is announced, when the parent fails first', async () => {
    fixture.down.add('router').add('shop')
    await fixture.check(router)
    await fixture.check(shop)
    await fixture.announce()
    expect(fixture.takeTitles()).toEqual(['Down: router'])
    const [routerIncident] = await fixture.readIncidents(router)
    expect(routerIncident?.parent).toBe(null)
    expect(await fixture.readIncidents(shop)).toMatchObject([
      { status: 'open', parent: { monitor_id: router, incident_id: routerIncident?.id } },
    ])
    fixture.down.clear()
    await fixture.step(60)
    await fixture.step(60)
    expect(fixture.takeTitles()).toEqual([expect.stringMatching(/^Recovered after .*: router$/)])
    expect(await fixture.readIncidents(shop)).toMatchObject([{ status: 'resolved' }])
  })

  it('only the parent is announced, when the dependent monitor fails first', async () => {
    fixture.down.add('router').add('shop')
    await fixture.check(shop)
    await fixture.announce()
    expect(fixture.takeTitles()).toEqual([])
    expect(await fixture.readIncidents(shop)).toMatchObject([{ status: 'open', parent: null }])
    // The announcement waits for a check of the parent, which is due now.
    await fixture.settle()
    expect(fixture.takeTitles()).toEqual(['Down: router'])
    expect(await fixture.readIncidents(shop)).toMatchObject([{ parent: { monitor_id: router } }])
    await fixture.step(300)
    expect(fixture.takeTitles()).toEqual([])
  })

  it('only the parent is announced, when both results are recorded in one batch', async () => {
    fixture.down.add('router').add('shop')
    await fixture.step(60)
    expect(fixture.takeTitles()).toEqual(['Down: router'])
    expect(await fixture.readIncidents(shop)).toMatchObject([{ parent: { monitor_id: router } }])
  })

  it('the announcement waits for the retries of the parent', async () => {
    await change(router, { retries: 2, retry_interval: 5 })
    await fixture.step()
    fixture.down.add('router').add('shop')
    await fixture.check(shop)
    await fixture.announce()
    await fixture.settle()
    await fixture.settle(5)
    expect(fixture.takeTitles()).toEqual([])
    await fixture.settle(5)
    expect(fixture.takeTitles()).toEqual(['Down: router'])
  })

  it('only the topmost monitor of a chain of three is announced', async () => {
    const page = await fixture.addMonitor('page', { depends_on: shop })
    await fixture.step()
    fixture.down.add('router').add('shop').add('page')
    await fixture.check(page)
    await fixture.announce()
    for (let n = 0; n < 3; n++) await fixture.settle(1)
    expect(fixture.takeTitles()).toEqual(['Down: router'])
    expect(await fixture.readIncidents(page)).toMatchObject([{ parent: { monitor_id: shop } }])
    expect(await fixture.readIncidents(shop)).toMatchObject([{ parent: { monitor_id: router } }])
    fixture.down.delete('router')
    await fixture.check(router)
    await fixture.announce()
    // The shop is announced because its first check after the recovery of the router fails.
    await fixture.settle(1)
    expect(fixture.takeTitles()).toEqual([expect.stringMatching(/^Recovered .*: router$/), 'Down: shop'])
    fixture.down.clear()
    await fixture.step(60)
    expect(fixture.takeTitles()).toEqual([expect.stringMatching(/^Recovered .*: shop$/)])
  })

  it('the dependent monitor is announced if it stays down after the parent has recovered', async () => {
    fixture.down.add('router').add('shop')
    await fixture.step(60)
    fixture.takeTitles()
    fixture.down.delete('router')
    await fixture.check(router)
    await fixture.announce()
    expect(fixture.takeTitles()).toEqual([expect.stringMatching(/^Recovered .*: router$/)])
    // The announcement waits for a check of the shop, which is due now.
    await fixture.settle(1)
    expect(fixture.takeTitles()).toEqual(['Down: shop'])
    fixture.down.clear()
    await fixture.step(60)
    expect(fixture.takeTitles()).toEqual([expect.stringMatching(/^Recovered .*: shop$/)])
  })

  it('neither is announced while the parent is in maintenance', async () => {
    const maintenance = { title: 'Upgrade', monitor_ids: [router], duration_seconds: 600 }
    expect((await fixture.alerts.owner.session.post('/api/maintenances', maintenance)).status).toBe(201)
    fixture.down.add('router').add('shop')
    await fixture.step(60)
    await fixture.step(60)
    expect(fixture.takeTitles()).toEqual([])
    fixture.down.clear()
    await fixture.step(60)
    expect(fixture.takeTitles()).toEqual([])
  })
})

describe('the incident of a monitor with a parent is announced', () => {
  const bringBothDown = async () => {
    fixture.down.add('router').add('shop')
    await fixture.step(60)
    expect(fixture.takeTitles()).toEqual(['Down: router'])
  }

  it('immediately, if the parent was up in a check since the outage began', async () => {
    await change(shop, { retries: 1, retry_interval: 30 })
    await fixture.step()
    fixture.down.add('shop')
    await fixture.check(shop)
    await fixture.check(router)
    await fixture.settle(20)
    expect(fixture.takeTitles()).toEqual(['Down: shop'])
  })

  it('after a check of the parent, if that is up', async () => {
    fixture.down.add('shop')
    await fixture.check(shop)
    await fixture.announce()
    expect(fixture.takeTitles()).toEqual([])
    await fixture.settle(1)
    expect(fixture.takeTitles()).toEqual(['Down: shop'])
    expect(await fixture.readIncidents(shop)).toMatchObject([{ parent: null }])
  })

  it('after 30 s, if nothing checks the parent', async () => {
    fixture.down.add('shop')
    await fixture.check(shop)
    for (const seconds of [0, 20, 8]) {
      fixture.alerts.clock.advance({ seconds })
      await fixture.announce()
    }
    expect(fixture.takeTitles()).toEqual([])
    fixture.alerts.clock.advance({ seconds: 2 })
    await fixture.announce()
    expect(fixture.takeTitles()).toEqual(['Down: shop'])
  })

  it.each([
    ['is paused', () => change(router, { is_active: false })],
    ['is deleted', () => fixture.alerts.owner.session.delete(`/api/monitors/${router}`)],
    ['is no longer the parent', () => change(shop, { depends_on: null })],
  ])('if the parent %s', async (_, act) => {
    await bringBothDown()
    await act()
    await fixture.announce()
    expect(fixture.takeTitles()).toEqual(['Down: shop'])
  })

  it('if the parent is pending', async () => {
    await change(router, { is_active: false })
    await change(router, { is_active: true })
    fixture.down.add('shop')
    await fixture.check(shop)
    await fixture.announce()
    expect(fixture.takeTitles()).toEqual(['Down: shop'])
  })

  it('once, however many nodes there are', async () => {
    await bringBothDown()
    await change(shop, { depends_on: null })
    await Promise.all(Array.from({ length: 5 }, () => fixture.announceOnly()))
    await fixture.announce()
    expect(fixture.takeTitles()).toEqual(['Down: shop'])
  })
})

it('reminders of an incident begin only after its announcement', async () => {
  await change(shop, { remind_every: 1 })
  await fixture.step()
  fixture.down.add('router').add('shop')
  await fixture.step(60)
  const { db } = fixture.alerts.server.services
  const [incident] = await db.query<{ remind_at: Date | null }>(
    'select remind_at from incidents where monitor_id = $1 and resolved_at is null',
    [shop],
  )
  expect(incident?.remind_at).toBe(null)
  await change(shop, { depends_on: null })
  await fixture.announce()
  const [announcedIncident] = await db.query<{ remind_at: Date | null }>(
    'select remind_at from incidents where monitor_id = $1',
    [shop],
  )
  expect(announcedIncident?.remind_at).toEqual(new Date(fixture.alerts.clock.now().getTime() + 60_000))
})
