/** The public URLs of status pages: their formats, caching, and who sees what. */
import { readdir, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { hashCheaply } from '../support/cheap-hash.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import {
  changeStatus,
  insertStatusMaintenance,
  insertStatusMonitor,
  insertStatusPage,
  insertStatusPost,
} from '../support/status-pages.ts'

let server: TestServer
let owner: TestUser
let stranger: TestUser
let monitorId: number
const formats = ['', '.json', '.atom', '/feed.json', '/badge.svg', '/logo'] as const

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  stranger = await server.createUser('stranger')
  monitorId = await insertStatusMonitor(server.services.db, owner.id)
  await insertPage('open-page')
  await insertPage('own-page', { privacy: 1 })
  await insertPage('locked-page', { privacy: 2, passwordHash: await hashCheaply('open sesame') })
})
afterAll(() => server.close())

function insertPage(slug: string, options: Parameters<typeof insertStatusPage>[2] = {}): Promise<number> {
  const groups = [{ name: 'Services', monitors: [{ monitorId, label: 'Shop' }] }]
  return insertStatusPage(server.services.db, owner.id, { slug, title: `Title of ${slug}`, groups, ...options })
}

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.address}/status/${path}`, { headers, redirect: 'manual' })

const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${server.address}/status/${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
    redirect: 'manual',
  })

const readStatuses = (...slugs: string[]) => Promise.all(slugs.map(async (slug) => (await get(slug)).status))

const sessionOf = (user: TestUser) => ({ cookie: `belfry_session=${user.session.credentials.cookie}` })

describe('a public page', () => {
  it('has a content type for each format, and shows only the label of a monitor', async () => {
    const types = await Promise.all(
      [...formats.slice(0, 5), `/${monitorId}/badge.svg`].map(async (format) => {
        const response = await get(`open-page${format}`)
        const text = await response.text()
        expect(text).not.toContain('example.com/')
        return `${response.status} ${format} ${response.headers.get('content-type')} ${text.includes('Shop') || text.includes('open-page')}`
      }),
    )
    expect(types).toEqual([
      '200  text/html; charset=utf-8 true',
      '200 .json application/json; charset=utf-8 true',
      '200 .atom application/atom+xml; charset=utf-8 true',
      '200 /feed.json application/feed+json; charset=utf-8 true',
      '200 /badge.svg image/svg+xml; charset=utf-8 true',
      `200 /${monitorId}/badge.svg image/svg+xml; charset=utf-8 true`,
    ])
    expect((await get('open-page/logo')).status).toBe(404)
    expect((await get('open-page/badge.svg?type=nothing')).status).toBe(422)
    expect((await get(`open-page/${monitorId + 1}/badge.svg`)).status).toBe(404)
  })

  it('can be cached and is revalidated, in every encoding', async () => {
    const uncompressedResponse = await get('open-page', { 'accept-encoding': 'identity' })
    const { headers } = uncompressedResponse
    expect(headers.get('cache-control')).toBe('public, max-age=0, stale-if-error=86400')
    expect(headers.get('vary')).toBe('accept-encoding')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('set-cookie')).toBeNull()
    const text = await uncompressedResponse.text()
    const etags = new Set([headers.get('etag')])
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const { status, headers, body } = await requestBytes('GET', 'open-page', { 'accept-encoding': encoding })
      expect([status, headers['content-encoding']]).toEqual([200, encoding])
      expect(decode(body).toString()).toBe(text)
      expect(body.length).toBeLessThan(text.length / 2)
      const etag = String(headers['etag'])
      etags.add(etag)
      const revalidatedResponse = await requestBytes('GET', 'open-page', {
        'accept-encoding': encoding,
        'if-none-match': etag,
      })
      expect([
        revalidatedResponse.status,
        revalidatedResponse.headers['etag'],
        revalidatedResponse.body.length,
      ]).toEqual([304, etag, 0])
    }
    expect(etags.size).toBe(3)
    const head = await requestBytes('HEAD', 'open-page')
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      String(Buffer.byteLength(text)),
      0,
    ])
  })

  it('is rendered once, whatever hosts the requests name', async () => {
    const readEtags = async (format: string, hosts: string[]) => {
      const responses = hosts.map((host) => requestBytes('HEAD', `open-page${format}`, { host }))
      return new Set((await Promise.all(responses)).map(({ status, headers }) => `${status} ${headers['etag']}`))
    }
    const requestedFormats = ['', '.json', '.atom', '/feed.json', '/badge.svg']
    const hosts = Array.from({ length: 10 }, (_, n) => `host-${n}.example.com`)
    const etagCounts = []
    for (const format of requestedFormats) etagCounts.push((await readEtags(format, hosts)).size)
    expect(etagCounts).toEqual([1, 1, 1, 1, 1])
    const entry = server.services.statusPageCopies.entries.find(({ slug }) => slug === 'open-page')
    // The server draws a badge for every request, so it stores only the four other formats.
    expect(entry?.copy?.listUsedVariants().length).toBeLessThanOrEqual(4)
  })

  it('has one URL: other spellings are redirected', async () => {
    const locations = await Promise.all(
      ['Open-Page', 'OPEN-PAGE.json?x=1', 'open-page/', 'OPEN-page/feed.json', 'OPEN-page/badge.svg?type=uptime'].map(
        async (path) => {
          const response = await get(path)
          return `${response.status} ${new URL(response.headers.get('location') ?? '', response.url).href.slice(server.address.length)}`
        },
      ),
    )
    expect(locations).toEqual([
      '301 /status/open-page',
      '301 /status/open-page.json?x=1',
      '301 /status/open-page',
      '301 /status/open-page/feed.json',
      '301 /status/open-page/badge.svg?type=uptime',
    ])
  })

  it('shows a change of the database two seconds later, and a change by a request to this node immediately', async () => {
    const pageId = await insertPage('changing-page')
    const readTitle = async () => /<title>(.*?)<\/title>/.exec(await (await get('changing-page')).text())?.[1]
    expect(await readTitle()).toBe('All systems operational · Title of changing-page')
    await changeStatus(server.services.db, monitorId, 'down', server.clock.now())
    server.clock.advance({ seconds: 2.1 })
    await expect.poll(readTitle).not.toContain('All systems operational')
    await changeStatus(server.services.db, monitorId, 'up', server.clock.now())
    await owner.session.put(`/api/status-pages/${pageId}`, { title: 'New title' })
    await expect.poll(readTitle).toBe('All systems operational · New title')
    await owner.session.put(`/api/status-pages/${pageId}`, { slug: 'renamed-page' })
    await expect.poll(() => readStatuses('changing-page', 'renamed-page')).toEqual([404, 200])
    await owner.session.delete(`/api/status-pages/${pageId}`)
    await expect.poll(() => readStatuses('renamed-page')).toEqual([404])
  })
})

it('the response says when to retry if the pages of a user take too much time to render', async () => {
  const spender = await server.createUser('spender')
  await insertStatusPage(server.services.db, spender.id, { slug: 'known-page', title: 'Busy' })
  await insertStatusPage(server.services.db, spender.id, { slug: 'new-page', title: 'Busy' })
  await insertStatusPage(server.services.db, spender.id, { slug: 'busy-own-page', title: 'Busy', privacy: 1 })
  expect((await get('known-page/badge.svg')).status).toBe(200)
  server.services.statusPageCopies.renderBudget.charge(spender.id, 3_600_000)
  for (const slug of ['known-page', 'new-page', 'busy-own-page']) {
    const page = await get(slug, { ...sessionOf(spender), accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(1_000)
    expect(await page.text()).toContain('<p>This status page is requested too often at the moment. Try again in ')
    const json = await get(`${slug}.json`, sessionOf(spender))
    expect(Number(json.headers.get('retry-after'))).toBeGreaterThan(1_000)
    expect(await json.json()).toMatchObject({ status: 503, code: 'unavailable' })
  }
  // Pages of other users are still shown. To strangers, a private page still looks as if it didn't exist.
  expect(await readStatuses('open-page', 'busy-own-page')).toEqual([200, 404])
  await server.services.db.query('delete from status_pages where user_id = $1', [spender.id])
})

describe('the history of a page', () => {
  beforeAll(async () => {
    const { db } = server.services
    // The clock of the server shows 5 January 2026, 10:00 UTC. Months of this page begin at 23:00 UTC.
    const id = await insertStatusMonitor(db, owner.id, {
      status: 'down',
      monitoredSince: new Date('2025-11-20T00:00Z'),
      incidents: [
        { from: new Date('2025-12-31T22:59Z'), to: new Date('2025-12-31T23:11Z') },
        { from: new Date('2025-12-31T23:00Z'), to: new Date('2026-01-01T01:00Z') },
        { from: new Date('2026-01-05T09:00Z') },
      ],
    })
    const groups = [{ name: 'Services', monitors: [{ monitorId: id, label: 'Checkout' }] }]
    const options = { groups, timeZone: 'Europe/Berlin' }
    const pageId = await insertPage('history-page', options)
    await insertPage('own-history', { ...options, privacy: 1 })
    await insertStatusPost(db, owner.id, pageId, {
      title: 'Slow orders',
      updates: [{ state: 'resolved', body: 'All is **well**.', at: new Date('2025-12-10T08:00Z') }],
    })
    const window = {
      title: 'New disks',
      startsAt: new Date('2025-12-02T02:00Z'),
      endsAt: new Date('2025-12-02T03:00Z'),
    }
    await insertStatusMaintenance(db, owner.id, { ...window, monitorIds: [id] })
    await insertStatusMaintenance(db, owner.id, { ...window, title: 'Of other monitors', monitorIds: [monitorId] })
    const planned = { startsAt: new Date('2026-01-07T02:00Z'), endsAt: new Date('2026-01-07T03:00Z') }
    await insertStatusMaintenance(db, owner.id, { ...planned, title: 'Planned', monitorIds: [id] })
  })

  afterAll(() => server.services.db.query(`delete from status_pages where slug in ('history-page', 'own-history')`))

  const readText = async (path: string) =>
    (/<main.*<\/main>/s.exec(await (await get(path)).text())?.[0] ?? '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')

  it('lists by day what began in a month of its time zone, with links to the other months', async () => {
    const december = await readText('history-page/history/2025-12')
    expect(december).toContain('Checkout Resolved after 12 min')
    expect(december).toContain('31 December 2025')
    expect(december).toContain('Slow orders Resolved')
    expect(december).toContain('New disks Maintenance completed')
    expect(december).not.toMatch(/Of other monitors|Planned|1 January 2026/)
    expect(december).toMatch(/November 2025 January 2026/)
    const january = await readText('history-page/history')
    expect(january).toContain('Checkout Ongoing since 10:00 UTC+1')
    expect(january).toContain('1 January 2026 Checkout Resolved after 2 h')
    expect(january).not.toMatch(/February|Planned/)
    const november = await readText('history-page/history/2025-11')
    expect(november).toContain('No incidents or maintenance in November 2025.')
    expect(november).not.toContain('October')
    const { data } = (await (await get('history-page/history/2025-12.json')).json()) as {
      data: Record<string, object[]>
    }
    const { month, incidents, maintenances, posts } = data
    expect({ month, incidents: incidents?.length, maintenances: maintenances?.length }).toEqual({
      month: '2025-12',
      incidents: 1,
      maintenances: 1,
    })
    expect(posts).toMatchObject([
      { title: 'Slow orders', updates: [{ body_html: '<p>All is <strong>well</strong>.</p>\n' }] },
    ])
  })

  it('has no months before the first check and after the current month', async () => {
    expect(
      await readStatuses(
        ...['2025-10', '2026-02', '2026-1', 'x'].map((month) => `history-page/history/${month}`),
        'no-page/history/2025-12',
        'History-Page/history/2025-12',
      ),
    ).toEqual([404, 404, 404, 404, 404, 301])
  })

  it('is cached and protected like the page', async () => {
    const response = await get('history-page/history/2025-12')
    expect(response.headers.get('cache-control')).toBe('public, max-age=0, stale-if-error=86400')
    const etag = response.headers.get('etag') ?? ''
    const unchangedResponse = await get('history-page/history/2025-12', { 'if-none-match': etag })
    expect(unchangedResponse.status).toBe(304)
    // A policy in this response would replace that of the page in the browser's cache.
    expect(unchangedResponse.headers.get('content-security-policy')).toBeNull()
    expect(
      await readStatuses('own-history/history', 'locked-page/history', 'locked-page/history/2026-01.json'),
    ).toEqual([404, 401, 401])
    const ownResponse = await get('own-history/history', sessionOf(owner))
    expect([ownResponse.status, ownResponse.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(await (await get('locked-page/history')).text()).toContain('/status/locked-page/unlock')
  })

  it('shows a change of the page', async () => {
    const before = await readText('history-page/history')
    const [page] = await server.services.db.query<{ id: number }>(
      `select id from status_pages where slug = 'history-page'`,
    )
    const post = { title: 'New post', state: 'investigating', body: 'We are looking into it.' }
    expect((await owner.session.post(`/api/status-pages/${page?.id}/posts`, post)).status).toBe(201)
    expect(before).not.toContain('New post')
    expect(await readText('history-page/history')).toContain('New post')
  })
})

describe('a private page', () => {
  /** Returns everything of a response that is the same for any two requests. */
  async function describeResponse(response: Response) {
    const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
    const body = (await response.text()).replaceAll(response.headers.get('x-request-id') ?? '-', 'ID')
    return { status: response.status, headers, body }
  }

  it('looks to strangers like one that does not exist, in every format', async () => {
    const key = (await owner.withKey()).credentials.key
    const visitors: Record<string, string>[] = [
      {},
      { accept: 'text/html' },
      sessionOf(stranger),
      { ...sessionOf(stranger), accept: 'text/html' },
      { authorization: `Bearer ${key}` },
    ]
    for (const headers of visitors) {
      for (const format of [...formats, `/${monitorId}/badge.svg`, '/badge.svg?type=uptime']) {
        const ownPageResponse = await describeResponse(await get(`own-page${format}`, headers))
        const missingPageResponse = await describeResponse(await get(`not-page${format}`, headers))
        expect(ownPageResponse).toEqual(missingPageResponse)
        expect(ownPageResponse.status).toBe(404)
      }
    }
    const unlock = (slug: string) => post(`${slug}/unlock`, { password: 'open sesame' })
    const ownPageResponse = await describeResponse(await unlock('own-page'))
    expect(ownPageResponse).toEqual(await describeResponse(await unlock('not-page')))
    expect(ownPageResponse.status).toBe(404)
  })

  it('is shown to its owner, and must not be cached', async () => {
    const response = await get('own-page', sessionOf(owner))
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(await response.text()).toContain('Title of own-page')
    expect((await get('own-page.json', sessionOf(owner))).status).toBe(200)
  })
})

describe('a page with a password', () => {
  it('asks for the password, and shows nothing before', async () => {
    const response = await get('locked-page', { accept: 'text/html' })
    expect(response.status).toBe(401)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const html = await response.text()
    expect(html).toContain('action="/status/locked-page/unlock"')
    expect(html).not.toMatch(/Title of|Shop/)
    for (const format of formats.slice(1)) {
      const { status, headers } = await get(`locked-page${format}`)
      expect(`${format} ${status} ${headers.get('content-type')}`).toBe(
        `${format} 401 application/problem+json; charset=utf-8`,
      )
    }
    expect((await get('locked-page', sessionOf(owner))).status).toBe(200)
    expect((await get('locked-page', { ...sessionOf(stranger), accept: 'text/html' })).status).toBe(401)
  })

  it('is open to visitors who enter the password, until the password changes', async () => {
    const wrongPasswordResponse = await post('locked-page/unlock', { password: 'open barley' })
    expect([wrongPasswordResponse.status, wrongPasswordResponse.headers.get('set-cookie')]).toEqual([401, null])
    expect(await wrongPasswordResponse.text()).toContain('Incorrect password.')
    const unlockResponse = await post('locked-page/unlock', { password: 'open sesame' })
    expect([unlockResponse.status, unlockResponse.headers.get('location')]).toEqual([303, '/status/locked-page'])
    const historyForm = await (await get('locked-page/history/2026-01')).text()
    expect(historyForm).toContain('<input type="hidden" name="part" value="history/2026-01">')
    const historyResponse = await post('locked-page/unlock', { password: 'open sesame', part: 'history/2026-01' })
    expect(historyResponse.headers.get('location')).toBe('/status/locked-page/history/2026-01')
    const cookie = unlockResponse.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      /^belfry_unlock_status_\d+=\d+\.[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const headers = { cookie: cookie.split(';')[0] ?? '' }
    const unlockedPage = await get('locked-page', headers)
    expect([unlockedPage.status, unlockedPage.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect((await get('locked-page.json', headers)).status).toBe(200)
    expect((await get('locked-page/badge.svg?type=uptime', headers)).status).toBe(200)
    const { db } = server.services
    const passwordHash = await hashCheaply('another one')
    await db.query(
      `update status_pages set password_hash = $1, content_changed_at = content_changed_at + interval '1 second' where slug = 'locked-page'`,
      [passwordHash],
    )
    server.clock.advance({ seconds: 2.1 })
    await expect.poll(async () => (await get('locked-page', headers)).status).toBe(401)
  })

  it('refuses forms of other sites, and too many wrong passwords', async () => {
    const crossSite = await post('locked-page/unlock', { password: 'another one' }, { origin: 'https://evil.example' })
    expect(crossSite.status).toBe(403)
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push((await post('locked-page/unlock', { password: `guess ${n}` })).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429])
    const refusedResponse = await post('locked-page/unlock', { password: 'another one' })
    expect([refusedResponse.status, refusedResponse.headers.get('retry-after')]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ])
    expect((await post('open-page/unlock', { password: 'x' })).status).toBe(303)
  })
})

describe('without BELFRY_URL', () => {
  it('no page can take over a host, which may be that of the application', async () => {
    const { services } = server
    const host = 'stats.corp.example'
    const body = JSON.stringify({ slug: 'thief', title: 'Thief', custom_domain: host })
    const headers = { ...sessionOf(stranger), host: `${host}.`, 'content-type': 'application/json' }
    const claim = await requestBytes('POST', '../api/status-pages', headers, body)
    if (claim.status === 422) await insertPage('thief', { customDomain: host })
    await services.customDomains.refresh(services.db)
    const paths = ['../healthz', '../sign-in', '../b.js']
    const statuses = await Promise.all(paths.map(async (path) => (await requestBytes('GET', path, { host })).status))
    await services.db.query(`delete from status_pages where slug = 'thief'`)
    expect([claim.status, ...statuses]).toEqual([422, 200, 200, 200])
    expect(JSON.parse(String(claim.body)).errors.custom_domain[0]).toMatch(
      /^`custom_domain` needs the public URL of this server/,
    )
  })
})

describe('the copies in the data folder', () => {
  it('exist for all pages that strangers can open, are readable only for the user of the server, and are deleted with their page', async () => {
    const folder = join(server.services.config.dataDir, 'status-pages')
    const job = createJob('copy status pages', server.services)
    // The server runs the same job in the background, so a file that is still being written can be there for a moment.
    const listCopies = async () => (await readdir(folder)).filter((name) => !name.endsWith('.new')).sort()
    const pageId = await insertPage('short-lived')
    await insertPage('short-lived-too')
    await job.run()
    expect(await listCopies()).toEqual([
      'locked-page.page',
      'open-page.page',
      'short-lived-too.page',
      'short-lived.page',
    ])
    expect((await stat(join(folder, 'locked-page.page'))).mode & 0o777).toBe(0o600)
    await owner.session.put(`/api/status-pages/${pageId}`, { privacy: 1 })
    await server.services.db.query(`delete from status_pages where slug = 'short-lived-too'`)
    await job.run()
    expect(await listCopies()).toEqual(['locked-page.page', 'open-page.page'])
  })
})

function requestBytes(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    const clientRequest = request(`${server.address}/status/${path}`, { method, headers }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }),
      )
    })
    clientRequest.on('error', reject)
    clientRequest.end(body)
  })
}
