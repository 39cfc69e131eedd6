/** Two servers share one database: each collects events, and both return the same statistics. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runBatch } from '../../src/storage/batch.ts'
import type { Queries } from '../../src/storage/transaction.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { Rollup } from '../../src/traffic/rollup/rollup.ts'
import { lockTraffic } from '../../src/traffic/rollup/store.ts'
import { TrafficThreads } from '../../src/traffic/threads/traffic-threads.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { countViewsByPage, expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, fetchOverview, fetchStatistics, sendEvent, sendView } from '../support/traffic.ts'

const today = 'from=2026-01-05&to=2026-01-05'

let database: TestDatabase
let nodeA: TestServer
let nodeB: TestServer
let ada: TestUser
/** Ada's session at node B. */
let sessionAtB: TestUser['session']
let siteCount = 0
let domain: string
let siteId: number
let queryRows: QueryRows

beforeAll(async () => {
  database = await createTestDatabase()
  // On a busy machine, a query can wait longer for the rollup than the default allows.
  const env = { BELFRY_DATABASE_TIMEOUT: '60' }
  nodeA = await startTestServer({ database, env })
  nodeB = await startTestServer({ database, env, clock: nodeA.clock })
  ada = await nodeA.createUser('ada')
  sessionAtB = nodeB.anyone.as(ada.session.credentials)
  queryRows = (sql, values) => nodeA.services.db.query(sql, values) as never
})
afterAll(async () => {
  await Promise.all([nodeA?.close(), nodeB?.close()])
  await database?.drop()
})

beforeEach(async () => {
  nodeA.clock.reset()
  domain = `site-${++siteCount}.example.com`
  siteId = await createSite(ada, domain)
})

function createEvent(n: number, fields: Partial<TrafficEvent> = {}): TrafficEvent {
  return {
    websiteId: siteId,
    kind: 'view',
    at: Date.parse('2026-01-05T08:00:00Z') + n * 1_000,
    day: '2026-01-05',
    hour: 8,
    visitor: 1 + (n % 17),
    page: `/${n}`,
    source: 'Direct',
    ...fields,
  }
}

describe('two nodes', () => {
  it('see one visitor and one visit when a visitor switches between them', async () => {
    for (let n = 0; n < 10; n++) {
      await sendView(n % 2 === 0 ? nodeA : nodeB, domain, `/${n}`)
      nodeA.clock.advance({ minutes: 20 })
    }
    for (const client of [ada.session, sessionAtB]) {
      const { totals } = await fetchOverview(client, siteId, today)
      expect(totals).toMatchObject({ visitors: 1, visits: 1, pageviews: 10, bounce_rate: 0, visit_duration: 10_800 })
      expect(await fetchStatistics(client, siteId, `name=landing_page&${today}`)).toEqual([{ value: '/0', count: 1 }])
      expect(await fetchStatistics(client, siteId, `name=exit_page&${today}`)).toEqual([{ value: '/9', count: 1 }])
    }
    await expectCountsMatchEvents(queryRows)
  })

  it('count every event that either node acknowledged before the query, and no event that was not sent', async () => {
    let sentCount = 0
    let acknowledgedCount = 0
    let isDone = false
    const visitors = Array.from({ length: 8 }, async (_, n) => {
      while (!isDone) {
        const path = `/concurrent/${sentCount++}`
        await sendView(sentCount % 3 === 0 ? nodeA : nodeB, domain, path, { address: `81.2.69.${n}` })
        acknowledgedCount++
      }
    })
    const wrongCounts: string[] = []
    const checkRepeatedly = async (query: () => Promise<number>) => {
      for (let n = 0; n < (isFaultsRun ? 15 : 8); n++) {
        const acknowledgedCountBefore = acknowledgedCount
        const count = await query()
        if (count < acknowledgedCountBefore || count > sentCount)
          wrongCounts.push(`${count}, not ${acknowledgedCountBefore} to ${sentCount}`)
      }
    }
    const queryPageviews = (client: TestUser['session']) => async () =>
      (await fetchOverview(client, siteId, today)).totals.pageviews as number
    const querySeries = (client: TestUser['session']) => async () =>
      (await fetchStatistics(client, siteId, `name=pageviews&${today}`))[0]?.count ?? 0
    const checks = [ada.session, sessionAtB].flatMap((client) => [
      checkRepeatedly(queryPageviews(client)),
      checkRepeatedly(querySeries(client)),
    ])
    await Promise.allSettled(checks)
    isDone = true
    await Promise.all([...checks, ...visitors])
    expect(wrongCounts).toEqual([])
    expect(await querySeries(sessionAtB)()).toBe(sentCount)
    const pages = await countViewsByPage(queryRows)
    for (let n = 0; n < sentCount; n++) expect(pages.get(`/concurrent/${n}`)).toBe(1)
    await expectCountsMatchEvents(queryRows)
  })

  it('count every batch once when several rollups run at the same time', async () => {
    const { db, log } = nodeA.services
    const batches = Array.from({ length: isFaultsRun ? 60 : 30 }, (_, batch) =>
      Array.from({ length: 25 }, (_, n) => createEvent(batch * 25 + n)),
    )
    for (const batch of batches) await insertBatch(db, batch)
    const smallRollups = [nodeA, nodeB].map(
      ({ services }) => new Rollup({ db: services.db, log, sliceEvents: 60, threads: new TrafficThreads() }),
    )
    const rollups = [nodeA.services.rollup, nodeB.services.rollup, ...smallRollups]
    await Promise.all(rollups.flatMap((rollup) => [rollup.rollUpAll(), rollup.rollUpWebsite(siteId)]))
    expect(await queryRows('select from event_inbox where fault is null')).toEqual([])
    const { totals } = await fetchOverview(sessionAtB, siteId, today)
    expect(totals).toMatchObject({ visitors: 17, pageviews: isFaultsRun ? 1_500 : 750 })
    await expectCountsMatchEvents(queryRows)
  })

  it('process events by their time, whichever node stored them first', async () => {
    const { db } = nodeA.services
    const atMinute = (minute: number) => ({ at: Date.parse('2026-01-05T08:00:00Z') + minute * 60_000, visitor: 5 })
    await insertBatch(db, [createEvent(2, { ...atMinute(20), source: 'Google' }), createEvent(3, atMinute(25))])
    await insertBatch(db, [createEvent(0, { ...atMinute(0), source: 'Bing' }), createEvent(1, atMinute(10))])
    const { totals, panels } = await fetchOverview(sessionAtB, siteId, today)
    expect(totals).toMatchObject({ visits: 1, pageviews: 4, visit_duration: 1_500 })
    const { landing_page, exit_page, source } = panels
    expect([landing_page, exit_page, source]).toEqual([
      [{ value: '/0', count: 1 }],
      [{ value: '/3', count: 1 }],
      [{ value: 'Bing', count: 1 }],
    ])
  })

  it('do not wait for a third node that hangs during a rollup', async () => {
    const thirdClient = new pg.Client(database.connection)
    const connectionEnd = new Promise<void>((resolve) => thirdClient.on('error', () => {}).on('end', resolve))
    await thirdClient.connect()
    await thirdClient.query('begin')
    await lockTraffic({ batch: (...statements) => runBatch(thirdClient, statements) } as Queries)
    await sendView(nodeA, domain, '/during-rollup')
    expect((await fetchOverview(sessionAtB, siteId, today)).totals.pageviews).toBe(1)
    await connectionEnd
  })
})

