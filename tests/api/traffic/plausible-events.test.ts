/** POST /api/event: events of Plausible's clients, with the fields and mistakes that these clients send. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/shared/time.ts'
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

describe('an event with wrong props', () => {
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
  ])('is counted without them: %s', async (_case, p) => {
    expect((await storeEvent({ p }))?.['props']).toBe(null)
  })

  it.each([
    ['nested values', { wat: ['x'], foo: { bar: 'baz' }, other: 1, good: true }, { other: '1', good: 'true' }],
    ['nested values in JSON', JSON.stringify({ foo: { bar: 1 }, other: 'key' }), { other: 'key' }],
    ['blank names and values', { '    ': 'value', key: '   ', good: true }, { good: 'true' }],
    ['more than 30 of them', manyProps(31, 'x'), manyProps(30, 'x')],
    ['more than 8,000 characters', manyProps(6, 'x'.repeat(1_500)), manyProps(5, 'x'.repeat(1_500))],
    ['a long value', { a: 'x'.repeat(2_001) }, { a: 'x'.repeat(2_000) }],
  ])('keeps the right ones: %s', async (_case, p, stored) => {
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
  ])('of e = %j lasts %d ms, and its scroll depth is ignored', async (e, engagedMs) => {
    const visitor = createNextVisitor()
    await sendView(server, domain, '/', visitor)
    const event = await storeEvent({ n: 'engagement', e, sd: 400 }, visitor)
    expect([event?.['kind'], event?.['engaged_ms']]).toEqual([3, engagedMs])
  })
})

describe('a user agent', () => {
  it.each(['unknown UA', 'MyShop/2.4 (iPhone; iOS 17.5)', 'x'])('that nobody knows is a visitor: %s', async (agent) => {
    expect(await storeEvent({}, { ...createNextVisitor(), agent })).toBeDefined()
  })
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
    await sendView(server, 'open.example', '/', {}, { r: 'https://semalt.com/' })
    expect(await fetchStatistics(ada.session, openId, 'name=source')).toEqual([{ value: 'semalt.com', count: 1 }])
  })

  it('keeps its subdomain', async () => {
    const siteId = await createSite(ada, 'subdomains.example')
    for (const r of ['https://blog.subdomains.example/x', 'https://www.blog.example.org/y', 'http://localhost:4000/']) {
      await sendView(server, 'subdomains.example', '/', createNextVisitor(), { r })
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
