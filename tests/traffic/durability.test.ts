/** Acknowledged events are stored, and events that cannot be stored are refused. */
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../src/app/create-app.ts'
import { parseEventBody } from '../../src/traffic/collect/body.ts'
import { Collector } from '../../src/traffic/collect/collector.ts'
import { connectToPostgres, type TestDatabase } from '../support/database.ts'
import { countViewsByPage, expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { browsers, createSite, fetchOverview, sendEvent, sendView } from '../support/traffic.ts'

const today = 'from=2026-01-05&to=2026-01-05'

let database: TestDatabase
let server: TestServer
let ada: TestUser
let siteCount = 0
let domain: string
let site: number
let rows: QueryRows

beforeAll(async () => {
  server = await startTestServer()
  database = server.database
  ada = await server.createUser('ada')
  rows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(() => server?.close())
beforeEach(async () => {
  domain = `site-${++siteCount}.example.com`
  site = await createSite(ada, domain)
})

const visit = (path: string) => ({ n: 'pageview', u: `https://${domain}${path}`, d: domain })

/** Blocks all writes to the inbox until it is released. */
async function lockInbox() {
  const client = new pg.Client(database.connection)
  await client.connect()
  await client.query('begin; lock table belfry.event_inbox in exclusive mode')
  const isBlocking = async () => {
    await client.query('select pg_stat_clear_snapshot()')
    const { rows } = await client.query(
      'select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))',
    )
    return rows.length > 0
  }
  return {
    async waitUntilBlocking() {
      await vi.waitFor(async () => expect(await isBlocking()).toBe(true), { timeout: 20_000, interval: 20 })
    },
    release: () => client.end(),
  }
}

describe('an event', () => {
  it('is acknowledged only after its commit', async () => {
    await sendView(server, domain, '/before')
    const lock = await lockInbox()
    let hasResponse = false
    const response = sendEvent(server, visit('/blocked')).finally(() => {
      hasResponse = true
    })
    await lock.waitUntilBlocking()
    // Other requests are served in the meantime.
    expect((await server.anyone.get('/healthz')).status).toBe(200)
    expect(hasResponse).toBe(false)
    await lock.release()
    expect((await response).status).toBe(202)
    expect((await fetchOverview(ada.session, site, today)).totals.pageviews).toBe(2)
  })

  it('is refused while the database is unavailable, and accepted afterwards', async () => {
    await sendView(server, domain, '/before')
    const client = await connectToPostgres()
    const name = database.connection.database
    try {
      await client.query(`alter database ${name} allow_connections false`)
      // These are being written when their connections are closed.
      const pending = Array.from({ length: 40 }, (_, n) => sendEvent(server, visit(`/pending/${n}`)))
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = user',
        [name],
      )
      const interrupted = await Promise.all(pending)
      for (const { status } of interrupted) expect([202, 503]).toContain(status)
      for (let n = 0; n < 3; n++) {
        const refused = await sendEvent(server, visit(`/refused/${n}`))
        expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(refused.headers.get('access-control-allow-origin')).toBe('*')
        expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After')
      }
      await client.query(`alter database ${name} allow_connections true`)
      await sendView(server, domain, '/after')
      const { totals } = await fetchOverview(ada.session, site, today)
      const pages = await countViewsByPage(rows)
      let storedCount = 0
      for (const [n, { status }] of interrupted.entries()) {
        const count = pages.get(`/pending/${n}`) ?? 0
        expect(count).toBeGreaterThanOrEqual(status === 202 ? 1 : 0)
        expect(count).toBeLessThanOrEqual(1)
        storedCount += count
      }
      expect(pages.has('/refused/0')).toBe(false)
      expect(totals.pageviews).toBe(storedCount + 2)
      await expectCountsMatchEvents(rows)
    } finally {
      await client.query(`alter database ${name} allow_connections true`)
      await client.end()
    }
  })
})

describe('arbitrary input', () => {
  const pieces = [
    ...['\0', '\u0001', '\ud800', '\udc00', '\u2028', '\ufeff', '\uffff', '\n', '😀'.repeat(400), 'ä'.repeat(3_000)],
    ...['{}', '{NULL}', 'null', '"', '\\', "'", ',', '%', '%00', '%ED%A0%80', '%F0%9F', '%C0%80', 'x'.repeat(1_990)],
  ]

  // A batch that fails is set aside, together with events of other websites.
  it('is refused or counted, and never makes a batch fail', async () => {
    let storedCount = 0
    const spellings = pieces.flatMap((piece) => [piece, `a${piece}b`, encodeURIComponent(piece.toWellFormed())])
    const bodies = spellings.flatMap((text) => [
      visit(`/${text}`),
      visit(`/?utm_campaign=${text}&utm_source=${text}&ref=${text}&gclid=${text}`),
      { ...visit(`/#${text}`), h: 1 },
      { ...visit('/'), r: `https://example.net/${text}` },
      { ...visit('/'), r: `https://${text}.example.net/` },
      { ...visit('/'), r: `android-app://${text}/` },
      { ...visit('/'), n: text, p: { [text]: text } },
      { ...visit('/'), n: 'pageview', d: `${text}.${domain}`, s: text },
      { ...visit('/'), n: 'engagement', e: 1e308 },
    ])
    for (let start = 0; start < bodies.length; start += 50) {
      const responses = await Promise.all(bodies.slice(start, start + 50).map((body) => sendEvent(server, body)))
      for (const { status } of responses) expect([202, 400]).toContain(status)
      storedCount += responses.filter(
        ({ status, headers }) => status === 202 && !headers.has('x-belfry-dropped'),
      ).length
    }
    const { totals } = await fetchOverview(ada.session, site, today)
    expect(totals.pageviews + totals.events + spellings.length).toBe(storedCount)
    expect(await rows('select fault from event_inbox')).toEqual([])
    await expectCountsMatchEvents(rows)
  })
})

describe('a lost database connection', () => {
  it('fails its transaction and leaves the server running, even between two statements', async () => {
    const client = await connectToPostgres()
    const transaction = server.services.db.transaction(async (q) => {
      const [row] = await q.query('select pg_backend_pid() as pid')
      await client.query('select pg_terminate_backend($1)', [row?.['pid']])
      // Waits until the error has arrived: without a listener it would end the process.
      while ((await client.query('select from pg_stat_activity where pid = $1', [row?.['pid']])).rows.length > 0);
      await server.anyone.get('/healthz')
      await q.query('select 1')
    })
    await expect(transaction).rejects.toMatchObject({ code: 'unavailable' })
    await sendView(server, domain, '/afterwards')
    expect((await fetchOverview(ada.session, site, today)).totals.pageviews).toBe(1)
    await client.end()
  })
})

describe('a full queue', () => {
  const headers = { 'content-type': 'text/plain', 'user-agent': browsers.chrome.agent }

  it('refuses further events and stores those it holds', async () => {
    const maxQueuedEvents = 30
    const { clock, config, db, log } = server.services
    const collector = new Collector({ clock, config, db, log, maxQueuedEvents })
    const app = await createApp({ ...server.services, collector })
    const post = (path: string) =>
      app.inject({ method: 'POST', url: '/api/event', headers, payload: JSON.stringify(visit(path)) })
    expect((await post('/first')).statusCode).toBe(202)
    const lock = await lockInbox()
    // One batch is blocked, then a second; all further events have to wait.
    const [first, second] = [
      post('/first-batch'),
      Promise.all(Array.from({ length: 24 }, (_, n) => post(`/second-batch/${n}`))),
    ]
    await lock.waitUntilBlocking()
    const waiting = Array.from({ length: maxQueuedEvents * 3 }, (_, n) => post(`/waiting/${n}`))
    const refused = await Promise.race([
      Promise.any(
        waiting.map((post) => post.then((response) => (response.statusCode === 503 ? response : Promise.reject()))),
      ),
      first.then(() => undefined),
    ])
    expect(refused?.json()).toMatchObject({ code: 'unavailable' })
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused?.headers['access-control-allow-origin']).toBe('*')
    await lock.release()
    const responses = [await first, ...(await second), ...(await Promise.all(waiting))]
    const accepted = responses.filter(({ statusCode }) => statusCode === 202).length
    expect(responses.length - accepted).toBeGreaterThanOrEqual(maxQueuedEvents)
    expect(accepted).toBeGreaterThanOrEqual(maxQueuedEvents)
    expect((await fetchOverview(ada.session, site, today)).totals.pageviews).toBe(accepted + 1)
    await app.close()
  })

  it('is also limited in bytes', async () => {
    const { clock, config, db, log } = server.services
    const collector = new Collector({ clock, config, db, log })
    const received = {
      sent: parseEventBody(JSON.stringify(visit('/large'))),
      at: server.clock.now().getTime(),
      clientIp: '81.2.69.142',
      userAgent: browsers.chrome.agent,
      headers: {},
    }
    const mebibyte = 1_048_576
    const accepted: Promise<unknown>[] = []
    expect(() => {
      for (let n = 0; n < 100; n++) accepted.push(collector.enqueue(received, mebibyte))
    }).toThrow('Too many events are waiting to be stored. Try again later.')
    expect(accepted.length).toBe(30)
    // The queue accepts events again once these are written.
    expect(await Promise.all(accepted)).toEqual(accepted.map(() => undefined))
    expect(await collector.enqueue(received, mebibyte)).toBeUndefined()
  })
})
