/** Traffic alerts for stops, with real visits, checks, pages and messages. Time is injected. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordReceiving } from '../../src/heartbeats/outage-store.ts'
import { TrafficWatcher } from '../../src/impact/watch/traffic-watcher.ts'
import { addMs } from '../../src/lib/clock.ts'
import { MINUTE_MS } from '../../src/shared/time.ts'
import { startChecker } from '../support/checker.ts'
import { createMonitor } from '../support/monitors.ts'
import { startWatchFixture, type WatchedWebsite, type WatchFixture } from '../support/watched-website.ts'

let fixture: WatchFixture
let shop: WatchedWebsite

beforeAll(async () => {
  fixture = await startWatchFixture()
})
afterAll(() => fixture.close())

/**
 * Each test starts with a website that has 24 visits an hour. A gap of half an hour or a little more causes an alarm.
 */
beforeEach(async () => {
  fixture = await fixture.startNewTest()
  shop = await fixture.createWebsite('shop.example')
  await fixture.run()
})

const readStatus = async (website = shop) => (await website.getMonitor()).status
const countIncidents = async (website = shop) => (await website.listIncidents()).length

describe('a website without visits', () => {
  it('has one incident and one alert, and both end when visitors are back', async () => {
    expect(await readStatus()).toBe('up')
    await fixture.advance(20)
    expect([await readStatus(), await countIncidents()]).toEqual(['up', 0])
    await fixture.advance(25)
    expect(await readStatus()).toBe('down')
    expect(await shop.listIncidents()).toMatchObject([
      // Visits stopped at 10:00, and the last one came two and a half minutes before that.
      { cause: 'silence', diagnosis: 'site_silent', started_at: '2026-01-05T09:57:30.001Z', resolved_at: null },
    ])
    for (const minutes of [1, 5, 30]) await fixture.advance(minutes)
    expect([await countIncidents(), fixture.listTitles()]).toEqual([1, ['No visits: shop.example']])

    await fixture.advance(10, shop)
    expect([await readStatus(), await shop.listIncidents()]).toMatchObject(['up', [{ resolution: 'recovered' }]])
    expect(fixture.listTitles()).toEqual(['No visits: shop.example', expect.stringMatching(/^Visits are back after /)])
  })

  it('stays down after a single visit', async () => {
    await fixture.advance(45)
    await fixture.addVisits(shop, fixture.clock.now(), 1)
    await fixture.advance(20)
    expect(await readStatus()).toBe('down')
    await fixture.advance(10, shop)
    expect(await readStatus()).toBe('up')
  })

  it('has no incident if a visit is counted just before the check', async () => {
    fixture.clock.advance({ minutes: 45 })
    await fixture.runJob('watch for silence and spikes')
    await fixture.addVisits(shop, fixture.clock.now(), 1)
    await fixture.run()
    await fixture.advance(10)
    expect([await readStatus(), await countIncidents()]).toEqual(['up', 0])
  })

  it('has no incident while another monitor of the website is down, nor right after that', async () => {
    const { checker, owner, page } = fixture
    await createMonitor(owner.session, { friendly_name: 'Shop', url: page.address, retries: 0 })
    await fixture.server.services.db.query(`update websites set domain = '127.0.0.1' where id = $1`, [shop.id])
    page.respondWith(503, 'no')
    await checker.run()
    for (let n = 0; n < 4; n++) await fixture.advance(15)
    expect(await countIncidents()).toBe(0)
    page.respondWith(200, 'ok')
    await fixture.advance(5)
    expect(fixture.listTitles()).toEqual(['Down: Shop', expect.stringMatching(/^Recovered after .*: Shop$/)])
    // The minutes of the incident don't count, so half an hour without visits begins now.
    await fixture.advance(20)
    expect(await countIncidents()).toBe(0)
    await fixture.advance(25)
    expect(await shop.listIncidents()).toMatchObject([{ cause: 'silence', resolved_at: null }])
  })

  it('has no incident on a quiet day, but has an incident on the day after', async () => {
    const path = `/api/v1/websites/${shop.id}`
    await fixture.owner.session.call('PATCH', path, { json: { quiet_days: ['2026-01-05'] } })
    for (let n = 0; n < 4; n++) await fixture.advance(3 * 60)
    expect([await readStatus(), await countIncidents()]).toEqual(['up', 0])
    await fixture.advance(3 * 60)
    expect(await shop.listIncidents()).toMatchObject([{ cause: 'silence', resolved_at: null }])
  })

  it('has no incident if Belfry could not receive visits', async () => {
    const now = fixture.clock.now()
    await fixture.server.services.db.query('insert into collection_gaps (started_at, ended_at) values ($1, $2)', [
      now,
      addMs(now, 40 * MINUTE_MS),
    ])
    await fixture.advance(45)
    expect(await countIncidents()).toBe(0)
    await fixture.advance(40)
    expect(await countIncidents()).toBe(1)
  })

  it('has no incident while events wait that could not be counted', async () => {
    const { db } = fixture.server.services
    const event = JSON.stringify([{ websiteId: shop.id, at: addMs(fixture.clock.now(), MINUTE_MS).getTime() }])
    await db.query(`insert into event_inbox (size, websites, events, fault) values (1, $1, $2, 'unknown field')`, [
      [shop.id],
      event,
    ])
    await fixture.advance(60)
    expect([await readStatus(), await countIncidents()]).toEqual(['up', 0])
    await db.query('delete from event_inbox')
    await fixture.advance(1)
    expect(await readStatus()).toBe('down')
  })

  it('has no incident during a maintenance, nor while it is paused', async () => {
    const { owner } = fixture
    const startsAt = fixture.clock.now()
    const maintenance = {
      title: 'Move',
      monitor_ids: [shop.monitorId],
      starts_at: startsAt.toISOString(),
      ends_at: addMs(startsAt, 60 * MINUTE_MS).toISOString(),
    }
    expect((await owner.session.post('/api/maintenances', maintenance)).status).toBe(201)
    await fixture.advance(61)
    expect(await countIncidents()).toBe(0)
    expect((await owner.session.put(`/api/monitors/${shop.monitorId}`, { is_active: false })).status).toBe(200)
    await fixture.advance(120)
    expect([await readStatus(), await countIncidents()]).toEqual(['paused', 0])
    expect((await owner.session.put(`/api/monitors/${shop.monitorId}`, { is_active: true })).status).toBe(200)
    await fixture.advance(1)
    expect(await shop.listIncidents()).toMatchObject([{ cause: 'silence' }])
  })

  it('has one incident and one alert although two nodes watch and check', async () => {
    const { clock, server } = fixture
    const otherWatcher = new TrafficWatcher({ db: server.services.db, clock, isWatcher: () => true, onAlerts() {} })
    const otherChecker = await startChecker(server)
    await otherWatcher.run()
    for (let n = 0; n < 3; n++) {
      clock.advance({ minutes: 15 })
      await Promise.all([otherWatcher.run(), fixture.runJob('watch for silence and spikes')])
      await Promise.all([otherChecker.run(), fixture.checker.run()])
      await fixture.run()
    }
    await otherChecker.stop()
    expect([await countIncidents(), fixture.listTitles()]).toEqual([1, ['No visits: shop.example']])
  })

  it('is checked although the node was killed right after it found the silence', async () => {
    const { clock, checker, server } = fixture
    const { db } = server.services
    clock.advance({ minutes: 45 })
    await fixture.runJob('watch for silence and spikes')
    // Undo the request for a check, as if the node had been killed before it sent the request.
    await db.query(`update monitor_states set due_at = $2 where monitor_id = $1`, [
      shop.monitorId,
      addMs(clock.now(), 600 * MINUTE_MS),
    ])
    clock.advance({ minutes: 1 })
    await new TrafficWatcher({ db, clock, isWatcher: () => true, onAlerts() {} }).run()
    await checker.run()
    expect(await shop.listIncidents()).toMatchObject([{ started_at: '2026-01-05T09:57:30.001Z' }])
  })

  it('is found by a node that has just started', async () => {
    const { clock, server, checker } = fixture
    clock.advance({ minutes: 45 })
    await new TrafficWatcher({ db: server.services.db, clock, isWatcher: () => true, onAlerts() {} }).run()
    await checker.run()
    expect(await readStatus()).toBe('down')
  })

  it('is ignored by a node that is not the watcher', async () => {
    const { clock, server, checker } = fixture
    clock.advance({ minutes: 45 })
    await new TrafficWatcher({ db: server.services.db, clock, isWatcher: () => false, onAlerts() {} }).run()
    await checker.run()
    expect(await readStatus()).toBe('up')
  })
})

