/** An event that was acknowledged is kept, and what cannot be kept is refused. */
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '../../src/app/create-app.ts'
import { parseEventBody } from '../../src/traffic/collect/body.ts'
import { Collector } from '../../src/traffic/collect/collector.ts'
import { connectPlainly, type TestDatabase } from '../support/database.ts'
import { expectCountedRight, pagesOf, type Rows } from '../support/recount.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { browsers, createSite, overview, send, view } from '../support/traffic.ts'

const today = 'from=2026-01-05&to=2026-01-05'

let database: TestDatabase
let server: TestServer
let ada: Person
let sites = 0
let domain: string
let site: number
let rows: Rows

beforeAll(async () => {
  server = await startTestServer()
  database = server.database
  ada = await server.person('ada')
  rows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(() => server?.close())
beforeEach(async () => {
  domain = `site-${++sites}.example.com`
  site = await createSite(ada, domain)
})

const visit = (path: string) => ({ n: 'pageview', u: `https://${domain}${path}`, d: domain })

/** Nobody can write to the inbox until it is let go. */
async function holdInbox() {
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
    async untilBlocking() {
      while (!(await isBlocking()));
    },
    release: () => client.end(),
  }
}

describe('an event', () => {
  it('is acknowledged after its commit, and not before', async () => {
    await view(server, domain, '/before')
    const hold = await holdInbox()
    let isAnswered = false
    const answer = send(server, visit('/held')).finally(() => {
      isAnswered = true
    })
    await hold.untilBlocking()
    // Whatever else is asked meanwhile is answered.
    expect((await server.anyone.get('/healthz')).status).toBe(200)
    expect(isAnswered).toBe(false)
    await hold.release()
    expect((await answer).status).toBe(202)
    expect((await overview(ada.session, site, today)).totals.pageviews).toBe(2)
  })

  it('is refused while the database is away, and taken when it is back', async () => {
    await view(server, domain, '/before')
    const plain = await connectPlainly()
    const name = database.connection.database
    try {
      await plain.query(`alter database ${name} allow_connections false`)
      // Some are under way when their connections are cut.
      const underway = Array.from({ length: 40 }, (_, n) => send(server, visit(`/underway/${n}`)))
      await plain.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = user',
        [name],
      )
      const cut = await Promise.all(underway)
      for (const { status } of cut) expect([202, 503]).toContain(status)
      for (let n = 0; n < 3; n++) {
        const refused = await send(server, visit(`/away/${n}`))
        expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(refused.headers.get('access-control-allow-origin')).toBe('*')
        expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After')
      }
      await plain.query(`alter database ${name} allow_connections true`)
      await view(server, domain, '/after')
      const { totals } = await overview(ada.session, site, today)
      const pages = await pagesOf(rows)
      let kept = 0
      for (const [n, { status }] of cut.entries()) {
        const count = pages.get(`/underway/${n}`) ?? 0
        expect(count).toBeGreaterThanOrEqual(status === 202 ? 1 : 0)
        expect(count).toBeLessThanOrEqual(1)
        kept += count
      }
      expect(pages.has('/away/0')).toBe(false)
      expect(totals.pageviews).toBe(kept + 2)
      await expectCountedRight(rows)
    } finally {
      await plain.query(`alter database ${name} allow_connections true`)
      await plain.end()
    }
  })
})

