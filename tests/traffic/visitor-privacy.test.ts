/** Visitors' IP addresses and user agents appear in no table, no log line and no backup. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import ipaddr from 'ipaddr.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncRateCounts } from '../../src/storage/rate-counts.ts'
import { belfry, createTempFolder, type TempFolder, toConnectionUrl } from '../cli/support.ts'
import { sendRaw } from '../support/raw.ts'
import type { QueryRows } from '../support/recount.ts'
import { startTestServer, TEST_SECRET, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, fetchStatistics, sendEvent } from '../support/traffic.ts'

const today = 'from=2026-01-05&to=2026-01-05'
/** IP addresses in the spellings that proxies use. */
const addresses = {
  plain: '81.2.69.143',
  ipv6: '2a02:8100:0:0:0:dead:beef:77',
  mapped: '::ffff:81.2.69.160',
  mappedInHex: '::ffff:5102:4599',
  excluded: '203.0.113.201',
  bot: '81.2.69.171',
  unknownWebsite: '81.2.69.177',
  malformed: '81.2.69.183',
  flooding: '81.2.69.189',
  guessing: '2a02:8106:1:2:3:4:dead:99',
} as const
const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0 Peculiar/77.31'
const botAgent = 'Mozilla/5.0 (compatible; Strangebot/9.87; +https://strange.example/bot)'
/** This is one event more than an IP address may send in a minute. */
const TOO_MANY_EVENTS = 6_001

let server: TestServer
let folder: TempFolder
let ada: TestUser
let siteId: number
let protectedSiteId: number
let queryRows: QueryRows
/** The rows of every table before the events were rolled up. */
let tablesBeforeRollup: Map<string, string>

beforeAll(async () => {
  folder = createTempFolder()
  server = await startTestServer({ env: { BELFRY_RATE_LIMIT: '600' } })
  queryRows = (sql, values) => server.services.db.query(sql, values) as never
  ada = await server.createUser('ada')
  siteId = await createSite(ada, 'example.com', { exclude_ips: '203.0.113.0/24' })
  protectedSiteId = await createSite(ada, 'example.org', { privacy: 2, password: 'open sesame' })
  await sendAllKindsOfRequests()
  tablesBeforeRollup = await readTables()
})
afterAll(async () => {
  await server?.close()
  await folder?.remove()
})

const createPageview = (d = 'example.com') => ({ n: 'pageview', u: `https://${d}/`, d })

/** Sends requests that reach every code path that reads an IP address. */
async function sendAllKindsOfRequests(): Promise<void> {
  const sendAndGetResult = async (body: unknown, address: string, userAgent = agent) => {
    const response = await sendEvent(server, body, { address, agent: userAgent })
    return [response.status, response.headers.get('x-belfry-dropped')]
  }
  for (const address of [addresses.plain, addresses.ipv6, addresses.mapped, addresses.mappedInHex]) {
    expect(await sendAndGetResult(createPageview(), address)).toEqual([202, null])
    expect(await sendAndGetResult({ ...createPageview(), n: 'signup', p: { plan: 'pro' } }, address)).toEqual([
      202,
      null,
    ])
    expect(await sendAndGetResult({ ...createPageview(), n: 'engagement', e: 900 }, address)).toEqual([202, null])
  }
  expect(await sendAndGetResult(createPageview('example.org'), `192.0.2.7, ${addresses.plain}`)).toEqual([202, null])
  expect(await sendAndGetResult(createPageview(), addresses.excluded)).toEqual([202, 'ip'])
  expect(await sendAndGetResult(createPageview(), addresses.bot, botAgent)).toEqual([202, 'bot'])
  expect(await sendAndGetResult(createPageview('unknown.example.net'), addresses.unknownWebsite)).toEqual([
    202,
    'unknown_site',
  ])
  for (const body of ['', '{', '[]', '{"n":"pageview"}', { ...createPageview(), u: 'nowhere' }]) {
    expect(await sendAndGetResult(body, addresses.malformed)).toEqual([400, null])
  }
  expect((await flood()).match(/HTTP\/1\.1 429/g)).toHaveLength(1)

  const guess = (password: string, path: string, body: object) =>
    server.anyone.post(
      path,
      { ...body, password },
      { headers: { 'x-forwarded-for': addresses.guessing, 'user-agent': agent } },
    )
  const unlockPath = `/api/v1/stats/${protectedSiteId}/unlock`
  for (let n = 0; n < 11; n++) expect([401, 429]).toContain((await guess(`wrong ${n}`, unlockPath, {})).status)
  expect((await guess('open sesame', unlockPath, {})).status).toBe(429)
  expect((await guess('not this one', '/api/session', { email: ada.email })).status).toBe(401)
  await syncRateCounts(server.services.db, server.services.counter)
}

