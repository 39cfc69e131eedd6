/** POST /api/event: events of Plausible's clients, with the fields and mistakes that these clients send. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/shared/time.ts'
import { packDays } from '../../../src/traffic/packing/pack-days.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { createSite, fetchOverview, fetchStatistics, sendEvent, sendView } from '../../support/traffic.ts'

const domain = 'example.com'
let server: TestServer
let ada: TestUser
let id: number
let visitorCount = 0

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
  id = await createSite(ada, domain)
})
afterAll(() => server.close())

const createNextVisitor = () => ({ address: `81.2.70.${++visitorCount}` })

/** Sends the event of a new visitor, and returns what is stored for it. */
async function storeEvent(fields: object, sender: object = createNextVisitor()) {
  const page = `/${visitorCount}`
  const response = await sendEvent(server, { n: 'Signup', u: `https://${domain}${page}`, d: domain, ...fields }, sender)
  expect([fields, response.status, response.headers.get('x-belfry-dropped')]).toEqual([fields, 202, null])
  await fetchOverview(ada.session, id)
  const [event] = await server.services.db.query(
    `select e.kind, e.props, e.engaged_ms
       from events e join traffic_values v on v.website_id = e.website_id and v.id = e.page
      where e.website_id = $1 and v.value = $2`,
    [id, page],
  )
  return event
}

const manyProps = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, value]))

describe('an event with invalid props', () => {
  it.each([
    ['an array', ['a']],
    ['a number', 12],
    ['true', true],
    ['broken JSON', '{"a":'],
    ['text', '"show-more:button"'],
    ['an empty text', ''],
    ['null', null],
    ['only nested values', { list: ['a'], map: { b: 'c' }, nothing: null }],
    ['only blank values', { a: '', b: '   ', '  ': 'c' }],
  ])('is counted without its props: %s', async (_case, p) => {
    expect((await storeEvent({ p }))?.['props']).toBe(null)
  })

  it.each([
    ['nested values', { wat: ['x'], foo: { bar: 'baz' }, other: 1, good: true }, { other: '1', good: 'true' }],
    ['nested values in JSON', JSON.stringify({ foo: { bar: 1 }, other: 'key' }), { other: 'key' }],
    ['blank names and values', { '    ': 'value', key: '   ', good: true }, { good: 'true' }],
    ['more than 30 of them', manyProps(31, 'x'), manyProps(30, 'x')],
    ['more than 8,000 characters', manyProps(6, 'x'.repeat(1_500)), manyProps(5, 'x'.repeat(1_500))],
    ['a long value', { a: 'x'.repeat(2_001) }, { a: 'x'.repeat(2_000) }],
  ])('keeps the valid props: %s', async (_case, p, stored) => {
    expect(JSON.parse((await storeEvent({ p }))?.['props'])).toEqual(stored)
  })
})

describe('an engagement', () => {
  it.each([
    [1_500, 1_500],
    [DAY_MS + 1, DAY_MS],
    [1e308, DAY_MS],
    [-5, 0],
    ['5000', 0],
    [null, 0],
    [{}, 0],
  ])('with e = %j is stored with %d ms, and its scroll depth is ignored', async (e, engagedMs) => {
    const visitor = createNextVisitor()
    await sendView(server, domain, '/', visitor)
    const event = await storeEvent({ n: 'engagement', e, sd: 400 }, visitor)
    expect([event?.['kind'], event?.['engaged_ms']]).toEqual([3, engagedMs])
  })
})

describe('a user agent', () => {
  it.each(['unknown UA', 'MyShop/2.4 (iPhone; iOS 17.5)', 'x'])(
    'that is unknown counts as a visitor: %s',
    async (agent) => {
      expect(await storeEvent({}, { ...createNextVisitor(), agent })).toBeDefined()
    },
  )
})

describe('a referrer', () => {
  it.each(['https://www.1-best-seo.com', 'http://keywords.semalt.com/crawler.php?u=x', 'https://DARODAR.com./'])(
    'that is spam drops the event: %s',
    async (r) => {
      const response = await sendEvent(server, { n: 'pageview', u: `https://${domain}/spam`, d: domain, r })
      expect([response.status, response.headers.get('x-belfry-dropped')]).toEqual([202, 'spam_referrer'])
    },
  )

  it('that is spam counts on a website that counts bots', async () => {
    const openId = await createSite(ada, 'open.example', { exclude_bots: 0 })
    await sendView(server, 'open.example', '/', { fields: { r: 'https://semalt.com/' } })
    expect(await fetchStatistics(ada.session, openId, 'name=source')).toEqual([{ value: 'semalt.com', count: 1 }])
  })

  it('keeps its subdomain', async () => {
    const siteId = await createSite(ada, 'subdomains.example')
    for (const r of ['https://blog.subdomains.example/x', 'https://www.blog.example.org/y', 'http://localhost:4000/']) {
      await sendView(server, 'subdomains.example', '/', { ...createNextVisitor(), fields: { r } })
    }
    const { panels } = await fetchOverview(ada.session, siteId)
    expect(panels.referrer).toEqual([
      { value: 'blog.subdomains.example/x', count: 1 },
      { value: 'blog.example.org/y', count: 1 },
    ])
    expect(panels.source.map(({ value }: { value: string }) => value)).toEqual([
      'blog.subdomains.example',
      'blog.example.org',
      'Direct',
    ])
  })
})

