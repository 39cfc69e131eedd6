/** GET /api/v1/stats/{id} as CSV: order, limits for visitors, and downloads that nobody reads. */
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { createSite } from '../../support/traffic.ts'

let server: TestServer
let ada: TestUser
let id: number
let visitorCount = 0

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_RATE_LIMIT: '600' } })
  ada = await server.createUser('ada')
  id = await createSite(ada, 'example.com', { privacy: 0 })
  // The CSV of these pages has about 9 MB.
  await addPages(id, 9_900, `/${'x'.repeat(900)}`)
})
afterAll(() => server.close())

/** Adds pages with one view each. Every hundredth page has three views. */
async function addPages(websiteId: number, count: number, padding: string): Promise<void> {
  await server.services.db.transaction(async (q) => {
    await q.query(
      `insert into traffic_values (website_id, id, kind, value)
       select $1, n, 1, '/' || n || $3 from generate_series(1, $2::integer) n`,
      [websiteId, count, padding],
    )
    await q.query(
      `insert into traffic_counts (website_id, day, dimension, value, count)
       select $1, '2026-01-05', 1, n, case when n % 100 = 0 then 3 else 1 end from generate_series(1, $2::integer) n`,
      [websiteId, count],
    )
  })
}

const nextVisitor = () => ({ accept: 'text/csv', 'x-forwarded-for': `198.51.100.${++visitorCount}` })
const getCsv = (query: string, headers: Record<string, string>) =>
  server.anyone.get(`/api/v1/stats/${id}?${query}`, { headers })

/** Requests all pages as CSV and reads only the beginning of the response. */
async function openUnreadDownload(headers: Record<string, string>): Promise<{ socket: Socket; head: string }> {
  const { hostname, port } = new URL(server.address)
  const socket = connect(Number(port), hostname)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.write([`GET /api/v1/stats/${id}?name=page HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n'))
  const [head] = await once(socket, 'data')
  socket.pause()
  return { socket, head: String(head) }
}

describe('a CSV file of statistics', () => {
  let sortedId: number
  beforeAll(async () => {
    sortedId = await createSite(ada, 'sorted.example')
    await addPages(sortedId, 1_234, '/x')
  })

  it.each(['', '&sort=asc', '&sort_by=value', '&sort_by=value&sort=desc', '&search=%2F99', '&search=9%2FX&sort=asc'])(
    'has the same rows as all JSON pages together, in the same order: %s',
    async (query) => {
      const path = `/api/v1/stats/${sortedId}?name=page${query}`
      const { text } = await ada.session.get(path, { headers: { accept: 'text/csv' } })
      const lines = text.split('\r\n').map((line) => line.split(','))
      expect([lines[0], lines.at(-1)]).toEqual([['page', 'count'], ['']])
      const readPage = async (page: number) => (await ada.session.get(`${path}&per_page=100&page=${page}`)).body
      const { meta, data } = await readPage(1)
      const toLines = (rows: { value: string; count: number }[]) => rows.map(({ value, count }) => [value, `${count}`])
      expect(lines).toHaveLength(meta.total + 2)
      expect(lines.slice(1, 1 + data.length)).toEqual(toLines(data))
      const { data: lastData } = await readPage(meta.last_page)
      expect(lines.slice(-1 - lastData.length, -1)).toEqual(toLines(lastData))
    },
  )

  it('of continents without visits has only the header', async () => {
    const { text } = await getCsv('name=continent', nextVisitor())
    expect(text).toBe('continent,count\r\n')
  })

  it('responds to HEAD with the headers alone', async () => {
    const response = await fetch(`${server.address}/api/v1/stats/${id}?name=page`, {
      method: 'HEAD',
      headers: nextVisitor(),
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(await response.text()).toBe('')
  })
})

describe('a visitor', () => {
  it('can download 10 times a minute', async () => {
    const headers = nextVisitor()
    for (let n = 0; n < 10; n++) expect((await getCsv('name=country', headers)).status).toBe(200)
    const response = await getCsv('name=country', headers)
    expect([response.status, response.body.code]).toEqual([429, 'rate_limited'])
    expect(response.body.detail).toMatch(
      /^Only members of the website's team can download more than 10 CSV files per minute\. Try again in \d+ s\.$/,
    )
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await getCsv('name=country', nextVisitor())).status).toBe(200)
    expect((await getCsv('name=country', { accept: 'application/json' })).status).toBe(200)
  })

  it('can download 10,000 rows, and the owner can download all rows', async () => {
    const largeId = await createSite(ada, 'large.example', { privacy: 0 })
    await addPages(largeId, 10_001, '')
    const path = `/api/v1/stats/${largeId}?name=page`
    const response = await server.anyone.get(path, { headers: nextVisitor() })
    expect(response.status).toBe(422)
    expect(response.body.detail).toBe(
      "The CSV file would have 10001 rows. Only members of the website's team can download more than 10000. Choose a shorter range, or add a search or a filter.",
    )
    const search = await server.anyone.get(`${path}&search=%2F99`, { headers: nextVisitor() })
    expect(search.text.split('\r\n')).toHaveLength(113)
    const { text } = await ada.session.get(path, { headers: { accept: 'text/csv' } })
    expect(text.split('\r\n')).toHaveLength(10_003)
  })
})

/** Counts the bytes of responses that this process still holds, because clients don't read them. */
function countBufferedBytes(): number {
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles()
  const sockets = handles.filter((handle) => handle instanceof Socket)
  return sockets.reduce((sum, { writableLength }) => sum + writableLength, 0)
}

describe('downloads that nobody reads', () => {
  it('take little memory, and hold no connection to the database', async () => {
    const downloads = await Promise.all(Array.from({ length: 12 }, () => openUnreadDownload(nextVisitor())))
    expect(downloads.map(({ head }) => head.slice(0, 12))).toEqual(downloads.map(() => 'HTTP/1.1 200'))
    const transactions = `select state, query from pg_stat_activity
                           where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`
    const waitOptions = { timeout: 20_000, interval: 100 }
    await vi.waitFor(async () => expect(await server.services.db.query(transactions)).toEqual([]), waitOptions)
    // The kernel takes a few megabytes of each response. The rest must stay in the database.
    expect(countBufferedBytes()).toBeLessThan(12 * 1_000_000)
    for (const { socket } of downloads) socket.destroy()
  })

  it('end when their clients leave, and count towards the limit until then', async () => {
    const headers = nextVisitor()
    const downloads = await Promise.all(Array.from({ length: 5 }, () => openUnreadDownload(headers)))
    const refusedResponse = await getCsv('name=country', headers)
    expect([refusedResponse.status, refusedResponse.body.detail]).toEqual([
      429,
      'At most 5 CSV downloads at a time. Try again when one has ended.',
    ])
    downloads[0]?.socket.destroy()
    const readAgain = async () => {
      // In the next minute, the attempts no longer count towards the limit.
      server.clock.advance({ minutes: 1 })
      expect((await getCsv('name=country', headers)).status).toBe(200)
    }
    await vi.waitFor(readAgain, { timeout: 20_000, interval: 100 })
    for (const { socket } of downloads) socket.destroy()
    expect(server.logLines.filter((line) => /"level":"error"|"status":5/.test(line))).toEqual([])
  })
})
