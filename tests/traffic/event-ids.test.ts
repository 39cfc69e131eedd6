/** An event with an id counts once, and an event that was refused is not counted. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { deleteExpiredEventIds } from '../../src/traffic/inbox/store.ts'
import { countRowsReadBy } from '../support/read-rows.ts'
import { countViewsByPage, expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { createSite, fetchOverview, sendEvent, sendView } from '../support/traffic.ts'

let server: TestServer
let otherNode: TestServer
let ada: TestUser
let siteCount = 0
let domain: string
let siteId: number
let queryRows: QueryRows

beforeAll(async () => {
  server = await startTestServer()
  otherNode = await startTestServer({ database: server.database, clock: server.clock })
  ada = await server.createUser('ada')
  queryRows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(async () => {
  await otherNode?.close()
  await server?.close()
})
beforeEach(async () => {
  domain = `site-${++siteCount}.example.com`
  siteId = await createSite(ada, domain)
})

const createView = (path: string, fields: object = {}) => ({
  n: 'pageview',
  u: `https://${domain}${path}`,
  d: domain,
  ...fields,
})
const dropReasonOf = ({ headers }: { headers: Headers }) => headers.get('x-belfry-dropped')
const countViews = async (id = siteId) => (await fetchOverview(ada.session, id)).totals.pageviews

describe('an event with an id', () => {
  it('counts once in ten minutes, and a repeated request is accepted', async () => {
    const body = createView('/', { id: 'order-7' })
    expect(dropReasonOf(await sendEvent(server, body))).toBe(null)
    for (const seconds of [0, 300, 299]) {
      server.clock.advance({ seconds })
      const repeatedResponse = await sendEvent(server, body)
      expect([repeatedResponse.status, dropReasonOf(repeatedResponse)]).toEqual([202, 'duplicate'])
    }
    expect(await countViews()).toBe(1)
    server.clock.advance({ seconds: 1 })
    expect(dropReasonOf(await sendEvent(server, body))).toBe(null)
    expect(await countViews()).toBe(2)
    await expectCountsMatchEvents(queryRows)
  })

  it('counts once if it is sent many times at the same time, to two nodes', async () => {
    const ids = Array.from({ length: 6 }, () => randomUUID())
    const bodies = ids.flatMap((id) => Array.from({ length: 8 }, () => createView(`/${id}`, { id })))
    const responses = await Promise.all(
      bodies.flatMap((body, n) => [
        sendEvent(n % 2 === 0 ? server : otherNode, body),
        sendEvent(server, createView('/without-id')),
      ]),
    )
    expect(responses.every(({ status }) => status === 202)).toBe(true)
    expect(responses.filter((response) => dropReasonOf(response) === 'duplicate')).toHaveLength(42)
    expect(await countViews()).toBe(6 + 48)
    const pages = await countViewsByPage(queryRows)
    expect(ids.map((id) => pages.get(`/${id}`))).toEqual(ids.map(() => 1))
    await expectCountsMatchEvents(queryRows)
  })

  it('counts once for each website that it names', async () => {
    const otherDomain = `other-${domain}`
    const otherId = await createSite(ada, otherDomain)
    await sendEvent(server, createView('/', { id: 7 }))
    const viewOfBothSites = createView('/', { id: '7', d: `${domain},${otherDomain}` })
    expect(dropReasonOf(await sendEvent(server, viewOfBothSites))).toBe(null)
    expect(dropReasonOf(await sendEvent(server, viewOfBothSites))).toBe('duplicate')
    expect([await countViews(), await countViews(otherId)]).toEqual([1, 1])
  })

  it('that was dropped can be sent again', async () => {
    await ada.session.put(`/api/v1/websites/${siteId}`, { exclude_ips: '81.2.69.142' })
    const body = createView('/', { id: 'excluded' })
    expect(dropReasonOf(await sendEvent(server, body))).toBe('ip')
    await ada.session.put(`/api/v1/websites/${siteId}`, { exclude_ips: null })
    expect(dropReasonOf(await sendEvent(server, body))).toBe(null)
    expect(await countViews()).toBe(1)
  })

  it('is stored only as a hash, which is deleted after ten minutes', async () => {
    await sendEvent(server, createView('/', { id: 'secret-order' }))
    const job = createJob('delete expired event ids', server.services)
    const countIds = async () => (await queryRows<{ count: number }>('select count(*) from event_ids'))[0]?.count
    await job.start()
    await job.stop()
    expect(await countIds()).toBeGreaterThan(0)
    const rows = await queryRows('select * from event_ids')
    expect(JSON.stringify(rows)).not.toContain('secret')
    server.clock.advance({ seconds: 600 })
    const laterJob = createJob('delete expired event ids', server.services)
    await laterJob.start()
    await laterJob.stop()
    expect(await countIds()).toBe(0)
  })

  it.each([
    ['x'.repeat(65), '`id` must have at most 64 characters.'],
    ['', '`id` must not be empty.'],
    [true, '`id` must be a string or a number.'],
    [{}, '`id` must be a string or a number.'],
    [['a'], '`id` must be a string or a number.'],
  ])('is refused if the id is %j', async (id, detail) => {
    const { status, body } = await sendEvent(server, createView('/', { id }))
    expect([status, body.detail]).toEqual([400, detail])
  })

  it('can have any text or number, or null for none', async () => {
    for (const id of ['\0', '\ud800', '😀'.repeat(32), 0, -1.5, 1e300, ' ']) {
      expect(dropReasonOf(await sendEvent(server, createView('/', { id })))).toBe(null)
      expect(dropReasonOf(await sendEvent(server, createView('/', { id })))).toBe('duplicate')
    }
    for (let n = 0; n < 2; n++) expect(dropReasonOf(await sendEvent(server, createView('/', { id: null })))).toBe(null)
    expect(await countViews()).toBe(9)
  })
})

describe('a batch whose connection is lost', () => {
  /** A node that is connected through `proxy`. */
  let node: TestServer
  let proxy: TcpProxy
  beforeAll(async () => {
    const { connection } = server.database
    proxy = await startTcpProxy(`${connection.host}/.s.PGSQL.${connection.port}`)
    const source = { ...server.database.source, connection: { ...connection, host: '127.0.0.1', port: proxy.port } }
    node = await startTestServer({ database: { ...server.database, source }, clock: server.clock })
  })
  afterAll(async () => {
    await node?.close()
    await proxy?.close()
  })

  it('is acknowledged if it was committed, and stored once', async () => {
    await sendView(node, domain, '/before')
    proxy.loseResponseTo('/committed')
    const response = await sendEvent(node, createView('/committed'))
    expect([response.status, dropReasonOf(response)]).toEqual([202, null])
    const paths = ['/with-id', '/without-id']
    const pair = () => paths.map((path) => sendEvent(node, createView(path, path === '/with-id' ? { id: 'pair' } : {})))
    await Promise.all(pair())
    proxy.loseResponseTo('/without-id')
    const responses = await Promise.all(pair())
    expect(responses.map(({ status }) => status)).toEqual([202, 202])
    expect(await countViews()).toBe(5)
    await expectCountsMatchEvents(queryRows)
  })

  it('is stored by another attempt if it was not committed', async () => {
    await sendView(node, domain, '/before')
    const client = new pg.Client(server.database.connection)
    await client.connect()
    await client.query('begin; lock table belfry.event_inbox in exclusive mode')
    const response = sendEvent(node, createView('/interrupted', { id: 'interrupted' }))
    await vi.waitFor(
      async () => {
        await client.query('select pg_stat_clear_snapshot()')
        const { rowCount } = await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))`,
        )
        expect(rowCount).toBeGreaterThan(0)
      },
      { timeout: 20_000, interval: 20 },
    )
    await client.end()
    expect([(await response).status, dropReasonOf(await response)]).toEqual([202, null])
    expect(await countViews()).toBe(2)
  })

  it('that was refused is not stored when a stalled connection continues', async () => {
    await sendView(node, domain, '/before')
    proxy.stall()
    const response = await sendEvent(node, createView('/refused'))
    expect(response.status).toBe(503)
    proxy.resume()
    // The node works again, so the proxy has forwarded everything that it held back.
    await vi.waitFor(async () => expect((await sendEvent(node, createView('/after'))).status).toBe(202), {
      timeout: 20_000,
    })
    await countViews()
    expect([...(await countViewsByPage(queryRows)).keys()]).not.toContain('/refused')
  })
})

describe('ids that have expired', () => {
  const addIds = (count: number, minutesAgo: number) =>
    server.services.db.query(
      `insert into event_ids (key, at)
       select gen_random_uuid(), $2::timestamptz - $3 * interval '1 minute' from generate_series(1, $1) returning key`,
      [count, server.clock.now(), minutesAgo],
    )

  it('are deleted without reading ids that have not expired', async () => {
    const { db } = server.services
    await addIds(20_000, 5)
    await addIds(2_000, 10)
    await db.withConnection((client) => client.query('analyze belfry.event_ids'))
    const readRows = await countRowsReadBy(db, (q) => deleteExpiredEventIds(q, server.clock.now()))
    expect(readRows).toBeLessThanOrEqual(3 * 2_000)
    const remainingIds = await db.query('select count(*) as count from event_ids where at <= $1', [
      new Date(server.clock.now().getTime() - 10 * 60_000),
    ])
    expect(remainingIds).toEqual([{ count: 0 }])
  })

  it('stay if another event uses the same id while they are being deleted', async () => {
    const { db } = server.services
    const [expiredId] = await addIds(1, 10)
    let deletion: Promise<void> | undefined
    await db.transaction(async (q) => {
      await q.query('update event_ids set at = $2 where key = $1', [expiredId?.['key'], server.clock.now()])
      deletion = deleteExpiredEventIds(db.on('background'), server.clock.now())
      const waitingSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await vi.waitFor(async () => expect(await db.query(waitingSql)).not.toEqual([]), {
        timeout: 20_000,
        interval: 10,
      })
    })
    await deletion
    expect(await db.query('select from event_ids where key = $1', [expiredId?.['key']])).toHaveLength(1)
  })
})