describe('the URL of an event', () => {
  it.each([
    ['file:///android_asset/www/index.html', '/android_asset/www/index.html', []],
    ['file:///C:/Users/ada/index.html?a=1', '/C:/Users/ada/index.html?a=1', []],
    [
      'chrome-extension://liipgellkffekalgefpjolodblggkmjg/popup.html',
      '/popup.html',
      ['liipgellkffekalgefpjolodblggkmjg'],
    ],
    ['capacitor://localhost/tabs/home?ref=x', '/tabs/home', ['localhost']],
    ['ionic://localhost', '/', ['localhost']],
    ['com.example.app:/settings', '/settings', []],
  ])('can be %s', async (u, page, hostnames) => {
    const appId = await createSite(ada, `app-${++visitorCount}.example`)
    const response = await sendEvent(server, { n: 'pageview', u, d: `app-${visitorCount}.example` })
    expect([response.status, response.headers.get('x-belfry-dropped')]).toEqual([202, null])
    const { panels } = await fetchOverview(ada.session, appId)
    expect(panels.page).toEqual([{ value: page, count: 1 }])
    expect(panels.hostname.map(({ value }: { value: string }) => value)).toEqual(hostnames)
  })

  it('names the website if the event does not', async () => {
    const siteId = await createSite(ada, 'undomained.example')
    for (const fields of [{}, { d: null }, { domain: null }]) {
      const response = await sendEvent(server, { n: 'pageview', u: 'https://WWW.undomained.example:8443/', ...fields })
      expect([response.status, response.headers.get('x-belfry-dropped')]).toEqual([202, null])
    }
    expect((await fetchOverview(ada.session, siteId)).totals.pageviews).toBe(3)
    const unknownSiteResponse = await sendEvent(server, { n: 'pageview', u: 'https://elsewhere.example/' })
    expect(unknownSiteResponse.headers.get('x-belfry-dropped')).toBe('unknown_site')
  })
})

describe('the name of an event', () => {
  it('can be a number', async () => {
    const siteId = await createSite(ada, 'numbers.example')
    await sendEvent(server, { n: 404, u: 'https://numbers.example/missing', d: 'numbers.example' })
    expect(await fetchStatistics(ada.session, siteId, 'name=event')).toEqual([{ value: '404', count: 1 }])
  })
})

describe('a visit with an event that is not interactive', () => {
  it.each([
    ['alone', [{ n: 'Scroll', i: false }], 100],
    ['and a page view', [{ n: 'pageview' }, { n: 'Scroll', interactive: false }], 100],
    ['and an interactive one', [{ n: 'Scroll', i: false }, { n: 'Signup' }], 0],
    ['and two page views', [{ n: 'pageview' }, { n: 'Scroll', i: false }, { n: 'pageview' }], 0],
  ])('%s has the right bounce rate', async (_case, events, bounceRate) => {
    const site = `bounces-${++visitorCount}.example`
    const siteId = await createSite(ada, site)
    for (const event of events) await sendEvent(server, { u: `https://${site}/`, d: site, ...event })
    const expectBounceRate = async () => {
      for (const query of ['', 'filter=page:/', 'filter=browser:Chrome']) {
        const { totals } = await fetchOverview(ada.session, siteId, `from=2026-01-05&to=2026-01-05&${query}`)
        expect([query, totals.visits, totals.bounce_rate]).toEqual([query, 1, bounceRate])
      }
    }
    await expectBounceRate()
    server.clock.advance({ seconds: 2 * (DAY_MS / 1000) })
    await packDays(server.services)
    await expectBounceRate()
    server.clock.reset()
  })
})

it('the client address comes only from the header of BELFRY_CLIENT_ADDRESS_HEADER', async () => {
  const env = { BELFRY_CLIENT_ADDRESS_HEADER: 'cf-connecting-ip', BELFRY_RATE_LIMIT: '2' }
  const node = await startTestServer({ database: server.database, clock: server.clock, env })
  await createSite(ada, 'addresses.example', { exclude_ips: '81.2.69.142' })
  const body = { n: 'pageview', u: 'https://addresses.example/', d: 'addresses.example' }
  const send = async (clientIp: string) => {
    const headers = { 'cf-connecting-ip': clientIp, forwarded: 'for=81.2.69.160' }
    return (await sendEvent(node, body, { address: '81.2.69.142', headers })).headers.get('x-belfry-dropped')
  }
  expect([await send('8.8.8.8'), await send('81.2.69.142')]).toEqual([null, 'ip'])
  // A client that chooses another X-Forwarded-For for each request can't avoid the limit of its address.
  const statuses: number[] = []
  for (const address of ['8.8.4.1', '8.8.4.2', '8.8.4.3']) {
    const headers = { 'cf-connecting-ip': '8.8.8.8', 'x-forwarded-for': address }
    statuses.push((await node.anyone.call('GET', '/api/v1/websites', { headers })).status)
  }
  expect(statuses).toEqual([401, 401, 429])
  await node.close()
})
