/** Why the visits of a website have stopped, with real pages and messages. Time is injected. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addMs } from '../../src/lib/clock.ts'
import { DAY_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { createMonitor } from '../support/monitors.ts'
import {
  pageWithoutTracker,
  startWatchFixture,
  type WatchedWebsite,
  type WatchFixture,
} from '../support/watched-website.ts'

let fixture: WatchFixture
let shop: WatchedWebsite

beforeAll(async () => {
  fixture = await startWatchFixture()
})
afterAll(() => fixture.close())
beforeEach(async () => {
  fixture = await fixture.startNewTest()
  shop = await fixture.createWebsite('shop.example')
  await fixture.run()
})

describe('the diagnosis of missing visits', () => {
  it.each([
    ['snippet_missing', 'the page has no snippet', 200, pageWithoutTracker],
    ['snippet_missing', 'the snippet is in a comment', 200, '<!-- <script data-domain="shop.example"></script> -->'],
    ['site_down', 'the page fails', 503, 'no'],
    ['site_silent', 'the page refuses programs', 403, 'Are you a robot?'],
    ['site_silent', 'the page has a tag manager', 200, '<script src="https://www.googletagmanager.com/gtm.js">'],
  ])('is %s if %s', async (diagnosis, _case, status, html) => {
    fixture.page.respondWith(status, html)
    await fixture.advance(45)
    expect(await shop.listIncidents()).toMatchObject([{ cause: 'silence', diagnosis }])
    expect(fixture.listTitles()).toEqual(['No visits: shop.example'])
  })

  it('is site_silent if the page had no snippet when visits arrived', async () => {
    fixture.page.respondWith(200, pageWithoutTracker)
    const app = await fixture.createWebsite('app.example')
    await fixture.run()
    await fixture.advance(60)
    expect(await app.listIncidents()).toMatchObject([{ diagnosis: 'site_silent' }])
  })

  it('is left to another monitor of the website if the page fails', async () => {
    const { owner, page, server } = fixture
    await createMonitor(owner.session, { friendly_name: 'Shop', url: page.address, interval: 86_400, retries: 0 })
    await server.services.db.query(`update websites set domain = '127.0.0.1' where id = $1`, [shop.id])
    await fixture.run()
    page.respondWith(503, 'no')
    await fixture.advance(25)
    for (let n = 0; n < 6; n++) await fixture.advance(3)
    await fixture.advance(30)
    expect([await shop.listIncidents(), fixture.listTitles()]).toEqual([[], ['Down: Shop']])
  })

  it('is site_down if nothing listens', async () => {
    const { db } = fixture.server.services
    await db.query(`update monitors set url = 'http://127.0.0.1:9/' where id = $1`, [shop.monitorId])
    await fixture.advance(45)
    expect(await shop.listIncidents()).toMatchObject([{ diagnosis: 'site_down' }])
  })
})

describe('silence of several websites', () => {
  let otherWebsites: WatchedWebsite[]

  beforeEach(async () => {
    const optionsWithoutAlerts = { settings: { favorite: true } }
    otherWebsites = [
      await fixture.createWebsite('a.example', optionsWithoutAlerts),
      await fixture.createWebsite('b.example', optionsWithoutAlerts),
    ]
    // Belfry learns from the visits of earlier weeks what is usual at this time of the week.
    const weekAgo = addMs(fixture.clock.now(), -7 * DAY_MS)
    for (const website of otherWebsites) await fixture.addVisits(website, weekAgo, 60)
  })

  it('is not announced, because visits may not reach Belfry', async () => {
    for (let n = 0; n < 4; n++) await fixture.advance(20)
    expect(await shop.listIncidents()).toMatchObject([{ diagnosis: 'collector', resolved_at: null, impact: null }])
    await fixture.advance(10, shop, ...otherWebsites)
    expect(await shop.listIncidents()).toMatchObject([{ diagnosis: 'collector', resolution: 'recovered' }])
    expect(fixture.listTitles()).toEqual([])
  })

  it('is announced once the other websites have visits again', async () => {
    for (let n = 0; n < 3; n++) await fixture.advance(20)
    expect(await shop.listIncidents()).toMatchObject([{ diagnosis: 'collector' }])
    await fixture.advance(5, ...otherWebsites)
    expect(await shop.listIncidents()).toMatchObject([{ diagnosis: 'site_silent', resolved_at: null }])
    expect(fixture.listTitles()).toEqual(['No visits: shop.example'])
  })

  it('is announced for a website that is itself down', async () => {
    fixture.page.respondWith(503, 'no')
    await fixture.advance(45)
    expect(await shop.listIncidents()).toMatchObject([{ diagnosis: 'site_down' }])
    expect(fixture.listTitles()).toEqual(['No visits: shop.example'])
  })

  it('is not blamed on Belfry if one of the other websites has visits', async () => {
    await fixture.advance(45, otherWebsites[0] as WatchedWebsite)
    expect(await shop.listIncidents()).toMatchObject([{ diagnosis: 'site_silent' }])
  })

  it('concerns one website alone if another website had a visit a minute ago', async () => {
    await fixture.advance(45)
    const [firstWebsite] = otherWebsites as [WatchedWebsite]
    await fixture.addVisits(firstWebsite, addMs(fixture.clock.now(), -MINUTE_MS), 1)
    await fixture.advance(1)
    expect(await shop.listIncidents()).toMatchObject([{ diagnosis: 'site_silent' }])
  })
})