/** Pipelines all requests on one connection, which is faster than waiting for each response. */
function flood(): Promise<string> {
  const body = JSON.stringify(createPageview('unknown.example.net'))
  const createRequest = (connection: string) =>
    `POST /api/event HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\nuser-agent: ${agent}\r\n` +
    `x-forwarded-for: ${addresses.flooding}\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  return sendRaw(server.address, createRequest('keep-alive').repeat(TOO_MANY_EVENTS - 1) + createRequest('close'))
}

/** Lists everything that would reveal an IP address: its spellings, its bytes, and hashes that anyone can compute from it. */
function listTraces(address: string): string[] {
  const parsedAddress = ipaddr.process(address)
  const spellings = new Set([
    address,
    address.replace(/^::ffff:/, ''),
    parsedAddress.toString(),
    parsedAddress.toNormalizedString(),
  ])
  const bytes = [...spellings].map((text) => Buffer.from(text)).concat(Buffer.from(parsedAddress.toByteArray()))
  const hashes = bytes.flatMap((content) =>
    ['md5', 'sha1', 'sha256'].map((name) => createHash(name).update(content).digest()),
  )
  const encodings = [...bytes, ...hashes].flatMap((content) => [
    content.toString('hex'),
    content.toString('base64').replace(/=+$/, '').slice(0, -1),
    content.toString('base64url').slice(0, -1),
  ])
  const integers =
    parsedAddress.kind() === 'ipv4' ? [String(Buffer.from(parsedAddress.toByteArray()).readUInt32BE())] : []
  return [...spellings, ...encodings, ...integers]
}

const traces = [
  ...Object.values(addresses).flatMap(listTraces),
  'dead:beef',
  'Peculiar',
  'Strangebot',
  'Gecko/20100101',
]

const findTraces = (text: string) => {
  const lowerCaseText = text.toLowerCase()
  return traces.filter((trace) => (/[A-Z]/.test(trace) ? text.includes(trace) : lowerCaseText.includes(trace)))
}

/** Reads every row of every table, including unlogged tables. */
async function readTables(): Promise<Map<string, string>> {
  const names = await queryRows<{ name: string }>(
    `select c.relname::text as name from pg_class c
      where c.relnamespace = 'belfry'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  const tables = new Map<string, string>()
  for (const { name } of names) {
    const tableRows = await queryRows<{ row: string }>(`select t::text as row from ${name} t`)
    tables.set(name, tableRows.map(({ row }) => row).join('\n'))
  }
  return tables
}

function expectNoTraces(tables: Map<string, string>): void {
  for (const [name, text] of tables) expect([name, findTraces(text)]).toEqual([name, []])
}

describe('the IP address of a visitor', () => {
  it('would be found by this test', () => {
    expect(findTraces(`{"ip":"${addresses.plain}"}`)).toEqual([addresses.plain])
    expect(findTraces(`\\x${Buffer.from(addresses.bot).toString('hex')}`)).toHaveLength(1)
    expect(findTraces(createHash('sha256').update(addresses.malformed).digest('base64'))).not.toEqual([])
    expect(findTraces('2A02:8100::DEAD:BEEF:77')).not.toEqual([])
  })

  it('is in no table, neither before nor after events are rolled up', async () => {
    expectNoTraces(tablesBeforeRollup)
    expect(tablesBeforeRollup.get('event_inbox')).toContain('signup')
    expect(tablesBeforeRollup.get('rate_counts')).not.toBe('')
    await server.services.rollup.rollUpAll()
    const tablesAfter = await readTables()
    expectNoTraces(tablesAfter)
    expect(tablesAfter.get('event_inbox')).toBe('')
    expect(tablesAfter.get('traffic_values')).toContain('signup')
  })

  it('still determines the country and recognizes returning visitors', async () => {
    expect(await fetchStatistics(ada.session, siteId, `name=country&${today}&sort_by=value`)).toEqual([
      { value: 'DE', count: 1 },
      { value: 'GB', count: 3 },
    ])
    expect(await fetchStatistics(ada.session, siteId, `name=browser&${today}`)).toEqual([
      { value: 'Firefox', count: 4 },
    ])
  })

  it('is in no log line, even at the debug level', () => {
    const log = server.logLines.join('')
    expect(log).toContain('POST /api/event')
    expect(log).toContain('"status":429')
    expect(log).toContain('"level":"debug"')
    expect(findTraces(log)).toEqual([])
  })

  it('is in no backup, and neither is the salt that visitor ids are computed with', async () => {
    const file = join(folder.path, 'backup.gz')
    const env = {
      BELFRY_SECRET: TEST_SECRET,
      BELFRY_DATA: folder.data('data'),
      DATABASE_URL: toConnectionUrl(server.database.connection),
    }
    const backupResult = await belfry(['backup', file], { env })
    expect([backupResult.code, findTraces(backupResult.stdout + backupResult.stderr)]).toEqual([0, []])
    const text = gunzipSync(readFileSync(file)).toString()
    expect(text).toContain('signup')
    expect(findTraces(text)).toEqual([])
    expect(text).not.toContain('visitor_salts')
    const salts = await queryRows<{ salt: string }>(`select encode(salt, 'hex') as salt from visitor_salts`)
    expect(salts).toHaveLength(1)
    for (const { salt } of salts) {
      expect(text).not.toContain(salt)
      expect(text).not.toContain(Buffer.from(salt, 'hex').toString('base64'))
    }
  })
})
