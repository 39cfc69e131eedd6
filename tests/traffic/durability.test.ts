/** Acknowledged events are stored, and events that cannot be stored are refused. */
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../src/app/create-app.ts'
import { parseEventBody } from '../../src/traffic/collect/body.ts'
import { EventIntake } from '../../src/traffic/collect/intake.ts'
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
let siteId: number
let queryRows: QueryRows

beforeAll(async () => {
  server = await startTestServer()
  database = server.database
  ada = await server.createUser('ada')
  queryRows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(() => server?.close())
beforeEach(async () => {
  domain = `site-${++siteCount}.example.com`
  siteId = await createSite(ada, domain)
})

const createPageview = (path: string) => ({ n: 'pageview', u: `https://${domain}${path}`, d: domain })

/** Blocks all writes to the inbox until the lock is released. */
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
    const response = sendEvent(server, createPageview('/blocked')).finally(() => {
      hasResponse = true
    })
    await lock.waitUntilBlocking()
    // Other requests are served in the meantime.
    expect((await server.anyone.get('/healthz')).status).toBe(200)
    expect(hasResponse).toBe(false)
    await lock.release()
    expect((await response).status).toBe(202)
    expect((await fetchOverview(ada.session, siteId, today)).totals.pageviews).toBe(2)
  })

  it('is refused while the database is unavailable, and accepted afterwards', async () => {
    await sendView(server, domain, '/before')
    const client = await connectToPostgres()
    const name = database.connection.database
    try {
      await client.query(`alter database ${name} allow_connections false`)
      // These events are being written when their connections are closed.
      const pendingResponses = Array.from({ length: 40 }, (_, n) => sendEvent(server, createPageview(`/pending/${n}`)))
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = user',
        [name],
      )
      const interruptedResponses = await Promise.all(pendingResponses)
      for (const { status } of interruptedResponses) expect([202, 503]).toContain(status)
      for (let n = 0; n < 3; n++) {
        const refusedResponse = await sendEvent(server, createPageview(`/refused/${n}`))
        expect([refusedResponse.status, refusedResponse.body.code]).toEqual([503, 'unavailable'])
        expect(Number(refusedResponse.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(refusedResponse.headers.get('access-control-allow-origin')).toBe('*')
        expect(refusedResponse.headers.get('access-control-expose-headers')).toContain('Retry-After')
      }
      await client.query(`alter database ${name} allow_connections true`)
      await sendView(server, domain, '/after')
      const { totals } = await fetchOverview(ada.session, siteId, today)
      const pages = await countViewsByPage(queryRows)
      let storedCount = 0
      for (const [n, { status }] of interruptedResponses.entries()) {
        const count = pages.get(`/pending/${n}`) ?? 0
        expect(count).toBeGreaterThanOrEqual(status === 202 ? 1 : 0)
        expect(count).toBeLessThanOrEqual(1)
        storedCount += count
      }
      expect(pages.has('/refused/0')).toBe(false)
      expect(totals.pageviews).toBe(storedCount + 2)
      await expectCountsMatchEvents(queryRows)
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

  // If one event made its batch fail, Belfry would mark the whole batch as failed, including events of other websites.
  it('is refused or counted, and never makes a batch fail', async () => {
    let storedCount = 0
    const spellings = pieces.flatMap((piece) => [piece, `a${piece}b`, encodeURIComponent(piece.toWellFormed())])
    const bodies = spellings.flatMap((text) => [
      createPageview(`/${text}`),
      createPageview(`/?utm_campaign=${text}&utm_source=${text}&ref=${text}&gclid=${text}`),
      { ...createPageview(`/#${text}`), h: 1 },
      { ...createPageview('/'), r: `https://example.net/${text}` },
      { ...createPageview('/'), r: `https://${text}.example.net/` },
      { ...createPageview('/'), r: `android-app://${text}/` },
      { ...createPageview('/'), n: text, p: { [text]: text } },
      { ...createPageview('/'), n: 'pageview', d: `${text}.${domain}`, s: text },
      { ...createPageview('/'), n: 'engagement', e: 1e308 },
    ])
    for (let start = 0; start < bodies.length; start += 50) {
      const responses = await Promise.all(bodies.slice(start, start + 50).map((body) => sendEvent(server, body)))
      for (const { status } of responses) expect([202, 400]).toContain(status)
      storedCount += responses.filter(
        ({ status, headers }) => status === 202 && !headers.has('x-belfry-dropped'),
      ).length
    }
    const { totals } = await fetchOverview(ada.session, siteId, today)
    expect(totals.pageviews + totals.events + spellings.length).toBe(storedCount)
    expect(await queryRows('select fault from event_inbox')).toEqual([])
    await expectCountsMatchEvents(queryRows)
  })
})

describe('a lost database connection', () => {
  it('fails its transaction and leaves the server running, even between two statements', async () => {
    const client = await connectToPostgres()
    const transaction = server.services.db.transaction(async (q) => {
      const [row] = await q.query('select pg_backend_pid() as pid')
      await client.query('select pg_terminate_backend($1)', [row?.['pid']])
      // Wait until the server has received the error of the lost connection. Without a listener, this error would end
      // the process.
      while ((await client.query('select from pg_stat_activity where pid = $1', [row?.['pid']])).rows.length > 0);
      await server.anyone.get('/healthz')
      await q.query('select 1')
    })
    await expect(transaction).rejects.toMatchObject({ code: 'unavailable' })
    await sendView(server, domain, '/afterwards')
    expect((await fetchOverview(ada.session, siteId, today)).totals.pageviews).toBe(1)
    await client.end()
  })
})

const receiveEvent = (body: object) => ({
  sent: parseEventBody(JSON.stringify(body)),
  at: server.clock.now().getTime(),
  clientIp: '81.2.69.142',
  userAgent: browsers.chrome.agent,
  headers: {},
})

describe('a full queue', () => {
  const headers = { 'content-type': 'text/plain', 'user-agent': browsers.chrome.agent }

  it('refuses further events and stores the events that it holds', async () => {
    // A single website can use half of the queue.
    const maxQueuedEvents = 60
    const maxWaitingEvents = maxQueuedEvents / 2
    const { clock, config, db, log, metrics, secret } = server.services
    const eventIntake = new EventIntake({ clock, config, db, log, metrics, secret, maxQueuedEvents })
    const app = await createApp({ ...server.services, eventIntake })
    const post = (path: string) =>
      app.inject({ method: 'POST', url: '/api/event', headers, payload: JSON.stringify(createPageview(path)) })
    expect((await post('/first')).statusCode).toBe(202)
    const lock = await lockInbox()
    // One batch is blocked, then a second; all further events have to wait.
    const [firstBatch, secondBatch] = [
      post('/first-batch'),
      Promise.all(Array.from({ length: 24 }, (_, n) => post(`/second-batch/${n}`))),
    ]
    await lock.waitUntilBlocking()
    const waitingEvents = Array.from({ length: maxWaitingEvents * 3 }, (_, n) => post(`/waiting/${n}`))
    const refusedResponse = await Promise.race([
      Promise.any(
        waitingEvents.map((post) =>
          post.then((response) => (response.statusCode === 503 ? response : Promise.reject())),
        ),
      ),
      firstBatch.then(() => undefined),
    ])
    expect(refusedResponse?.json()).toMatchObject({ code: 'unavailable' })
    expect(Number(refusedResponse?.headers['retry-after'])).toBeGreaterThan(0)
    expect(refusedResponse?.headers['access-control-allow-origin']).toBe('*')
    await lock.release()
    const responses = [await firstBatch, ...(await secondBatch), ...(await Promise.all(waitingEvents))]
    const acceptedCount = responses.filter(({ statusCode }) => statusCode === 202).length
    expect(responses.length - acceptedCount).toBeGreaterThanOrEqual(maxWaitingEvents)
    expect(acceptedCount).toBeGreaterThanOrEqual(maxWaitingEvents)
    expect((await fetchOverview(ada.session, siteId, today)).totals.pageviews).toBe(acceptedCount + 1)
    await app.close()
  })

  it('also refuses events when it holds too many bytes', async () => {
    const { clock, config, db, log, metrics, secret } = server.services
    const eventIntake = new EventIntake({ clock, config, db, log, metrics, secret })
    const receivedEvent = receiveEvent(createPageview('/large'))
    const mebibyte = 1_048_576
    const acceptedEvents: Promise<unknown>[] = []
    expect(() => {
      for (let n = 0; n < 100; n++) acceptedEvents.push(eventIntake.enqueue(receivedEvent, mebibyte))
    }).toThrow('Too many events of this website are waiting to be stored. Try again later.')
    // One website can use half of the 32 MB. The other half is left for other websites.
    expect(acceptedEvents.length).toBe(15)
    // The queue accepts events again once the accepted events are written.
    expect(await Promise.all(acceptedEvents)).toEqual(acceptedEvents.map(() => undefined))
    expect(await eventIntake.enqueue(receivedEvent, mebibyte)).toBeUndefined()
  })

  it('of one website, or of unregistered websites, leaves room for the events of other websites', async () => {
    const { clock, config, db, log, metrics, secret } = server.services
    const eventIntake = new EventIntake({ clock, config, db, log, metrics, secret })
    // At 100 kB each, a few hundred events reach the limit of 32 MB.
    const enqueue = (path: string, d: string) =>
      eventIntake.enqueue(receiveEvent({ ...createPageview(path), d }), 100_000)
    const quietDomain = `quiet-${domain}`
    const quietId = await createSite(ada, quietDomain)
    await Promise.all([enqueue('/before', domain), enqueue('/before', quietDomain)])
    const lock = await lockInbox()
    const batches = Array.from({ length: 25 }, (_, n) => enqueue(`/batch/${n}`, domain))
    await lock.waitUntilBlocking()
    const queueUntilRefused = (floodDomain: string) => {
      const events: Promise<unknown>[] = []
      expect(() => {
        for (let n = 0; n < 50_000; n++) events.push(enqueue('/flood', floodDomain))
      }).toThrow(expect.objectContaining({ code: 'unavailable' }))
      return events
    }
    const floods = [...queueUntilRefused(domain), ...queueUntilRefused('unregistered.example')]
    const quietEvent = enqueue('/quiet', quietDomain)
    await lock.release()
    expect(await quietEvent).toBeUndefined()
    await Promise.all([...batches, ...floods])
    expect((await fetchOverview(ada.session, quietId, today)).totals.pageviews).toBe(2)
  })
})
