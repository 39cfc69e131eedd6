/** Alerts about traffic spikes, with real visits and messages. Time is injected. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { TrafficWatcher } from '../../src/impact/watch/traffic-watcher.ts'
import { addMs } from '../../src/lib/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../src/shared/time.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { createEventAt } from '../support/inbox-events.ts'
import { startWatchFixture, type WatchedWebsite, type WatchFixture } from '../support/watched-website.ts'

let fixture: WatchFixture
let blog: WatchedWebsite

beforeAll(async () => {
  fixture = await startWatchFixture()
})
afterAll(() => fixture.close())

/** Each test starts with a website that has 24 visits an hour. */
beforeEach(async () => {
  fixture = await fixture.startNewTest()
  blog = await fixture.createWebsite('blog.example', { settings: { watch_spikes: true } })
  await fixture.run()
})

/** Adds visits every 10 seconds for 50 minutes, most of them from one source. */
async function addSpike(website = blog): Promise<void> {
  const from = fixture.clock.now()
  const events = Array.from({ length: 300 }, (_, n) =>
    createEventAt(website.id, addMs(from, n * 10 * SECOND_MS).toISOString(), {
      visitor: 1_000_000 + n,
      source: n % 5 === 0 ? 'Direct' : 'news.ycombinator.com',
    }),
  )
  await insertBatch(fixture.server.services.db, events)
  await fixture.server.services.rollup.rollUpAll()
  await fixture.advance(51, website)
}

const readAlerts = () =>
  fixture.server.services.db.query<{ details: Record<string, unknown> }>(
    `select details from alerts where event = 'spike' order by id`,
  )

describe('an alert about a spike', () => {
  it('names the main source of the visits, and is sent once a day', async () => {
    await addSpike()
    expect(fixture.listTitles()).toEqual(['Traffic spike: blog.example'])
    const [{ details } = { details: {} }] = await readAlerts()
    expect(details).toMatchObject({ source: 'news.ycombinator.com', source_visits: 240 })
    expect(details['visits']).toBeGreaterThan(300)
    expect(details['expected']).toBeGreaterThan(20)
    expect(details['expected']).toBeLessThan(30)
    expect(fixture.receiver.received[0]?.body).toContain('Most came from news.ycombinator.com (240).')
    for (let n = 0; n < 3; n++) await addSpike()
    expect(await readAlerts()).toHaveLength(1)
  })

  it('is sent once although two nodes detect the spike, and opens no incident', async () => {
    const { clock, server } = fixture
    const otherWatcher = new TrafficWatcher({ db: server.services.db, clock, isWatcher: () => true, onAlerts() {} })
    await otherWatcher.run()
    await addSpike()
    await otherWatcher.run()
    expect(await readAlerts()).toHaveLength(1)
    expect(await blog.listIncidents()).toEqual([])
  })

  it('is not sent unless the owner asked for it, nor during a maintenance', async () => {
    const shop = await fixture.createWebsite('shop.example')
    await fixture.run()
    await addSpike(shop)
    expect(await readAlerts()).toEqual([])
    const now = fixture.clock.now()
    const maintenance = {
      title: 'Move',
      monitor_ids: [blog.monitorId],
      starts_at: now.toISOString(),
      ends_at: addMs(now, 120 * MINUTE_MS).toISOString(),
    }
    expect((await fixture.owner.session.post('/api/maintenances', maintenance)).status).toBe(201)
    await addSpike()
    expect(await readAlerts()).toEqual([])
  })

  it('is not sent for a website with too little history', async () => {
    const youngWebsite = await fixture.createWebsite('young.example', { days: 7, settings: { watch_spikes: true } })
    await fixture.run()
    await addSpike(youngWebsite)
    expect(await readAlerts()).toEqual([])
  })
})

describe('a website that is watched for spikes alone', () => {
  it('gets no incident when its visits stop', async () => {
    for (let n = 0; n < 4; n++) await fixture.advance(30)
    expect([(await blog.getMonitor()).status, await blog.listIncidents()]).toEqual(['up', []])
  })
})
