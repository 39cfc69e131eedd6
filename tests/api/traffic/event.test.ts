/** POST /api/event: which events are counted, dropped and refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { browsers, createSite, fetchOverview, fetchStatistics, sendEvent, sendView } from '../../support/traffic.ts'

let server: TestServer
let ada: TestUser
let siteCount = 0

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
})
afterAll(() => server.close())

async function createNextSite(settings: object = {}): Promise<{ domain: string; id: number }> {
  const domain = `site-${siteCount++}.example.com`
  return { domain, id: await createSite(ada, domain, settings) }
}

const getStatusAndDropReason = ({ status, headers }: { status: number; headers: Headers }) => [
  status,
  headers.get('x-belfry-dropped'),
]
const listPages = async (id: number) => (await fetchStatistics(ada.session, id, 'name=page')).map(({ value }) => value)

describe('an event', () => {
  it('is accepted with an empty response', async () => {
    const { domain, id } = await createNextSite()
    const response = await sendView(server, domain, '/pricing')
    expect(getStatusAndDropReason(response)).toEqual([202, null])
    expect(response.text).toBe('')
    expect(await listPages(id)).toEqual(['/pricing'])
  })

  it.each([
    ['short names', (domain: string) => ({ n: 'pageview', u: `https://${domain}/`, d: domain, r: null })],
    ['long names', (domain: string) => ({ name: 'pageview', url: `https://${domain}/`, domain, referrer: 'x' })],
    [
      'unknown fields',
      (domain: string) => ({ n: 'pageview', u: `http://${domain}/`, d: domain, w: {}, v: 36, $: 'x' }),
    ],
    ['props as a string', (domain: string) => ({ n: 'pageview', u: `http://${domain}/`, d: domain, p: '{"a":1}' })],
    [
      'a domain in another spelling',
      (domain: string) => ({ n: 'pageview', u: `http://${domain}/`, d: `WWW.${domain.toUpperCase()}.` }),
    ],
    ['the URL of an app', (domain: string) => ({ n: 'pageview', u: 'app://localhost/', d: domain })],
  ])('can have %s', async (_case, createBody) => {
    const { domain, id } = await createNextSite()
    expect(getStatusAndDropReason(await sendEvent(server, createBody(domain)))).toEqual([202, null])
    expect(await listPages(id)).toEqual(['/'])
  })

  it.each(['application/json', 'text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'x/y'])(
    'is parsed as JSON even if its content type is %s',
    async (type) => {
      const { domain, id } = await createNextSite()
      const body = { n: 'pageview', u: `https://${domain}/`, d: domain }
      expect(getStatusAndDropReason(await sendEvent(server, body, { headers: { 'content-type': type } }))).toEqual([
        202,
        null,
      ])
      expect(await listPages(id)).toEqual(['/'])
    },
  )

  it.each([
    ['', /not valid JSON/],
    ['{', /not valid JSON/],
    ['null', /must be a JSON object/],
    ['[]', /must be a JSON object/],
    ['"pageview"', /must be a JSON object/],
    ['{}', /`name` \(or `n`\) is required/],
    [{ n: true, u: 'https://a.com/', d: 'a.com' }, /`name` \(or `n`\) must be a string/],
    [{ n: ' ', u: 'https://a.com/', d: 'a.com' }, /`name` \(or `n`\) must not be empty/],
    [{ n: 'x'.repeat(121), u: 'https://a.com/', d: 'a.com' }, /at most 120 characters/],
    [{ n: 'a', d: 'a.com' }, /`url` \(or `u`\) is required/],
    [{ n: 'a', u: '/pricing', d: 'a.com' }, /`url` \(or `u`\) must be an absolute URL/],
    [{ n: 'a', u: 'javascript:alert(1)', d: 'a.com' }, /`url` \(or `u`\) must not be a `javascript:` URL/],
    [{ n: 'a', u: 'data:text/html,x', d: 'a.com' }, /`url` \(or `u`\) must not be a `data:` URL/],
    [{ n: 'a', u: `https://a.com/${'x'.repeat(10_000)}`, d: 'a.com' }, /at most 10000 characters/],
    [{ n: 'a', u: 'file:///index.html' }, /`domain` \(or `d`\) is required/],
    [{ n: 'a', u: 'https://a.com/', d: ' ' }, /`domain` \(or `d`\) must not be empty/],
    [{ n: 'a', u: 'https://a.com/', d: 7 }, /`domain` \(or `d`\) must be a string/],
    [{ n: 'a', u: 'https://a.com/', d: 'a.com', r: 7 }, /`referrer` \(or `r`\) must be a string or null/],
  ])('is refused if it is %j', async (body, detail) => {
    const response = await sendEvent(server, body)
    expect([response.status, response.body.code]).toEqual([400, 'malformed_request'])
    expect(response.body.detail).toMatch(detail)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('is refused if it is larger than 1 MiB', async () => {
    expect((await sendEvent(server, `{"n":"${'x'.repeat(1_100_000)}"}`)).status).toBe(413)
  })

  it('can be sent from any origin, with or without a preflight request', async () => {
    const preflight = await server.anyone.call('OPTIONS', '/api/event', {
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('Content-Type')
    const { domain } = await createNextSite()
    const response = await sendView(server, domain, '/', {
      headers: { origin: 'null', 'sec-fetch-site': 'cross-site' },
    })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('set-cookie')).toBe(null)
    expect((await server.anyone.get('/api/event')).status).toBe(405)
  })

  it('is stored without characters that PostgreSQL rejects', async () => {
    const { domain, id } = await createNextSite()
    const name = 'a\u0000b\ud800c'
    await sendEvent(
      server,
      JSON.stringify({ n: name, u: `https://${domain}/`, d: domain, p: { '\u0000': '\udfff', deep: {} } }),
    )
    expect(await fetchStatistics(ada.session, id, 'name=event')).toEqual([{ value: 'ab�c', count: 1 }])
  })
})

describe('a website', () => {
  it('collects the events of its subdomains, except subdomains that are registered websites', async () => {
    const outerId = await createSite(ada, 'outer.example')
    const viewPage = (domain: string, path: string) => sendView(server, domain, path)
    await viewPage('outer.example', '/1')
    await viewPage('a.b.outer.example', '/2')
    const innerId = await createSite(ada, 'b.outer.example')
    await viewPage('a.b.outer.example', '/3')
    await viewPage('xb.outer.example', '/4')
    expect((await listPages(outerId)).sort()).toEqual(['/1', '/2', '/4'])
    expect(await listPages(innerId)).toEqual(['/3'])
  })

  it('shares an event with the other websites that the event names', async () => {
    const [firstSite, secondSite] = [await createNextSite(), await createNextSite()]
    const d = `${firstSite.domain},${secondSite.domain},unknown.example`
    expect(getStatusAndDropReason(await sendEvent(server, { n: 'pageview', u: 'https://a.com/x', d }))).toEqual([
      202,
      null,
    ])
    expect([await listPages(firstSite.id), await listPages(secondSite.id)]).toEqual([['/x'], ['/x']])
  })

  it.each(['unknown.example', 'com', 'example.com.evil.example', 'a..b', `${'a.'.repeat(40)}example.com`, '☃', '%00'])(
    'that is not registered gets no events: %s',
    async (d) => {
      expect(getStatusAndDropReason(await sendEvent(server, { n: 'pageview', u: 'https://a.com/', d }))).toEqual([
        202,
        'unknown_site',
      ])
    },
  )

  it('excludes bots unless its settings include them', async () => {
    const bots = [
      { agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' },
      { agent: '' },
      { agent: browsers.chrome.agent.replace('Chrome/', 'HeadlessChrome/') },
      { headers: { 'sec-ch-ua': '"HeadlessChrome";v="126"' } },
    ]
    const [excludingSite, countingSite] = [await createNextSite(), await createNextSite({ exclude_bots: 0 })]
    for (const bot of bots) {
      expect([bot, getStatusAndDropReason(await sendView(server, excludingSite.domain, '/', bot))]).toEqual([
        bot,
        [202, 'bot'],
      ])
      expect(getStatusAndDropReason(await sendView(server, countingSite.domain, '/', bot))).toEqual([202, null])
    }
    expect(getStatusAndDropReason(await sendView(server, excludingSite.domain, '/', { fields: { b: 1 } }))).toEqual([
      202,
      'bot',
    ])
    for (const headers of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }, { 'x-moz': 'prefetch' }]) {
      expect(getStatusAndDropReason(await sendView(server, excludingSite.domain, '/', { headers }))).toEqual([
        202,
        'prefetch',
      ])
    }
    expect((await fetchOverview(ada.session, excludingSite.id)).totals.pageviews).toBe(0)
    expect((await fetchOverview(ada.session, countingSite.id)).totals.pageviews).toBe(4)
  })

  it('excludes IPs and ignores URL parameters as soon as they are saved', async () => {
    const { domain, id } = await createNextSite()
    const path = '/?sort=a&token=b&Sort=c&token=d&e'
    await sendView(server, domain, path)
    await ada.session.put(`/api/v1/websites/${id}`, { exclude_params: 'sort\ntok*', exclude_ips: '81.2.69.0/24' })
    expect(getStatusAndDropReason(await sendView(server, domain, path))).toEqual([202, 'ip'])
    await sendView(server, domain, path, { address: '2a02:8100::1' })
    await ada.session.put(`/api/v1/websites/${id}`, { exclude_params: '*', exclude_ips: null })
    await sendView(server, domain, path)
    expect((await listPages(id)).sort()).toEqual(['/', '/?Sort=c&e', path])
  })

  it('removes the URL parameters that say where a visit comes from, whichever parameters it ignores', async () => {
    const { domain, id } = await createNextSite({ exclude_params: 'sid' })
    const tags = 'utm_source=News&UTM_Content=b&ref=x&source=y&gclid=1&fbclid=2&mc_cid=3'
    await sendView(server, domain, `/shop?size=2&${tags}&sid=5&color=%20#part`, { fields: { h: 1 } })
    await sendEvent(server, { n: 'signup', u: `https://${domain}/shop?${tags}`, d: domain })
    const { panels } = await fetchOverview(ada.session, id)
    const page = '/shop?size=2&color=%20#part'
    expect(panels).toMatchObject({
      page: [{ value: page, count: 1 }],
      landing_page: [{ value: page, count: 1 }],
      exit_page: [{ value: page, count: 1 }],
      source: [{ value: 'News', count: 1 }],
      campaign: [{ value: 'Google Ads', count: 1 }],
    })
    expect((await fetchOverview(ada.session, id, 'filter=page:/shop')).totals).toMatchObject({ events: 1 })
  })

  it('removes ignored parameters from followed links and from the fragment too', async () => {
    const { domain, id } = await createNextSite({ exclude_params: 'sid' })
    const url = `https://${domain}/f.pdf?sid=SECRET&x=1`
    await sendEvent(server, {
      n: 'File Download',
      u: `https://${domain}/?sid=SECRET`,
      d: domain,
      p: { url, note: 'sid=1' },
    })
    await sendView(server, domain, '/b#/route?sid=SECRET&y=1', { fields: { h: 1 } })
    expect(await listPages(id)).toEqual(['/b#/route?y=1'])
    const [event] = await server.services.db.query('select props from events where website_id = $1 and kind = 2', [id])
    expect(JSON.parse(event?.['props'])).toEqual({ url: `https://${domain}/f.pdf?x=1`, note: 'sid=1' })
  })

  it('lists pages with their characters decoded', async () => {
    const { domain, id } = await createNextSite()
    await sendView(server, domain, '/日本語/パス?q=ü')
    expect(await fetchStatistics(ada.session, id, `name=page&search=${encodeURIComponent('日本')}`)).toEqual([
      { value: '/日本語/パス?q=ü', count: 1 },
    ])
    expect(await fetchStatistics(ada.session, id, `name=page&filter=${encodeURIComponent('page:/日*')}`)).toHaveLength(
      1,
    )
  })

  it('compares its excluded IPs with the rightmost forwarded IP that is not a trusted proxy', async () => {
    const { domain, id } = await createNextSite({ exclude_ips: '203.0.113.9' })
    const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7, 127.0.0.1' }
    expect(getStatusAndDropReason(await sendView(server, domain, '/', { headers }))).toEqual([202, null])
    const spoofedHeaders = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' }
    expect(getStatusAndDropReason(await sendView(server, domain, '/', { headers: spoofedHeaders }))).toEqual([
      202,
      'ip',
    ])
    expect((await fetchOverview(ada.session, id)).totals.pageviews).toBe(1)
  })

  it('comes with its tracker snippet when it is created', async () => {
    const response = await ada.session.post('/api/v1/websites', { domain: 'new.example' })
    expect(response.body.meta.snippet).toBe(
      `<script defer src="${server.address}/b.js" data-domain="new.example"></script>`,
    )
  })
})

describe('the statistics', () => {
  it('show origin, location and browser of a visitor, and nothing that identifies them', async () => {
    const { domain, id } = await createNextSite()
    await sendView(server, domain, '/?utm_source=newsletter&utm_campaign=Spring%20sale', {
      browser: 'safari',
      headers: { 'accept-language': 'fr-CH, fr;q=0.9, en;q=0.8' },
      fields: { r: 'https://www.google.com/search?q=secret', s: '390x844' },
    })
    const { panels } = await fetchOverview(ada.session, id)
    const values = Object.fromEntries(
      Object.entries(panels as Record<string, { value: string }[]>).map(([name, rows]) => [
        name,
        rows.map(({ value }) => value),
      ]),
    )
    expect(values).toEqual({
      page: ['/'],
      landing_page: ['/'],
      exit_page: ['/'],
      referrer: ['google.com/search'],
      source: ['Newsletter'],
      campaign: ['Spring sale'],
      continent: ['Europe'],
      country: ['GB'],
      region: [],
      city: [],
      language: ['fr'],
      browser: ['Safari'],
      os: ['iOS'],
      device: ['mobile'],
      resolution: ['390x844'],
      event: [],
      hostname: [domain],
    })
  })
})