describe('a website with too little history', () => {
  it('is pending, and nothing is sent', async () => {
    const blog = await fixture.createWebsite('blog.example', { days: 7 })
    await fixture.run()
    for (let n = 0; n < 4; n++) await fixture.advance(60, shop)
    expect([await readStatus(blog), await countIncidents(blog), fixture.listTitles()]).toEqual(['pending', 0, []])
  })

  it('is watched once there are two weeks of visits', async () => {
    const blog = await fixture.createWebsite('blog.example', { days: 13 })
    await fixture.run()
    expect(await readStatus(blog)).toBe('pending')
    await fixture.advance(24 * 60, shop, blog)
    // A run computes only some of the fits that are a day old, so a second run follows.
    await fixture.advance(5, shop, blog)
    expect(await readStatus(blog)).toBe('up')
  })
})

describe('a period in which no node could store events', () => {
  const readGaps = () => fixture.server.services.db.query('select started_at, ended_at from collection_gaps')

  it('is stored once, however many nodes notice its end', async () => {
    const { db } = fixture.server.services
    await db.query('delete from collection_gaps')
    await db.query(`update beat_reception set receiving_until = now() - interval '1 minute'`)
    await Promise.all([recordReceiving(db), recordReceiving(db), recordReceiving(db)])
    await recordReceiving(db)
    expect(await readGaps()).toHaveLength(1)
  })

  it('begins on the last day with visits if a backup was restored', async () => {
    const { db } = fixture.server.services
    await db.batch({ text: 'delete from collection_gaps' }, { text: 'delete from beat_reception' })
    await recordReceiving(db)
    const [lastDay] = await db.query<{ day: string }>('select max(day)::text as day from traffic_days')
    expect(await readGaps()).toMatchObject([{ started_at: new Date(`${lastDay?.day}T00:00:00Z`) }])
  })
})