describe('a batch that cannot be rolled up', () => {
  /** Batches that another version of Belfry or a damaged disk could leave in the inbox. */
  const invalidBatches = {
    'truncated JSON': '[{"websiteId":',
    'an array without events': '[null]',
    'an impossible time': (id: number) => JSON.stringify([{ ...createEvent(1), websiteId: id, at: 1e300 }]),
    'a page too long for the index': (id: number) =>
      JSON.stringify([{ ...createEvent(1), websiteId: id, page: `/${randomBytes(4_000).toString('base64')}` }]),
  }

  it.each(Object.entries(invalidBatches))(
    '(%s) stays in the inbox with its error, is logged, and does not block other batches',
    async (_, text) => {
      const { db } = nodeA.services
      const neighbourId = await createSite(ada, `neighbour.${domain}`)
      const events = typeof text === 'string' ? text : text(siteId)
      await insertBatch(db, [createEvent(1), createEvent(2, { websiteId: neighbourId })])
      await queryRows('insert into event_inbox (size, websites, events) values (1, $1, $2)', [[siteId], events])
      await insertBatch(db, [createEvent(3), createEvent(4, { websiteId: neighbourId })])
      for (const id of [neighbourId, siteId]) {
        expect((await fetchOverview(sessionAtB, id, today)).totals).toMatchObject({ pageviews: 2 })
        expect((await fetchOverview(ada.session, id, today)).totals).toMatchObject({ pageviews: 2 })
      }
      const remainingBatches = await queryRows<{ id: number; events: string; fault: string }>(
        'select id, events, fault from event_inbox where websites = $1',
        [[siteId]],
      )
      expect(remainingBatches).toEqual([{ id: expect.any(Number), events, fault: expect.stringMatching(/./) }])
      const logLines = [...nodeA.logLines, ...nodeB.logLines].filter((line) =>
        line.includes(`"batch":${remainingBatches[0]?.id},`),
      )
      expect(logLines).toEqual([expect.stringContaining('cannot roll up a batch of events')])
      await expectCountsMatchEvents(queryRows)
    },
  )
})

describe('the first events of a day', () => {
  it('belong to one visitor even if they reach both nodes at the same time', async () => {
    nodeA.clock.advance({ days: 1 })
    await Promise.all(Array.from({ length: 12 }, (_, n) => sendView(n % 2 === 0 ? nodeA : nodeB, domain, `/${n}`)))
    const { totals } = await fetchOverview(sessionAtB, siteId, 'from=2026-01-06&to=2026-01-06')
    expect(totals).toMatchObject({ visitors: 1, visits: 1, pageviews: 12 })
    expect(await queryRows(`select from visitor_salts where day = '2026-01-06'`)).toHaveLength(1)
  })
})

describe('an owner who waits at one node', () => {
  it('learns about events that arrive at the other node', async () => {
    const path = `/api/v1/websites/${siteId}/arrivals`
    expect((await ada.session.get(path)).body.data).toEqual([])
    await sendEvent(nodeB, { n: 'pageview', u: `https://${domain}/`, d: 'typo.example' })
    await nodeB.services.eventIntake.stop()
    expect((await ada.session.get(path)).body.data).toMatchObject([{ reason: 'unknown_site', domain: 'typo.example' }])
  })
})
