/** What the owner of a website sees while it waits for its first visit. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteExpired } from '../../src/app/delete-expired.ts'
import { expectNotFound } from '../support/access.ts'
import type { Client } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, type SenderOptions, sendEvent } from '../support/traffic.ts'

const bot = { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }
const stranger = { address: '203.0.113.9' }
/** The address that the owner's requests come from. */
const ownAddress = { address: '127.0.0.1' }

let server: TestServer
let owner: TestUser
let otherUser: TestUser
let siteCount = 0
let domain: string
let id: number

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  otherUser = await server.createUser('other')
})
afterAll(() => server.close())
beforeEach(async () => {
  domain = `site-${++siteCount}.example.com`
  id = await createSite(owner, domain, { exclude_ips: '198.51.100.7\n203.0.113.0/24' })
})

const getPath = (websiteId: number) => `/api/v1/websites/${websiteId}/arrivals`
const readArrivals = async (websiteId = id, client: Client = owner.session) =>
  (await client.get(getPath(websiteId))).body.data
const sendPageView = (host: string, domains: string, sender: SenderOptions = {}) =>
  sendEvent(server, { n: 'pageview', u: `https://${host}/`, d: domains }, sender)

/** Saves arrivals immediately. Otherwise the server saves them about a second after an event. */
const saveArrivals = () => server.services.eventIntake.stop()

describe('GET /api/v1/websites/:id/arrivals', () => {
  it('shows why visits are missing while the owner waits for the first visit', async () => {
    await sendPageView('before.example', 'before.example', ownAddress)
    await saveArrivals()
    expect(await readArrivals()).toEqual([])
    await sendPageView('shop.localhost', 'shop.localhost', ownAddress)
    await sendPageView(`www.${domain}`, 'typo.example', { address: '198.51.100.1' })
    await sendPageView(domain, domain, { ...bot, address: '198.51.100.1' })
    await sendPageView(domain, domain, { ...bot, address: '198.51.100.2' })
    await sendPageView(domain, domain, stranger)
    await saveArrivals()
    const arrival = { domain: null, host: null, exclusion: null, suggested_domain: null, is_own: false, count: 1 }
    const last_at = server.clock.now().toISOString()
    expect(await readArrivals()).toEqual([
      {
        ...arrival,
        reason: 'unknown_site',
        domain: 'shop.localhost',
        host: 'shop.localhost',
        suggested_domain: 'shop.localhost',
        is_own: true,
        last_at,
      },
      { ...arrival, reason: 'bot', count: 2, last_at },
      { ...arrival, reason: 'ip', exclusion: '203.0.113.0/24', last_at },
      {
        ...arrival,
        reason: 'unknown_site',
        domain: 'typo.example',
        host: `www.${domain}`,
        suggested_domain: 'typo.example',
        last_at,
      },
    ])
    const rows = await server.services.db.query(
      'select website_id, encode(address, $1) as address from awaited_websites where website_id = $2',
      ['escape', id],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.['address']).not.toContain('127.0.0.1')
  })

  it('explains visits that come from another host, and visits that count for another website of the owner', async () => {
    const blogId = await createSite(owner, `blog-${domain}`)
    await readArrivals()
    await readArrivals(blogId)
    await sendPageView('shop.localhost', domain)
    await sendPageView(domain, `blog-${domain}`)
    await saveArrivals()
    expect(await readArrivals()).toMatchObject([
      { reason: 'other_host', host: 'shop.localhost' },
      { reason: 'other_website', host: domain, domain: `blog-${domain}`, suggested_domain: null },
    ])
    expect(await readArrivals(blogId)).toMatchObject([{ reason: 'other_host', host: domain }])
  })

  it("shows nothing of other users' websites, and nothing older than an hour", async () => {
    const otherId = await createSite(otherUser, `other-${domain}`)
    await readArrivals()
    await readArrivals(otherId, otherUser.session)
    await sendPageView(`other-${domain}`, 'typo.example', stranger)
    await sendPageView(`other-${domain}`, `other-${domain}`, bot)
    await saveArrivals()
    expect(await readArrivals(otherId, otherUser.session)).toHaveLength(2)
    expect(await readArrivals()).toEqual([])
    expectNotFound(await otherUser.session.get(getPath(id)), await otherUser.session.get(getPath(999_999)))

    server.clock.advance({ minutes: 61 })
    expect(await readArrivals(otherId, otherUser.session)).toEqual([])
    await deleteExpired(server.services)
    expect(await server.services.db.query('select from arrivals')).toEqual([])
    expect(await server.services.db.query('select from awaited_websites where website_id = $1', [id])).toEqual([])
  })

  it('lists at most three arrivals, and no invalid domain, whatever strangers send', async () => {
    await readArrivals()
    const names = Array.from({ length: 40 }, (_, n) => `invented-${n}.example`)
    await Promise.all(names.map((name) => sendPageView(domain, name, stranger)))
    await sendPageView(domain, '<script>alert(1)</script>', stranger)
    await sendPageView('shop.localhost', 'shop.localhost', ownAddress)
    await saveArrivals()
    const arrivals = await readArrivals()
    expect(arrivals).toHaveLength(3)
    expect(arrivals[0]).toMatchObject({ domain: 'shop.localhost', is_own: true })
    expect(arrivals[1].domain).toMatch(/^invented-\d+\.example$/)
    expect(await server.services.db.query('select from arrivals where website_id = $1', [id])).toHaveLength(11)
  })

  it('records arrivals for at most 20 websites of a user: those whose arrivals were requested last', async () => {
    for (let n = 0; n < 21; n++) {
      server.clock.advance({ seconds: 1 })
      await readArrivals(await createSite(otherUser, `${n}.${domain}`), otherUser.session)
    }
    const [row] = await server.services.db.query(
      'select count(*) as total from awaited_websites where user_id = (select user_id from websites where domain = $1)',
      [`0.${domain}`],
    )
    expect(row?.['total']).toBe(20)
  })
})