describe('whatever somebody makes up', () => {
  const pieces = [
    ...['\0', '\u0001', '\ud800', '\udc00', '\u2028', '\ufeff', '\uffff', '\n', '😀'.repeat(400), 'ä'.repeat(3_000)],
    ...['{}', '{NULL}', 'null', '"', '\\', "'", ',', '%', '%00', '%ED%A0%80', '%F0%9F', '%C0%80', 'x'.repeat(1_990)],
  ]

  /** A batch that is put aside takes everybody else's events in it along. */
  it('is refused or counted, and never a reason to put a batch aside', async () => {
    let kept = 0
    const spellings = pieces.flatMap((piece) => [piece, `a${piece}b`, encodeURIComponent(piece.toWellFormed())])
    const tries = spellings.flatMap((text) => [
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
    for (let at = 0; at < tries.length; at += 50) {
      const answers = await Promise.all(tries.slice(at, at + 50).map((body) => send(server, body)))
      for (const { status } of answers) expect([202, 400]).toContain(status)
      kept += answers.filter(({ status, headers }) => status === 202 && !headers.has('x-belfry-dropped')).length
    }
    const { totals } = await overview(ada.session, site, today)
    expect(totals.pageviews + totals.events + spellings.length).toBe(kept)
    expect(await rows('select fault from event_inbox')).toEqual([])
    await expectCountedRight(rows)
  })
})

describe('a connection that is cut', () => {
  it('while whoever has it is busy with something else costs them their transaction, and nobody the server', async () => {
    const plain = await connectPlainly()
    const cut = server.services.db.transaction(async (q) => {
      const [row] = await q.query('select pg_backend_pid() as pid')
      await plain.query('select pg_terminate_backend($1)', [row?.['pid']])
      // As long as it takes for the news to arrive: an error that nobody listens to would end the process.
      while ((await plain.query('select from pg_stat_activity where pid = $1', [row?.['pid']])).rows.length > 0);
      await server.anyone.get('/healthz')
      await q.query('select 1')
    })
    await expect(cut).rejects.toMatchObject({ code: 'unavailable' })
    await view(server, domain, '/afterwards')
    expect((await overview(ada.session, site, today)).totals.pageviews).toBe(1)
    await plain.end()
  })
})

describe('a queue that is full', () => {
  const headers = { 'content-type': 'text/plain', 'user-agent': browsers.chrome.agent }

  it('refuses what does not fit, and keeps what it holds', async () => {
    const most = 30
    const { clock, config, db, log } = server.services
    const collector = new Collector({ clock, config, db, log, waitingMost: most })
    const app = await createApp({ ...server.services, collector })
    const post = (path: string) =>
      app.inject({ method: 'POST', url: '/api/event', headers, payload: JSON.stringify(visit(path)) })
    expect((await post('/first')).statusCode).toBe(202)
    const hold = await holdInbox()
    // One batch is on its way and cannot be written; a second follows it; then they wait.
    const [first, second] = [post('/underway'), Promise.all(Array.from({ length: 24 }, (_, n) => post(`/second/${n}`)))]
    await hold.untilBlocking()
    const waiting = Array.from({ length: most * 3 }, (_, n) => post(`/waiting/${n}`))
    const refused = await Promise.race([
      Promise.any(
        waiting.map((answer) => answer.then((found) => (found.statusCode === 503 ? found : Promise.reject()))),
      ),
      first.then(() => undefined),
    ])
    expect(refused?.json()).toMatchObject({ code: 'unavailable' })
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused?.headers['access-control-allow-origin']).toBe('*')
    await hold.release()
    const answers = [await first, ...(await second), ...(await Promise.all(waiting))]
    const taken = answers.filter(({ statusCode }) => statusCode === 202).length
    expect(answers.length - taken).toBeGreaterThanOrEqual(most)
    expect(taken).toBeGreaterThanOrEqual(most)
    expect((await overview(ada.session, site, today)).totals.pageviews).toBe(taken + 1)
    await app.close()
  })

  it('is full of large ones too', async () => {
    const { clock, config, db, log } = server.services
    const collector = new Collector({ clock, config, db, log })
    const arrival = {
      sent: parseEventBody(JSON.stringify(visit('/large'))),
      at: server.clock.now().getTime(),
      address: '81.2.69.142',
      userAgent: browsers.chrome.agent,
      headers: {},
    }
    const mebibyte = 1_048_576
    const taken: Promise<unknown>[] = []
    expect(() => {
      for (let n = 0; n < 100; n++) taken.push(collector.collect(arrival, mebibyte))
    }).toThrow('More events are waiting than this server can hold.')
    expect(taken.length).toBe(30)
    // Once they are written there is room again.
    expect(await Promise.all(taken)).toEqual(taken.map(() => undefined))
    expect(await collector.collect(arrival, mebibyte)).toBeUndefined()
  })
})
